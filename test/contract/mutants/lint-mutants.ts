import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { copyContract, copyRules, declareImplied } from "./copy.ts";
import { applyEdit, type Edit, type Node } from "./edit.ts";
import type { Mutant } from "./mutant.ts";

const REDOCLY = join(dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")), "bin/cli.js");
const PROCESSES = 2;
/** How many mutants share a contract. With 1, each has its own: slower, to examine a single rule. */
const GROUP_MAX = 8;

export type Finding = { readonly rule: string; readonly message: string };
type Report = {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly { readonly source: { readonly ref: string } }[];
  }[];
};

/**
 * Lints the unchanged contract, and copies of it with the mutants. Returns the findings in the unchanged contract, followed by
 * those for each mutant. For speed, a copy has several mutants. A finding belongs to the mutant of its rule, and a finding of any
 * other rule belongs to all of them.
 */
export async function lintMutants(mutants: readonly Mutant[]): Promise<readonly (readonly Finding[])[]> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-mutants-"));
  try {
    copyRules(folder, folder);
    copyContract(join(folder, "whole"));
    await declareImplied(join(folder, "whole"), folder);
    const groups = [[], ...groupsOf(mutants)];
    const copies = groups.map((group, index) =>
      makeCopy(
        folder,
        index,
        group.flatMap((it) => it.edits),
      ),
    );
    const shares = Array.from({ length: PROCESSES }, (_, share) => copies.filter((_copy, index) => index % PROCESSES === share));
    const reports = await Promise.all(shares.map((share) => lint(folder, share)));
    const found = copies.map((): Finding[] => []);
    for (const { ruleId: rule, message, location } of reports.flat().flatMap((it) => it.problems)) {
      const index = Number(/(?:^|\/)copy-(\d+)\//.exec(location[0]?.source.ref ?? "")?.[1]);
      found[index]!.push({ rule, message });
    }
    const ofMutants = mutants.map((mutant) => {
      const index = groups.findIndex((it) => it.includes(mutant));
      const othersRules = groups[index]!.filter((it) => it !== mutant).flatMap(rulesOf);
      return found[index]!.filter((it) => !othersRules.includes(it.rule));
    });
    return [found[0]!, ...ofMutants];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rulesOf = ({ rule, also = [] }: Mutant) => [rule, ...also];

/** Groups mutants that can share a copy: no two have a rule in common, or edit the same operation or component. */
function groupsOf(mutants: readonly Mutant[]): Mutant[][] {
  const claims = (it: Mutant) => [
    ...rulesOf(it),
    ...it.edits.map(({ file, at }) => `${file} ${at.split(" ", file === "openapi.yaml" ? 2 : 1).join(" ")}`),
  ];
  const groups: Mutant[][] = [];
  for (const mutant of mutants) {
    const mine = claims(mutant);
    const clash = (claim: string) => mine.some((it) => `${it} `.startsWith(`${claim} `) || `${claim} `.startsWith(`${it} `));
    const group = groups.find((it) => it.length < GROUP_MAX && !it.flatMap(claims).some(clash));
    if (group === undefined) groups.push([mutant]);
    else group.push(mutant);
  }
  return groups;
}

/** Writes the whole contract with some edits. Returns the path of its root file. */
function makeCopy(folder: string, index: number, edits: readonly Edit[]): string {
  const copy = `copy-${index}`;
  cpSync(join(folder, "whole"), join(folder, copy), { recursive: true });
  for (const edit of edits) {
    const file = join(folder, copy, edit.file);
    const content = existsSync(file) ? (parse(readFileSync(file, "utf8")) as Node) : {};
    applyEdit(content, edit);
    writeFileSync(file, JSON.stringify(content));
  }
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
