import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { copyContract, copyRules, declareImplied, editFiles } from "./contract-copy.ts";
import { listOf, type Edits } from "./edits.ts";

const REDOCLY = join(dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")), "bin/cli.js");
const PROCESSES = 2;
/** How many mistakes share a contract. With 1, each has its own: slower, to examine a single rule. */
const GROUP_MAX = 60;

/** A mistake in a copy of the contract, the rule that must find it, and rules that also find it. */
export type Mistake = { readonly fault: string; readonly rules: readonly [string, ...string[]]; readonly edits: Edits };
type Report = {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly location: readonly { readonly source: { readonly ref: string } }[];
  }[];
};

/**
 * Lints the unchanged contract, and copies of it with mistakes. Returns the rules that find something in the unchanged contract,
 * followed by those for each mistake. For speed, a copy has several mistakes. A finding belongs to the mistake of its rule, and a
 * finding of any other rule belongs to all of them.
 */
export async function lintMistakes(mistakes: readonly Mistake[]): Promise<readonly (readonly string[])[]> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-mistakes-"));
  try {
    copyRules(folder, folder);
    copyContract(join(folder, "whole"));
    await declareImplied(join(folder, "whole"), folder);
    const groups = [[], ...groupsOf(mistakes)];
    const copies = groups.map((group, index) => makeCopy(folder, `copy-${index}`, group));
    const shares = Array.from({ length: PROCESSES }, (_, share) => copies.filter((_copy, index) => index % PROCESSES === share));
    const reports = await Promise.all(shares.map((share) => lint(folder, share)));
    const found = copies.map(() => new Set<string>());
    for (const { ruleId, location } of reports.flat().flatMap((it) => it.problems))
      found[Number(/(?:^|\/)copy-(\d+)\//.exec(location[0]?.source.ref ?? "")?.[1])]!.add(ruleId);
    const ofMistakes = mistakes.map((mistake) => {
      const index = groups.findIndex((it) => it.includes(mistake));
      const ofOthers = groups[index]!.filter((it) => it !== mistake).flatMap((it) => it.rules);
      return [...found[index]!].filter((it) => !ofOthers.includes(it));
    });
    return [[...found[0]!], ...ofMistakes];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Groups mistakes that can share a copy: no two have a rule in common, or edit the same node or one within the other. */
function groupsOf(mistakes: readonly Mistake[]): Mistake[][] {
  const groups: Mistake[][] = [];
  for (const mistake of mistakes) {
    const clash = (other: Mistake) =>
      other.rules.some((it) => mistake.rules.includes(it)) ||
      placesOf(other).some((it) => placesOf(mistake).some((mine) => it.startsWith(mine) || mine.startsWith(it)));
    const group = groups.find((it) => it.length < GROUP_MAX && !it.some(clash));
    if (group === undefined) groups.push([mistake]);
    else group.push(mistake);
  }
  return groups;
}

/** The nodes that a mistake edits. A keyword of a schema, such as `type`, decides about others, so its place is the whole schema. */
const placesOf = ({ edits }: Mistake) =>
  listOf(edits).map(([edit]) => `${edit.replace(/^\w+ | > .*/g, "").replace(/(?<=(schemas|parameters)\.yaml .+) \S+$/, "")} `);

/** Writes the whole contract with some mistakes. Returns the path of its root file. */
function makeCopy(folder: string, copy: string, mistakes: readonly Mistake[]): string {
  cpSync(join(folder, "whole"), join(folder, copy), { recursive: true });
  for (const { edits } of mistakes) editFiles(join(folder, copy), edits);
  return `${copy}/openapi.yaml`;
}

/** The reports of one process, which prints them in sequence. */
function lint(folder: string, roots: readonly string[]): Promise<readonly Report[]> {
  const options = ["lint", ...roots, "--config", "redocly.yaml", "--format", "json", "--max-problems", "1000"];
  const env = {
    ...process.env,
    NO_COLOR: "1",
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
  };
  return new Promise((resolve, reject) => {
    // The process fails if it finds a problem, as expected. It must print a report for every copy.
    execFile(process.execPath, [REDOCLY, ...options], { cwd: folder, env, maxBuffer: 64 * 2 ** 20 }, (_error, stdout, stderr) => {
      const reports = JSON.parse(`[${stdout.replaceAll(/^\}\s*\{$/gm, "},{")}]`) as Report[];
      if (reports.length === roots.length) resolve(reports);
      else reject(new Error(`${reports.length} reports on ${roots.length} contracts:\n${stderr}`));
    });
  });
}
