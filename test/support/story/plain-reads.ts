import type { Operation } from "../../../src/contract/operations.ts";
import type { Client } from "../client.ts";
import { parametersOf } from "../contract.ts";
import { pathWith } from "../example-requests.ts";
import { successExamples, type SuccessExample } from "../success-examples.ts";
import type { ExampleAnswers } from "./example-answers.ts";

/**
 * Requests that no part of the story sends, because the examples in the contract are enough for them. They are a PUT without a
 * body, a GET of resources that the story has created, and a GET of a whole list. They are sent at its end, so such an example
 * needs no line in the story.
 */
export async function plainReads(told: ExampleAnswers, reader: Client): Promise<ExampleAnswers> {
  const made = new Map<string, string>();
  for (const { key, value } of successExamples) pairIds(value, told[key]?.body, made);
  const answers: Record<string, ExampleAnswers[string]> = {};
  const untold = successExamples.filter((it) => told[it.key] === undefined && isPlain(it));
  for (const example of untold.toSorted((a, b) => turnOf(a) - turnOf(b))) {
    const path = pathOf(example, made);
    if (path !== null) answers[example.key] = await reader(example.operation.method.toUpperCase(), path);
  }
  return answers;
}

/** First the PUT that creates (201), because a list can show what it creates, then the one that finds it (200), then each GET. */
const turnOf = ({ operation, status }: SuccessExample) => (operation.method === "get" ? 0 : -status);

const isPlain = ({ operation: { method, body } }: SuccessExample) => method === "get" || (method === "put" && body === null);

/** The path of the request for an example, or null if the story has not created its resource. */
function pathOf({ operation, value }: SuccessExample, made: ReadonlyMap<string, string>): string | null {
  const ids = new Map(idsOf(operation).map(([name, id]) => [name, made.get(id) ?? ""]));
  if ([...ids.values()].includes("")) return null;
  const limit = value?.page?.limit;
  return `${pathWith(operation, ids)}${limit === undefined ? "" : `?limit=${limit}`}`;
}

/** The path parameters of an operation with their examples. */
const idsOf = (operation: Operation): [name: string, id: string][] =>
  parametersOf(operation)
    .filter((it) => it.in === "path")
    .map((it) => [it.name, String(it.example)]);

/** Whether an example needs no line in the story. */
export function isPlainRead(example: SuccessExample): boolean {
  const shown = JSON.stringify(successExamples.map((it) => it.value));
  return isPlain(example) && idsOf(example.operation).every(([, id]) => shown.includes(`"${id}"`));
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
