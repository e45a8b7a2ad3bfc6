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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartupError } from "../startup-error.ts";

/** A user of the system other than the one that runs this process. */
export type SystemUser = { readonly uid: number; readonly gid: number };

const POSTGRES_REFUSES_ROOT = "PostgreSQL refuses to run as root";
// Survives restarts, and only root can write here, so a home in it is one that we have made.
const STATE_DIR = "/var/lib/plumbline";
// The end of the name of a file beside a home; the file holds the path of a temporary data directory.
const TEMPORARY = ".temporary";

/** Refuses a cluster of another user, which only root can use. */
export function refuseForeignCluster(dataDir: string): void {
  const uid = process.getuid?.();
  const dir = homeDirOf(dataDir);
  const owner = ownerOf(join(dir, "postgres"));
  if (uid !== 0 && (dir !== dataDir || (owner !== undefined && owner.uid !== uid)))
    throw new StartupError(`The database of ${dataDir} was made by another user; run as that user, or as root.`);
}

/**
 * The folder for the cluster of `dataDir`, and the user that PostgreSQL runs as. If this process is root, that is another user. If
 * that user cannot reach `dataDir`, because it is below /root for example, the cluster is kept elsewhere.
 */
export function prepareHome(dataDir: string, log: (line: string) => void) {
  const dir = homeDirOf(dataDir);
  if (process.getuid?.() !== 0) return { dir, user: undefined };
  const owner = ownerOf(join(dir, "postgres"));
  // An existing cluster keeps its owner, perhaps the developer that usually starts the service.
  const user = owner !== undefined && owner.uid !== 0 ? owner : unprivilegedUser();
  if (existsSync(dir) && canEnter(user, dir)) return { dir, user };
  if (existsSync(join(dir, "postgres")))
    throw new StartupError(`${POSTGRES_REFUSES_ROOT}, and the owner of ${join(dir, "postgres")} cannot enter that folder.`);
  const relocated = relocate(dataDir, user);
  log(`The database is kept in ${relocated}, because ${POSTGRES_REFUSES_ROOT} and no other user can enter ${dataDir}.`);
  return { dir: relocated, user };
}

function ownerOf(path: string): SystemUser | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

/** Asks the system itself, because mode bits say nothing of access lists and mounts. */
const canEnter = (user: SystemUser, dir: string) => succeedsAs(user, "/bin/sh", "-c", 'cd "$1"', "sh", dir);

/** Whether a command that another user runs succeeds. */
export const succeedsAs = (user: SystemUser, command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: "/", ...user }).status === 0;

/** PostgreSQL's user, or the one that every Unix has. Not `nobody`, which runs the media engine on the files of users. */
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
  makeReadableDir(STATE_DIR);
  removeLeftOver();
  const home = join(STATE_DIR, `plumbline-${hash("sha256", dataDir).slice(0, 16)}`);
  // The data directory held no cluster, so this one belongs to a deleted data directory of the same name.
  remove(home);
  // Before the home itself, because a temporary home without a pointer to it counts as left over.
  writeFileSync(pointerOf(dataDir), `${home}\n`);
  if (dataDir.startsWith(`${realpathSync(tmpdir())}/`)) writeFileSync(`${home}${TEMPORARY}`, dataDir);
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, user.uid, user.gid);
  return home;
}

/** Makes a folder that other users can pass through, whatever the umask is. */
export function makeReadableDir(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

/** Removes the homes of temporary data directories that have been deleted since. */
function removeLeftOver(): void {
  for (const name of readdirSync(STATE_DIR).filter((it) => it.endsWith(TEMPORARY))) {
    const origin = join(STATE_DIR, name);
    if (!existsSync(pointerOf(readFileSync(origin, "utf8")))) remove(origin.slice(0, -TEMPORARY.length), origin);
  }
}

/** `rm` does not follow links, which the owner of a home can put into it at any moment. */
const remove = (...paths: string[]) => spawnSync("/bin/rm", ["-rf", ...paths]);
