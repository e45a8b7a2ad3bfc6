import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import type { Contract } from "../../../scripts/contract/document.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A released contract as one bundle. It never changes, so a new operation or version doesn't affect the tests that change it. */
export const released = JSON.parse(readFileSync(join(ROOT, "openapi/released/1.0.0.json"), "utf8")) as Contract;

/** Files of openapi/ that are not the contract: its history, and what the tools read beside it. */
const OTHERS = ["released", "rules", "redocly.yaml", "diff.redocly.yaml", "CHANGELOG.md", "compat-exceptions.yaml"];

/** Copies the contract of this project, without its history and its rules, into a folder. */
export function copyContract(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(join(ROOT, "openapi"), folder, { recursive: true, filter: (it) => !OTHERS.includes(basename(it)) });
}

/** Copies the rules that check the contract into a folder. `root`, a parent folder, gets a link to the modules. */
export function copyRules(folder: string, root: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"), "junction");
  for (const it of ["rules", "redocly.yaml", "diff.redocly.yaml"])
    cpSync(join(ROOT, "openapi", it), join(folder, it), { recursive: true });
}
