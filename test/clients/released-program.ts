import { copyFile, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Generator } from "./generators.ts";

/** The released versions whose clients must continue to work, and how many of the steps a client of that version can take. */
export const RELEASES = [
  { version: "1.0.0", steps: 6, later: /since[-_]?1[._][12][._]0/i },
  { version: "1.1.0", steps: 10, later: /since[-_]?1[._]2[._]0/i },
] as const;
/** A release. Files whose names match `later` belong to versions after it, and so do the lines that name these files. */
type Release = (typeof RELEASES)[number];
export type ReleasedVersion = Release["version"];

const CLIENTS = new URL(".", import.meta.url).pathname;
const documentOf = (version: string): string => new URL(`../../openapi/released/${version}.json`, import.meta.url).pathname;
/** What the TypeScript journeys share. */
const SHARED_FILES = ["tsconfig.strict.json", "typescript-steps.ts"];

/** What the tools have made in the folder of a generator. */
const MADE = new Set(["build", ".mypy_cache", "__pycache__"]);

/** A program that was written for the released version. */
export type ReleasedProgram = {
  readonly version: ReleasedVersion;
  readonly folder: string;
  /** The folder with the frozen contract. It replaces the service while the client is generated. */
  readonly contract: string;
};

/**
 * Makes the program as it was at the release: the current journey without newer parts, and with the names that the client had
 * then. Reuses the installed packages.
 */
export async function makeReleasedProgram(generator: Generator, { version, later }: Release): Promise<ReleasedProgram> {
  const [current, contract] = [join(CLIENTS, generator.name), join(CLIENTS, generator.name, "build", version)];
  const folder = join(contract, generator.name);
  await rm(contract, { recursive: true, force: true });
  await mkdir(join(folder, "build"), { recursive: true });
  await copyFile(documentOf(version), join(contract, "openapi.json"));
  for (const file of SHARED_FILES) await copyFile(join(CLIENTS, file), join(contract, file));
  const copied = (await readdir(current)).filter((it) => !MADE.has(it));
  const filter = (path: string): boolean => !later.test(basename(path));
  for (const it of copied) await cp(join(current, it), join(folder, it), { recursive: true, filter });
  await restoreNames(generator, folder, version, later);
  for (const it of installedBy(generator))
    if (await stat(join(current, it)).catch(() => null)) await symlink(join(current, it), join(folder, it));
  return { version, folder, contract };
}

async function restoreNames(
  { name, sources, formerly }: Generator,
  folder: string,
  version: ReleasedVersion,
  later: RegExp,
): Promise<void> {
  const { changes = [] } = formerly[version];
  const unused = new Set(changes);
  const added = (await readdir(folder, { recursive: true })).filter((it) => /since/i.test(basename(it)));
  for (const source of [...sources, ...added]) {
    const lines = (await readFile(join(folder, source), "utf8")).split("\n").filter((line) => !later.test(line));
    let text = lines.join("\n");
    for (const change of changes) {
      if (text.includes(change.now)) unused.delete(change);
      text = text.replaceAll(change.now, change.then);
    }
    await writeFile(join(folder, source), text);
  }
  for (const { now } of unused) throw new Error(`test/clients/${name} has no "${now}" any more`);
}

/** Cargo also keeps the compiled dependencies, which are the same. */
const installedBy = ({ compiler }: Generator): readonly string[] => [
  "build/venv",
  ...(compiler === "cargo" ? ["build/target"] : []),
];
