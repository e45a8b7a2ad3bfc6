import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ContractError } from "./contract-error.ts";
import { isImpact, type Impact } from "./versions.ts";

/** Overrides the impact of a change, with a reason: openapi/compat-exceptions.yaml. */
export type Exception = { readonly change: string; readonly impact: Impact; readonly because: string };

const REASON_MIN = 10;

/** The file of exceptions. Usually it doesn't exist. */
export const exceptionsFile = (openapiDir: string): string => join(openapiDir, "compat-exceptions.yaml");

/** The exceptions of a contract. A mistake in the file is an error, because ignoring it could disable the gate. */
export function readExceptions(openapiDir: string): readonly Exception[] {
  const file = exceptionsFile(openapiDir);
  if (!existsSync(file)) return [];
  const entries = parsed(readFileSync(file, "utf8")) ?? [];
  if (!Array.isArray(entries)) throw new ContractError("compat-exceptions.yaml: it must be a list.");
  const flaws = entries.flatMap((it, index) => flawsOf(it).map((flaw) => `compat-exceptions.yaml: entry ${index + 1} ${flaw}`));
  if (flaws.length > 0) throw new ContractError(flaws.join("\n"));
  return entries as Exception[];
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ContractError(`compat-exceptions.yaml cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function flawsOf(entry: unknown): string[] {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return ["needs change, impact and because."];
  const { change, impact, because, ...others } = entry as Readonly<Record<string, unknown>>;
  return [
    ...(typeof change === "string" && change !== "" ? [] : ["needs change, the line that contract compare prints."]),
    ...(isImpact(impact)
      ? []
      : [`needs impact, which must be major, minor or patch, not ${JSON.stringify(impact) ?? "nothing"}.`]),
    ...(typeof because === "string" && because.trim().length >= REASON_MIN
      ? []
      : [`needs because, a reason of at least ${REASON_MIN} characters.`]),
    ...Object.keys(others).map((it) => `must not have ${it}.`),
  ];
}
