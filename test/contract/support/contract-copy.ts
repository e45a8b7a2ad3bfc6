import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { bundleContract } from "../../../scripts/contract/bundle.ts";
import type { Contract } from "../../../scripts/contract/document.ts";
import { temporaryFolder } from "../../support/media.ts";
import { applyEdit, listOf, type Edits, type Node } from "./edits.ts";

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

/** Applies edits to files of a copy of openapi/. A file that doesn't exist is created. */
export function editFiles(openapi: string, edits: Edits): void {
  for (const [edit, value] of listOf(edits)) {
    const [change, name = "", ...place] = edit.split(" ");
    const file = join(openapi, name);
    const content = existsSync(file) ? (parse(readFileSync(file, "utf8")) as Node) : {};
    applyEdit(content, [change, ...place].join(" "), value);
    // JSON is also YAML.
    writeFileSync(file, JSON.stringify(content));
  }
}

/** The bundle of the contract with some edits. */
export async function bundleWith(edits: Edits): Promise<Contract> {
  await using folder = await temporaryFolder();
  const openapi = join(folder.path, "openapi");
  copyContract(openapi);
  copyRules(openapi, folder.path);
  editFiles(openapi, edits);
  return await bundleContract(openapi);
}

type Parameter = { readonly $ref?: string };
type Operation = { readonly parameters?: readonly Parameter[]; responses: object };
/** A module of openapi/rules/, which has no types. */
type Implied = { impliedBy(it: { operation: Operation; parameters: readonly Parameter[] }): object };

/**
 * Declares the responses that follow from an operation in its file, and disables the step that adds them, so that an edit can take one
 * away.
 */
export async function declareImplied(openapi: string, rules: string): Promise<void> {
  const { impliedBy } = (await import(join(ROOT, "openapi/rules/implied-responses.js"))) as Implied;
  const read = (file: string) => parse(readFileSync(file, "utf8")) as never;
  const { paths } = read(join(openapi, "openapi.yaml")) as { paths: Record<string, { $ref: string }> };
  for (const { $ref } of Object.values(paths)) {
    const file = join(openapi, $ref);
    const item = read(file) as Record<string, Operation>;
    for (const operation of Object.values(item)) {
      const parameters = (operation.parameters ?? []).map((it) => {
        const [path = "", name = ""] = it.$ref!.split("#/");
        return (read(join(dirname(file), path)) as Record<string, Parameter>)[name]!;
      });
      operation.responses = { ...impliedBy({ operation, parameters }), ...operation.responses };
    }
    writeFileSync(file, JSON.stringify(item));
  }
  const config = join(rules, "redocly.yaml");
  writeFileSync(config, JSON.stringify({ ...(read(config) as object), preprocessors: {} }));
}
