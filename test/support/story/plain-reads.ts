import type { Operation } from "../../../src/contract/operations.ts";
import type { Client } from "../client.ts";
import { parametersOf } from "../contract.ts";
import { pathWith } from "../example-requests.ts";
import { successExamples, type SuccessExample } from "../success-examples.ts";
import type { ExampleAnswers } from "./example-answers.ts";

/**
 * The GET requests that no part of the story sends. According to the examples in the contract, their paths name resources
 * that the story has created, so they can be sent at the end. A new example of a GET in this state needs no line in the
 * story.
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

/** The path of the GET for an example, or null if the operation is not a GET or the story has not created its resource. */
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

/** Whether an example needs no line in the story. */
export function isPlainRead({ operation }: SuccessExample): boolean {
  const shown = JSON.stringify(successExamples.map((it) => it.value));
  const ids = idsOf(operation);
  return operation.method === "get" && ids.length > 0 && ids.every(([, id]) => shown.includes(`"${id}"`));
}

/** Pairs the ids of the examples with those of the story. */
function pairIds(example: unknown, real: unknown, into: Map<string, string>): void {
  if (typeof example !== "object" || example === null || typeof real !== "object" || real === null) return;
  for (const [key, value] of Object.entries(example)) {
    const other = (real as Readonly<Record<string, unknown>>)[key];
    if (typeof value === "string" && typeof other === "string" && /(^|_)id$/.test(key)) into.set(value, other);
    else pairIds(value, other, into);
  }
}
