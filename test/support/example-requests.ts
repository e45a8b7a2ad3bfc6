import { randomUUID, randomUUIDv7 } from "node:crypto";
import type { Operation } from "../../src/contract/operations.ts";
import { resolve } from "../../src/contract/bundle.ts";
import { isUuid } from "../../src/util/uuid.ts";
import type { Answer, Client } from "./client.ts";
import { contract, parametersOf, rawOperation } from "./contract.ts";
import { BYTES, namesIn, unknownName, type Ids } from "./resources.ts";

type Json = { readonly [key: string]: unknown };
export type ExampleRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** Values that examples can't have: ids of existing resources, timestamps in the future, and unused keys. */
export type Known = { readonly userId: string; readonly seen: string };
const NOBODY: Known = {
  userId: "019cad9d-67a0-7f04-a2cb-593947eaa099",
  seen: "AVxi31Tnd6mL0qVYnUoOZy9D2LfwFzTQvSx1KtRzT7bPqkqvZk4nLlN4",
};

const STAND_INS: Readonly<Record<string, (known: Known) => unknown>> = {
  member_ids: ({ userId }) => [userId],
  seen: ({ seen }) => seen,
  // Marking the notifications of a conversation that doesn't exist has no effect.
  conversation_id: () => randomUUIDv7(),
  id: () => `code-${randomUUID()}`,
  expires_at: () => new Date(Date.now() + 365 * 86_400_000).toISOString(),
};
const HEADER_STAND_INS: Readonly<Record<string, () => string>> = {
  "Idempotency-Key": randomUUID,
  "Upload-Offset": () => String(BYTES.length),
};

/** The names of the request examples of an operation. If the body is bytes or there is none, the list is `[null]`. */
export function exampleNames(operation: Operation): readonly (string | null)[] {
  const names = Object.keys(bodyExamples(operation));
  return names.length === 0 ? [null] : names;
}

/**
 * A request from the examples in the contract: the required parameters, and a body. Values that must refer to existing
 * resources are replaced. If a value has no replacement, the error says where to add one.
 */
export function exampleRequest(
  operation: Operation,
  ids: Ids,
  known: Known = NOBODY,
  example = exampleNames(operation)[0] ?? null,
): ExampleRequest {
  const required = parametersOf(operation).filter((it) => it.required === true && it.in !== "path");
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const parameter of required) {
    const value = String(ids.get(parameter.name) ?? HEADER_STAND_INS[parameter.name]?.() ?? exampleOf(operation, parameter));
    if (parameter.in === "query") query.set(parameter.name, value);
    else headers[parameter.name] = value;
  }
  const search = query.toString();
  const path = `${pathWith(operation, ids)}${search === "" ? "" : `?${search}`}`;
  if (operation.body === null) return { method: operation.method.toUpperCase(), path, headers, body: undefined };
  headers["Content-Type"] = operation.body;
  const body =
    operation.body === "application/json"
      ? replaced(operation, bodyExamples(operation)[example ?? ""]!.value as Json, known)
      : BYTES;
  return { method: operation.method.toUpperCase(), path, headers, body };
}

/** The path of an operation with these ids. A missing id is taken from the examples in the contract. */
export function pathWith(operation: Operation, ids: Ids): string {
  const examples = new Map(
    parametersOf(operation)
      .filter((it) => it.in === "path")
      .map((it) => [it.name, String(it.example)]),
  );
  return namesIn(operation.path).reduce(
    (path, name) => path.replace(`{${name}}`, ids.get(name) ?? examples.get(name)!),
    operation.path,
  );
}

export const ask = (
  client: Client,
  { method, path, headers, body }: ExampleRequest,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> => client(method, path, body, { headers: { ...headers, ...more } });

export function bodyExamples(operation: Operation): Readonly<Record<string, { readonly value: unknown }>> {
  const { requestBody } = rawOperation(operation);
  if (requestBody === undefined) return {};
  const { content } = resolve<{
    content: Readonly<Record<string, { examples?: Readonly<Record<string, { readonly value: unknown }>> }>>;
  }>(contract, requestBody);
  return content[operation.body!]?.examples ?? {};
}

function exampleOf(
  operation: Operation,
  parameter: { readonly name: string; readonly in: string; readonly example?: unknown },
): unknown {
  if (parameter.example === undefined)
    throw new Error(
      `${operation.id} requires the ${parameter.in} parameter ${parameter.name}, for which the contract has no example.`,
    );
  return parameter.example;
}

function replaced(operation: Operation, body: Json, known: Known): Json {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const standIn = STAND_INS[name];
      if (standIn !== undefined) return [name, standIn(known)];
      if (isUuid(String(value)) || (Array.isArray(value) && value.some((it) => isUuid(String(it)))))
        throw unknownName("body field", name, operation);
      return [name, value];
    }),
  );
}
