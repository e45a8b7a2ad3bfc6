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
import type { SystemUser } from "./postgres-binaries.ts";

// Survives restarts, and nobody sweeps it.
const STATE_DIR = "/var/lib/plumbline";
const ORIGIN = "data-directory";

/** The folder that holds the cluster of `dataDir`: itself, unless an earlier start as root had to put it elsewhere. */
export function homeDirOf(dataDir: string): string {
  const pointer = pointerOf(dataDir);
  return existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : dataDir;
}

/** Makes an empty home, where `user` can reach it, for the cluster of a data directory that `user` cannot enter. */
export function relocateHome(dataDir: string, user: SystemUser): string {
  const temporary = realpathSync(tmpdir());
  const name = `plumbline-${hash("sha256", dataDir).slice(0, 16)}`;
  // As lasting as the data directory itself: what belongs to a temporary folder stays among the temporary folders.
  const isTemporary = dataDir.startsWith(`${temporary}/`);
  const home = join(isTemporary ? temporary : STATE_DIR, name);
  // Before the home itself, as a home that nobody points to counts as left over.
  writeFileSync(pointerOf(dataDir), `${home}\n`);
  if (isTemporary) removeLeftOver(temporary, user);
  else makeStateDir();
  // The data directory held no cluster: what is here was that of one of the same name that was deleted.
  removeHome(home, user);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, ORIGIN), `${dataDir}\n`);
  chownSync(home, user.uid, user.gid);
  return home;
}

function makeStateDir(): void {
  mkdirSync(STATE_DIR, { recursive: true });
  // Whatever the umask says, the other user must be able to pass through.
  chmodSync(STATE_DIR, 0o755);
}

function pointerOf(dataDir: string): string {
  return join(dataDir, "postgres.location");
}

/** Temporary folders are deleted without a word to us; so what was kept for them is looked through now and then. */
function removeLeftOver(temporary: string, user: SystemUser): void {
  for (const name of readdirSync(temporary).filter((it) => /^plumbline-[0-9a-f]{16}$/.test(it))) {
    const origin = join(temporary, name, ORIGIN);
    if (existsSync(origin) && !existsSync(pointerOf(readFileSync(origin, "utf8").trim())))
      removeHome(join(temporary, name), user);
  }
}

function removeHome(home: string, user: SystemUser): void {
  const found = lstatSync(home, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (![user.uid, 0].includes(found.uid) || !found.isDirectory())
    throw new StartupError(`${home} belongs to somebody else; remove it.`);
  // As its owner: root must not follow whatever the owner may have put in there.
  spawnSync("/bin/rm", ["-rf", home], { cwd: "/", ...user });
  rmSync(home, { recursive: true, force: true });
}
