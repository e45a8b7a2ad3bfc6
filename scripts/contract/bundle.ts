import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "../generate/run-tool.ts";
import { operationsOf, type Contract, type RawOperation } from "./document.ts";

/** Bundles the contract in a folder into one document. The bundle in generated/ could be outdated. */
export async function bundleContract(openapiDir: string): Promise<Contract> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bundle-"));
  try {
    const file = join(folder, "openapi.json");
    await runTool("@redocly/cli", "redocly", [
      "bundle",
      "main",
      "--config",
      join(openapiDir, "redocly.yaml"),
      "--component-renaming-conflicts-severity",
      "error",
      "--output",
      file,
    ]);
    return withOwnSecurity(JSON.parse(readFileSync(file, "utf8")) as Contract);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy in which each operation states its security, so that a change of the inherited one is found, too. */
export function withOwnSecurity(contract: Contract): Contract {
  const copy = structuredClone(contract);
  for (const { operation } of operationsOf(copy)) {
    (operation as { security: RawOperation["security"] }).security ??= copy.security;
  }
  return copy;
}
