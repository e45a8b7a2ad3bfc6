import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartupError } from "../util/startup-error.ts";

/** A user of the system other than the one that runs this process. */
export type SystemUser = { readonly uid: number; readonly gid: number };

const POSTGRES_REFUSES_ROOT = "PostgreSQL refuses to run as root";
// Persistent. Only root can write here, so this service has created every home in it.
const STATE_DIR = "/var/lib/plumbline";
// The suffix of a symbolic link beside a home to its temporary data directory.
const ORIGIN = ".origin";

/** Refuses a cluster of another user. Only root can use it. */
export function refuseForeignCluster(dataDir: string): void {
  const uid = process.getuid?.();
  const dir = homeDirOf(dataDir);
  const owner = ownerOf(join(dir, "postgres"));
  if (uid !== 0 && (dir !== dataDir || (owner !== undefined && owner.uid !== uid)))
    throw new StartupError(`The database of ${dataDir} belongs to another user; run as that user, or as root.`);
}

/**
 * Returns the folder for the cluster of `dataDir`, and the user for PostgreSQL, which is never root. If that user can't enter `dataDir`, for
 * example below /root, the folder is elsewhere.
 */
export function prepareHome(dataDir: string, log: (line: string) => void) {
  const dir = homeDirOf(dataDir);
  if (process.getuid?.() !== 0) return { dir, user: undefined };
  const owner = ownerOf(join(dir, "postgres"));
  // An existing cluster keeps its owner, such as the developer that usually starts the service.
  const user = owner !== undefined && owner.uid !== 0 ? owner : unprivilegedUser();
  if (fs.existsSync(dir) && canEnter(user, dir)) return { dir, user };
  if (fs.existsSync(join(dir, "postgres")))
    throw new StartupError(`${POSTGRES_REFUSES_ROOT}, and the owner of ${join(dir, "postgres")} cannot enter that folder.`);
  const relocated = relocate(dataDir, user);
  log(`The database is stored in ${relocated}, because ${POSTGRES_REFUSES_ROOT} and no other user can enter ${dataDir}.`);
  return { dir: relocated, user };
}

function ownerOf(path: string): SystemUser | undefined {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

/** Tries to enter the folder, because mode bits don't include access control lists and mount options. */
const canEnter = (user: SystemUser, dir: string) => succeedsAs(user, "/bin/sh", "-c", 'cd "$1"', "sh", dir);

/** Whether a command succeeds when `user` runs it. */
export const succeedsAs = (user: SystemUser, command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: "/", ...user }).status === 0;

/** The user `postgres`, or `daemon`, which every Unix has. Not `nobody`, which runs the media engine on untrusted files. */
function unprivilegedUser(): SystemUser {
  const user = userNamed("postgres") ?? userNamed("daemon");
  if (user !== undefined) return user;
  throw new StartupError(`${POSTGRES_REFUSES_ROOT}, and there is no user postgres; create one, or run as another user.`);
}

function userNamed(name: string): SystemUser | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }));
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}

/** The folder with the cluster of `dataDir`: `dataDir` itself, unless an earlier start as root has chosen another. */
export function homeDirOf(dataDir: string): string {
  const pointer = pointerOf(dataDir);
  return fs.existsSync(pointer) ? fs.readFileSync(pointer, "utf8").trim() : dataDir;
}

const pointerOf = (dataDir: string) => join(dataDir, "postgres.location");

/** Makes an empty home for the cluster of a data directory that `user` cannot enter. */
function relocate(dataDir: string, user: SystemUser): string {
  makeReadableDir(STATE_DIR);
  removeOrphanedHomes();
  const home = join(STATE_DIR, `plumbline-${hash("sha256", dataDir).slice(0, 16)}`);
  const origin = `${home}${ORIGIN}`;
  // An existing home belongs to a deleted data directory with the same path.
  remove(home);
  // Written before the home, because `removeOrphanedHomes` removes a temporary home that has no pointer.
  fs.writeFileSync(pointerOf(dataDir), `${home}\n`);
  if (dataDir.startsWith(`${fs.realpathSync(tmpdir())}/`) && !fs.existsSync(origin)) fs.symlinkSync(dataDir, origin);
  fs.mkdirSync(home, { mode: 0o700 });
  fs.chownSync(home, user.uid, user.gid);
  return home;
}

/** Creates a folder that other users can enter, with any umask. */
export function makeReadableDir(path: string): void {
  fs.mkdirSync(path, { recursive: true });
  fs.chmodSync(path, 0o755);
}

/** Removes the homes of deleted temporary data directories. Concurrent processes can do the same. */
function removeOrphanedHomes(): void {
  for (const origin of fs.globSync(`${STATE_DIR}/*${ORIGIN}`))
    if (!fs.existsSync(pointerOf(origin))) remove(origin.slice(0, -ORIGIN.length), origin);
}

/** Uses `rm`, which follows no symbolic links: the owner of a home can add them at any time. */
const remove = (...paths: string[]) => spawnSync("/bin/rm", ["-rf", ...paths]);
