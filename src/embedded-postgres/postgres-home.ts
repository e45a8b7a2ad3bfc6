import { spawnSync } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../startup-error.ts";
import { binariesFor, installedBinaries, type PostgresBinaries, type SystemUser } from "./postgres-binaries.ts";
import { homeDirOf, relocateHome } from "./postgres-relocation.ts";

/** Where the cluster of a data directory is, and what runs it as whom. */
export type PostgresHome = { readonly dir: string; readonly binaries: PostgresBinaries; readonly user: SystemUser | undefined };

/** Only root may use a cluster that somebody else has made. */
export function refuseForeignCluster(dataDir: string): void {
  const uid = process.getuid?.();
  const dir = homeDirOf(dataDir);
  const owner = ownerOf(join(dir, "postgres"));
  if (uid !== 0 && (dir !== dataDir || (owner !== undefined && owner.uid !== uid))) {
    throw new StartupError(`The database of ${dataDir} was made by another user; run as that user, or as root.`);
  }
}

/**
 * Prepares a place for the cluster of `dataDir`. Run by root, that is a matter of its own: PostgreSQL refuses root, so
 * another user runs it, and what that user cannot reach (below /root, in a private temporary folder) is kept elsewhere.
 */
export function preparePostgresHome(dataDir: string, log: (line: string) => void): PostgresHome {
  const binaries = installedBinaries();
  const dir = homeDirOf(dataDir);
  if (process.getuid?.() !== 0) return { dir, binaries, user: undefined };
  const owner = ownerOf(join(dir, "postgres"));
  // An existing cluster stays with whoever owns it, be it the developer who usually starts it without being root.
  const user = owner !== undefined && owner.uid !== 0 ? owner : unprivilegedUser(log);
  return { dir: reachableHome(dataDir, dir, user, log), binaries: binariesFor(user, binaries), user };
}

function ownerOf(path: string): SystemUser | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

function reachableHome(dataDir: string, dir: string, user: SystemUser, log: (line: string) => void): string {
  if (existsSync(dir) && canEnter(user, dir)) return dir;
  if (existsSync(join(dir, "postgres")))
    throw new StartupError(
      `PostgreSQL refuses to run as root, and the owner of ${join(dir, "postgres")} cannot enter that folder.`,
    );
  const relocated = relocateHome(dataDir, user);
  if (!canEnter(user, relocated))
    throw new StartupError(
      `PostgreSQL refuses to run as root, and the user with the id ${user.uid} can enter neither ${dataDir} nor ${relocated}.`,
    );
  log(`The database is kept in ${relocated}, because PostgreSQL refuses to run as root and nobody else can enter ${dataDir}.`);
  return relocated;
}

/** Asked of the system itself, as no arithmetic on mode bits knows of access lists and mounts. */
function canEnter(user: SystemUser, dir: string): boolean {
  return spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", dir], { cwd: "/", ...user }).status === 0;
}

function unprivilegedUser(log: (line: string) => void): SystemUser {
  const existing = userNamed("postgres");
  if (existing !== undefined) return existing;
  if (
    spawnSync("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", "postgres"]).status ===
    0
  ) {
    log("Created the system user postgres, because PostgreSQL refuses to run as root.");
  }
  const user = userNamed("postgres") ?? userNamed("nobody");
  if (user === undefined)
    throw new StartupError(
      "PostgreSQL refuses to run as root, and there is no user postgres; create one, or run as another user.",
    );
  return user;
}

function userNamed(name: string): SystemUser | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }));
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}
