import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../src/util/command.ts";
import { generateInto } from "./generate/artifacts.ts";
import { compareFolders } from "./generate/compare-folders.ts";
import { withOtherVersion, writeVersion } from "./generate/version.ts";
import { schemaDrift } from "./schema-drift.ts";
import { withScratchSchema } from "./scratch-schema.ts";

const GENERATED = join(import.meta.dirname, "../generated");

/** Writes changed files, and removes files that are no longer generated. */
function update(fresh: string): void {
  const differences = compareFolders(fresh, GENERATED);
  for (const { path, kind } of differences) {
    if (kind === "extra") rmSync(join(GENERATED, path));
    else cpSync(join(fresh, path), join(GENERATED, path));
  }
  console.log(
    differences.length === 0
      ? "generated/ was up to date."
      : `Updated in generated/: ${differences.map((it) => it.path).join(", ")}`,
  );
}

/** The files that `npm run generate` would change, and the drift between migrations and schema. */
function complaints(fresh: string, drift: string): string[] {
  const found = compareFolders(fresh, GENERATED).map(({ path, kind }) => `generated/${path} is ${kind}: run npm run generate`);
  found.push(...withOtherVersion().map(({ file }) => `${file} has another version than the contract: run npm run generate`));
  if (drift !== "")
    found.push(
      `prisma/migrations don't lead to prisma/schema.prisma: run npm run -s plumbline -- database create-migration <name>\n${drift}`,
    );
  return found;
}

const USAGE = `Generates generated/ from the contract, the database schema, and the .sql files, and the version in package.json and other files.

Usage:
  npm run generate               write the files that have changed
  npm run generate -- --check    only compare; the exit code is 1 if anything differs, or if the migrations don't lead to
                                 prisma/schema.prisma`;

await runCommand({ usage: USAGE, options: { check: { type: "boolean", default: false } } }, async ({ values: { check } }) => {
  const temporary = mkdtempSync(join(tmpdir(), "plumbline-generate-"));
  try {
    const drift = await withScratchSchema(async (databaseUrl) => {
      await generateInto(temporary, databaseUrl);
      return check ? schemaDrift(databaseUrl) : "";
    });
    const fresh = join(temporary, "generated");
    if (!check) {
      writeVersion();
      return update(fresh);
    }
    const found = complaints(fresh, drift);
    for (const complaint of found) console.error(complaint);
    if (found.length > 0) return 1;
    console.log("generated/ and the migrations are up to date.");
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});
