import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleContract } from "./contract/bundle.ts";
import { Complaint } from "./contract/complaint.ts";
import type { Contract } from "./contract/document.ts";
import { readExceptions } from "./contract/exceptions.ts";
import { judge, reportOf } from "./contract/judgement.ts";
import { isComplete, metricsOf, metricsReport } from "./contract/metrics.ts";
import { newestRelease } from "./contract/released.ts";
import { generateInto } from "./generate/artifacts.ts";
import { compareFolders } from "./generate/compare-folders.ts";
import { runTool, ToolError } from "./generate/run-tool.ts";

// npm run contract:gate: everything that is asked of the contract itself, at once, with the time each part takes.
const ROOT = join(import.meta.dirname, "..");
const OPENAPI = join(ROOT, "openapi");

/** What is wrong, in words; nothing when all is well. */
type Part = () => Promise<readonly string[]>;

const lint: Part = async () => {
  await runTool("@redocly/cli", "redocly", ["lint", "main", "--config", join(OPENAPI, "redocly.yaml")]);
  return [];
};

/** Bundle, types, documentation page and all else under generated/. */
const generatedFiles: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-gate-"));
  try {
    await generateInto(folder);
    return compareFolders(join(folder, "generated"), join(ROOT, "generated")).map(
      ({ path, kind }) => `generated/${path} is ${kind}: run npm run generate`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const compatibility =
  (bundle: Promise<Contract>): Part =>
  async () => {
    const base = newestRelease(OPENAPI);
    if (base === null) return [];
    const revision = await bundle;
    const judgement = await judge(base, revision, readExceptions(OPENAPI));
    return judgement.isVersionEnough && judgement.unused.length === 0 ? [] : [reportOf(base, revision, judgement)];
  };

const metrics =
  (bundle: Promise<Contract>): Part =>
  async () => {
    const contract = await bundle;
    const found = metricsOf(contract);
    return isComplete(found) ? [] : [metricsReport(contract, found)];
  };

async function timed(name: string, part: Part): Promise<boolean> {
  const started = performance.now();
  const wrong = await part().catch((error: unknown) => {
    if (!(error instanceof ToolError) && !(error instanceof Complaint)) throw error;
    return [error.message];
  });
  console.log(`${name.padEnd(16)} ${secondsSince(started)}  ${wrong.length === 0 ? "ok" : "FAILED"}`);
  for (const it of wrong) console.error(it);
  return wrong.length === 0;
}

const secondsSince = (started: number): string => `${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s`;

const started = performance.now();
const bundle = bundleContract(OPENAPI);
const outcomes = await Promise.all([
  timed("lint", lint),
  timed("generated files", generatedFiles),
  timed("compatibility", compatibility(bundle)),
  timed("metrics", metrics(bundle)),
]);
console.log(`${"contract gate".padEnd(16)} ${secondsSince(started)}  ${outcomes.every(Boolean) ? "ok" : "FAILED"}`);
if (!outcomes.every(Boolean)) process.exitCode = 1;
