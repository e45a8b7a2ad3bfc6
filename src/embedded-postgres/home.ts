import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartupError } from "../startup-error.ts";

/** A user of the system other than the one that runs this process. */
export type SystemUser = { readonly uid: number; readonly gid: number };

const POSTGRES_REFUSES_ROOT = "PostgreSQL refuses to run as root";
// Survives restarts, and nothing cleans it up.
const STATE_DIR = "/var/lib/plumbline";
const ORIGIN = "data-directory";

/** Refuses a cluster of another user, which only root can use. */
export function refuseForeignCluster(dataDir: string): void {
  const uid = process.getuid?.();
  const dir = homeDirOf(dataDir);
  const owner = ownerOf(join(dir, "postgres"));
  if (uid !== 0 && (dir !== dataDir || (owner !== undefined && owner.uid !== uid)))
    throw new StartupError(`The database of ${dataDir} was made by another user; run as that user, or as root.`);
}

/**
 * The folder for the cluster of `dataDir`, and whom PostgreSQL runs as. If this process is root, that is another user. If
 * that user cannot reach `dataDir`, because it is below /root for example, the cluster is kept elsewhere.
 */
export function prepareHome(dataDir: string, log: (line: string) => void) {
  const dir = homeDirOf(dataDir);
  if (process.getuid?.() !== 0) return { dir, user: undefined };
  const owner = ownerOf(join(dir, "postgres"));
  // An existing cluster keeps its owner, who may be the developer that usually starts the service.
  const user = owner !== undefined && owner.uid !== 0 ? owner : unprivilegedUser();
  if (existsSync(dir) && canEnter(user, dir)) return { dir, user };
  if (existsSync(join(dir, "postgres")))
    throw new StartupError(`${POSTGRES_REFUSES_ROOT}, and the owner of ${join(dir, "postgres")} cannot enter that folder.`);
  const relocated = relocate(dataDir, user);
  if (!canEnter(user, relocated))
    throw new StartupError(
      `${POSTGRES_REFUSES_ROOT}, and the user with the id ${user.uid} can enter neither ${dataDir} nor ${relocated}.`,
    );
  log(`The database is kept in ${relocated}, because ${POSTGRES_REFUSES_ROOT} and no other user can enter ${dataDir}.`);
  return { dir: relocated, user };
}

function ownerOf(path: string): SystemUser | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

/** Asks the system itself, because mode bits say nothing of access lists and mounts. */
function canEnter(user: SystemUser, dir: string): boolean {
  return spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", dir], { cwd: "/", ...user }).status === 0;
}

/** PostgreSQL's user, or the one that every Unix has. Not `nobody`, who also runs the media engine, on strangers' files. */
function unprivilegedUser(): SystemUser {
  const user = userNamed("postgres") ?? userNamed("daemon");
  if (user !== undefined) return user;
  throw new StartupError(`${POSTGRES_REFUSES_ROOT}, and there is no user postgres; create one, or run as another user.`);
}

function userNamed(name: string): SystemUser | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }));
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}

/** The folder that holds the cluster of `dataDir`: itself, unless an earlier start as root kept it elsewhere. */
function homeDirOf(dataDir: string): string {
  const pointer = pointerOf(dataDir);
  return existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : dataDir;
}

const pointerOf = (dataDir: string) => join(dataDir, "postgres.location");

/** Makes an empty home that `user` can reach, for the cluster of a data directory that `user` cannot enter. */
function relocate(dataDir: string, user: SystemUser): string {
  const temporary = realpathSync(tmpdir());
  // What belongs to a temporary folder stays among the temporary folders.
  const isTemporary = dataDir.startsWith(`${temporary}/`);
  const home = join(isTemporary ? temporary : STATE_DIR, `plumbline-${hash("sha256", dataDir).slice(0, 16)}`);
  // Before the home itself, because a home without a pointer to it counts as left over.
  writeFileSync(pointerOf(dataDir), `${home}\n`);
  if (isTemporary) removeLeftOver(temporary, user);
  else makeReadableDir(STATE_DIR);
  // The data directory held no cluster, so this one belongs to a deleted data directory of the same name.
  removeHome(home, user);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, ORIGIN), `${dataDir}\n`);
  chownSync(home, user.uid, user.gid);
  return home;
}

/** Makes a folder that other users can pass through, whatever the umask is. */
export function makeReadableDir(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

/** Removes the homes of temporary data directories that have been deleted since. */
function removeLeftOver(temporary: string, user: SystemUser): void {
  for (const name of readdirSync(temporary).filter((it) => /^plumbline-[0-9a-f]{16}$/.test(it))) {
    const origin = join(temporary, name, ORIGIN);
    if (existsSync(origin) && isOf(user, join(temporary, name)) && !existsSync(pointerOf(readFileSync(origin, "utf8").trim())))
      removeHome(join(temporary, name), user);
  }
}

function removeHome(home: string, user: SystemUser): void {
  if (lstatSync(home, { throwIfNoEntry: false }) === undefined) return;
  if (!isOf(user, home)) throw new StartupError(`${home} belongs to another user; remove it.`);
  // As its owner: root must not follow links that the owner may have put there.
  spawnSync("/bin/rm", ["-rf", home], { cwd: "/", ...user });
  rmSync(home, { recursive: true, force: true });
}

/** Whether a home was made for `user`, and not for, or by, another one. */
function isOf(user: SystemUser, home: string): boolean {
  const found = lstatSync(home);
  return found.isDirectory() && [user.uid, 0].includes(found.uid);
}
