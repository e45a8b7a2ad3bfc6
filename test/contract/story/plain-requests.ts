import type { Client } from "../../support/client.ts";
import { parametersOf } from "../../support/contract.ts";
import { ask, bodyExamples, exampleRequest, foreignIds } from "../../support/example-requests.ts";
import { successExamples, type SuccessExample } from "../../support/success-examples.ts";
import type { ExampleAnswers } from "./example-answers.ts";

/**
 * The requests that no part of the story sends, although the examples in the contract are enough for them: a POST or a PATCH whose body
 * is an example with the name of the response, a PUT without a body, or a GET. The examples of the ids must be of resources that the
 * story has created. They are sent at its end, so such an example needs no line in the story.
 */
export async function plainRequests(produced: ExampleAnswers, client: Client): Promise<ExampleAnswers> {
  const made = new Map<string, string>();
  for (const { key, value } of successExamples) pairIds(value, produced[key]?.body, made);
  const answers: Record<string, ExampleAnswers[string]> = {};
  const missing = successExamples.filter((it) => produced[it.key] === undefined && isPlain(it));
  for (const example of missing.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { operation, key, value } = example;
    const ids = new Map(idsOf(example).map(([name, id]) => [name, made.get(id) ?? ""]));
    if ([...ids.values()].includes("")) continue;
    const request = exampleRequest(operation, ids, undefined, nameOf(example));
    const limit = value?.page?.limit;
    const answer = await ask(client, limit === undefined ? request : { ...request, path: `${request.path}?limit=${limit}` });
    answers[key] = answer;
    pairIds(value, answer.body, made);
  }
  return answers;
}

/** First each POST and the PUT that creates (201), because a list can show what they create, the PUT that finds it (200), each GET and PATCH. */
const rankOf = ({ operation: { method }, status }: SuccessExample) => {
  if (method === "patch") return 1;
  return method === "get" ? 0 : -status;
};

/** The name of the response example, and of the request example that leads to it. */
const nameOf = ({ key }: SuccessExample) => key.split(" ")[1]!;

const isPlain = (example: SuccessExample) => {
  const { method, body } = example.operation;
  if (method === "post" || method === "patch") return nameOf(example) in bodyExamples(example.operation);
  return method === "get" || (method === "put" && body === null);
};

/** The ids that the request for an example needs, as they are in the examples: those of the path and of other resources in the body. */
function idsOf(example: SuccessExample): [name: string, id: string][] {
  const { operation } = example;
  const body = bodyExamples(operation)[nameOf(example)]?.value as Readonly<Record<string, string>> | undefined;
  const inPath = parametersOf(operation).filter((it) => it.in === "path");
  return [
    ...inPath.map((it): [string, string] => [it.name, String(it.example)]),
    ...foreignIds(operation).flatMap((name): [string, string][] => (body?.[name] === undefined ? [] : [[name, body[name]]])),
  ];
}

/** Whether an example needs no line in the story. */
export function isPlainRequest(example: SuccessExample): boolean {
  const shown = JSON.stringify(successExamples.map((it) => it.value));
  return isPlain(example) && idsOf(example).every(([, id]) => shown.includes(`"${id}"`));
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
