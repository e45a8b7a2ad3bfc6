import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "../generate/run-tool.ts";
import type { Contract } from "./document.ts";
import type { Impact } from "./versions.ts";

const CONFIG = join(import.meta.dirname, "../../openapi/diff.redocly.yaml");

type NodeVersion = { readonly pointer: string; readonly value: unknown };

/** A change as `redocly diff` reports it. A shared component is reported once, at its first use. */
export type RawChange = {
  /** The JSON Pointer with references resolved: `#/paths/~1posts/get/responses/200/content/…`. */
  readonly path: string;
  readonly typeName: string;
  readonly kind: "added" | "removed" | "modified";
  readonly impact: Impact;
  /** The modified keyword, or `key` for the name of the node. */
  readonly property?: string;
  /** The node before and after. */
  readonly base?: NodeVersion;
  readonly revision?: NodeVersion;
};

/** The changes that `redocly diff` finds between two contracts. openapi/diff.redocly.yaml defines their impact. */
export async function redoclyDiff(base: Contract, revision: Contract): Promise<readonly RawChange[]> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-diff-"));
  try {
    const [before, after, report] = ["base.json", "revision.json", "report.json"].map((it) => join(folder, it)) as [
      string,
      string,
      string,
    ];
    writeFileSync(before, JSON.stringify(base));
    writeFileSync(after, JSON.stringify(revision));
    await runTool("@redocly/cli", "redocly", [
      "diff",
      before,
      after,
      "--config",
      CONFIG,
      "--format",
      "json",
      "--fail-on",
      "none",
      "--output",
      report,
    ]);
    return (JSON.parse(readFileSync(report, "utf8")) as { changes: RawChange[] }).changes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
