import type { Operation } from "../../../src/contract/operations.ts";
import type { Client } from "../client.ts";
import { parametersOf } from "../contract.ts";
import { pathWith } from "../example-requests.ts";
import { successExamples, type SuccessExample } from "../success-examples.ts";
import type { ExampleAnswers } from "./example-answers.ts";

/**
 * The reads that no chapter has told. Their paths name, by the contract's examples, things that the story has made, so
 * they can be asked at its end: a new example of a GET needs no line in a chapter when it shows that state.
 */
export async function plainReads(told: ExampleAnswers, reader: Client): Promise<ExampleAnswers> {
  const made = new Map<string, string>();
  for (const { key, value } of successExamples) pairIds(value, told[key]?.body, made);
  const answers: Record<string, ExampleAnswers[string]> = {};
  for (const example of successExamples) {
    const path = told[example.key] === undefined ? pathOf(example, made) : null;
    if (path !== null) answers[example.key] = await reader("GET", path);
  }
  return answers;
}

/** Where the read of an example goes, or null when it is no read or when the story has not made what it names. */
function pathOf({ operation, value }: SuccessExample, made: ReadonlyMap<string, string>): string | null {
  const ids = new Map(idsOf(operation).map(([name, id]) => [name, made.get(id) ?? ""]));
  if (operation.method !== "get" || ids.size === 0 || [...ids.values()].includes("")) return null;
  const limit = value?.page?.limit;
  return `${pathWith(operation, ids)}${limit === undefined ? "" : `?limit=${limit}`}`;
}

/** The path parameters of an operation with their examples. */
const idsOf = (operation: Operation): [name: string, id: string][] =>
  parametersOf(operation)
    .filter((it) => it.in === "path")
    .map((it) => [it.name, String(it.example)]);

/** Whether an example will be asked for without a line in a chapter. */
export function isPlainRead({ operation }: SuccessExample): boolean {
  const shown = JSON.stringify(successExamples.map((it) => it.value));
  const ids = idsOf(operation);
  return operation.method === "get" && ids.length > 0 && ids.every(([, id]) => shown.includes(`"${id}"`));
}

/** Which of the story's ids stands for which of the examples'. */
function pairIds(example: unknown, real: unknown, into: Map<string, string>): void {
  if (typeof example !== "object" || example === null || typeof real !== "object" || real === null) return;
  for (const [key, value] of Object.entries(example)) {
    const other = (real as Readonly<Record<string, unknown>>)[key];
    if (typeof value === "string" && typeof other === "string" && /(^|_)id$/.test(key)) into.set(value, other);
    else pairIds(value, other, into);
  }
}
