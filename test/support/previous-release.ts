import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitsFile } from "../../scripts/contract/released.ts";
import { compareVersions } from "../../scripts/contract/versions.ts";
import { baselineOf, type Migration } from "../../src/database/migration-history.ts";
import { repository, run, startCommandOf, type Running } from "./processes.ts";

export type Release = { readonly version: string; readonly commit: string; readonly lastMigration: string };

/** The releases, oldest first, as openapi/released/commits.txt names them. */
export function readReleases(): Release[] {
  const lines = readFileSync(commitsFile(join(repository, "openapi")), "utf8")
    .trim()
    .split("\n");
  return lines
    .filter((line) => !line.startsWith("#"))
    .map((line) => line.split(" "))
    .map(([version = "", commit = "", lastMigration = ""]) => ({ version, commit, lastMigration }))
    .sort((a, b) => compareVersions(a.version, b.version));
}

/** The newest release before the version of the current code. */
export function previousRelease(): Release {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
  return readReleases().findLast((it) => compareVersions(it.version, version) < 0)!;
}

/** The migrations that a release knows, or the baseline that stands for them. */
export const isOf =
  ({ lastMigration }: Release) =>
  (it: Migration): boolean =>
    it.name <= lastMigration || baselineOf(it)?.last === lastMigration;

const git = (...args: readonly string[]) => spawnSync("git", args, { cwd: repository, encoding: "utf8" });

/** Why its code can't be read here; null if it can. A shallow clone asks for the commit. */
export function missingCode({ commit }: Pick<Release, "commit">): string | null {
  const isHere = () => git("cat-file", "-e", `${commit}^{commit}`).status === 0;
  if (isHere()) return null;
  git("fetch", "--quiet", "--depth", "1", "origin", commit);
  return isHere() ? null : `the commit ${commit} is not in this clone, and origin doesn't send it`;
}

/** The files of a release in `src/` whose names end like this, by their paths. */
export function filesOf({ commit }: Release, end: string): ReadonlyMap<string, string> {
  const paths = git("ls-tree", "-r", "--name-only", commit, "src").stdout.split("\n");
  return new Map(paths.filter((it) => it.endsWith(end)).map((it) => [it, git("show", `${commit}:${it}`).stdout]));
}

export type OldCode = Disposable & {
  /** Starts a process of the release: the service, or another script. */
  start(settings: Readonly<Record<string, string>>, args?: readonly string[]): Running;
};

/** The files of a commit in a temporary folder. */
export function unpackCommit(commit: string): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-release-"));
  chmodSync(folder, 0o755);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync("/bin/sh", ["-ec", `git archive "$1" | tar -x -C "$0"`, folder, commit], { cwd: repository });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, [Symbol.dispose]: remove };
}

type Lockfile = {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: true; readonly optional?: true }>>;
};
const packagesIn = (folder: string) => (JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as Lockfile).packages;

/** Whether the packages here include those of a release. Then they need not be installed again. */
function hasPackagesOf(folder: string): boolean {
  const here = packagesIn(repository);
  const needed = Object.entries(packagesIn(folder)).filter(([path, it]) => path !== "" && !it.dev && !it.optional);
  return needed.every(([path, { version }]) => here[path]?.version === version);
}

/** The code of a release, with the packages of its own lockfile. */
export function unpackRelease({ commit }: Release): OldCode {
  const { folder, ...unpacked } = unpackCommit(commit);
  const install = ["ci", "--omit=dev", "--omit=optional", "--omit=peer", "--ignore-scripts", "--prefer-offline"];
  if (hasPackagesOf(folder)) symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  else execFileSync("npm", install, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return {
    start: (settings, args = startCommandOf(folder)) =>
      run({ NODE_COMPILE_CACHE: "", ...settings }, args, ["env", "--chdir", folder]),
    ...unpacked,
  };
}
