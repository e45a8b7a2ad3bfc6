import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runTool } from "../generate/run-tool.ts";
import { bundleContract } from "./bundle.ts";
import { blanksIn, entryOf, withDate, withSkeleton } from "./changelog.ts";
import { ContractError } from "./contract-error.ts";
import type { Contract } from "./document.ts";
import { exceptionsFile, readExceptions } from "./exceptions.ts";
import { assess, reportOf, type Assessment } from "./assessment.ts";
import { commitsFile, newestRelease, releasedDir } from "./released.ts";
import { compareVersions, isVersion } from "./versions.ts";

/** Why a contract is not released. */
class ReleaseError extends ContractError {
  override readonly name = "ReleaseError";
}

const NOTHING: Assessment = { changes: [], needed: null, lowestVersion: "0.0.0", isVersionEnough: true, unused: [] };

/**
 * Freezes the contract under a version. Throws a ReleaseError unless it is committed, linted, and has a sufficient version and a
 * complete changelog.
 */
export async function release(root: string, version: string): Promise<void> {
  const openapi = join(root, "openapi");
  if (!isVersion(version)) throw new ReleaseError(`"${version}" is not a version of the form MAJOR.MINOR.PATCH.`);
  const base = newestRelease(openapi);
  if (base !== null && compareVersions(version, base.info.version) <= 0)
    throw new ReleaseError(`${version} must be higher than ${base.info.version}, which is already released.`);
  requireCommitted(root);
  await runTool("@redocly/cli", "redocly", ["lint", "main", "--config", join(openapi, "redocly.yaml")]);

  const contract = await bundleAs(version, openapi);
  const assessment = base === null ? NOTHING : await assess(base, contract, readExceptions(openapi));
  if (base !== null && (!assessment.isVersionEnough || assessment.unused.length > 0))
    throw new ReleaseError(reportOf(base, contract, assessment));
  const changelog = join(openapi, "CHANGELOG.md");
  requireEntry(changelog, version, assessment);

  writeFileSync(changelog, withDate(readFileSync(changelog, "utf8"), version, new Date()));
  writeVersion(join(openapi, "openapi.yaml"), version);
  mkdirSync(releasedDir(openapi), { recursive: true });
  writeFileSync(join(releasedDir(openapi), `${version}.json`), `${JSON.stringify(contract, null, 2)}\n`);
  recordCommit(root, version);
  // The exceptions applied only to the changes that are now released.
  rmSync(exceptionsFile(openapi), { force: true });
}

/** Records the current commit as the code of the release. The commit that freezes the contract can't contain its own id. */
function recordCommit(root: string, version: string): void {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const lastMigration =
    globSync("prisma/migrations/*/", { cwd: root })
      .map((it) => basename(it))
      .sort()
      .at(-1) ?? "";
  const file = commitsFile(join(root, "openapi"));
  const others = readFileSync(file, "utf8").replace(new RegExp(`^${version.replaceAll(".", "\\.")} .*\n`, "m"), "");
  writeFileSync(file, `${others}${version} ${commit} ${lastMigration}\n`);
}

/** The bundle with this version, which is also in its examples. */
async function bundleAs(version: string, openapi: string): Promise<Contract> {
  const file = join(openapi, "openapi.yaml");
  const before = readFileSync(file, "utf8");
  try {
    writeVersion(file, version);
    return await bundleContract(openapi);
  } finally {
    writeFileSync(file, before);
  }
}

/** Only a committed contract can be frozen. The changelog can differ, because you are writing its entry. */
function requireCommitted(root: string): void {
  const status = execFileSync("git", ["status", "--porcelain", "--untracked-files=all", "--", "openapi"], {
    cwd: root,
    encoding: "utf8",
  });
  const dirty = status.split("\n").filter((line) => line !== "" && !line.endsWith(" openapi/CHANGELOG.md"));
  if (dirty.length > 0) throw new ReleaseError(`Commit the contract first:\n${dirty.join("\n")}`);
}

function requireEntry(file: string, version: string, assessment: Assessment): void {
  const changelog = readFileSync(file, "utf8");
  const entry = entryOf(changelog, version);
  if (entry === null) {
    writeFileSync(file, withSkeleton(changelog, version, assessment));
    throw new ReleaseError(
      `openapi/CHANGELOG.md now has an entry for ${version}. Complete it for the users of the API, then run this again.`,
    );
  }
  const blanks = blanksIn(entry);
  if (blanks.length > 0)
    throw new ReleaseError(`The entry for ${version} in openapi/CHANGELOG.md is not complete:\n${blanks.join("\n")}`);
}

function writeVersion(file: string, version: string): void {
  const text = readFileSync(file, "utf8");
  const changed = text.replace(/^( {2}version: ).*$/m, `$1${version}`);
  if (!changed.includes(`\n  version: ${version}\n`)) throw new ReleaseError(`${file} has no line "  version: …".`);
  writeFileSync(file, changed);
}
