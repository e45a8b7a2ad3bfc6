import { randomUUID, randomUUIDv7 } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Operation } from "../../src/contract/operations.ts";
import { resolve } from "../../src/contract/bundle.ts";
import { isUuid } from "../../src/util/uuid.ts";
import type { Answer, Client } from "./client.ts";
import { contract, flawsOfRequest, parametersOf, rawOperation } from "./contract.ts";
import { BYTES, namesIn, unknownName, type Ids } from "./resources.ts";

type Json = { readonly [key: string]: unknown };
export type ExampleRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** Values that examples can't have: ids of existing resources, and unused keys. */
export type Known = { readonly userId: string; readonly seen: string };
const PLACEHOLDERS: Known = {
  userId: "019cad9d-67a0-7f04-a2cb-593947eaa099",
  seen: "AVxi31Tnd6mL0qVYnUoOZy9D2LfwFzTQvSx1KtRzT7bPqkqvZk4nLlN4",
};

const STAND_INS: Readonly<Record<string, (known: Known) => unknown>> = {
  member_ids: ({ userId }) => [userId],
  seen: ({ seen }) => seen,
  id: () => `code-${randomUUID()}`,
};
const DAY_MS = 86_400_000;

/** The moment of an example, or if that is over, the same one a year later, or later still: it can have to be in the future. */
function inFuture(moment: string): string {
  const at = new Date(moment);
  while (Number(at) < Date.now() + DAY_MS) at.setUTCFullYear(at.getUTCFullYear() + 1);
  return at.toISOString();
}
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
  known: Known = PLACEHOLDERS,
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
      ? replaced(operation, bodyExamples(operation)[example ?? ""]!.value as Json, ids, known)
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

type Media = { readonly schema: Json; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };

/** What an operation declares about its body, or null if it has none. */
function bodyOf(operation: Operation): Media | null {
  const { requestBody } = rawOperation(operation);
  if (requestBody === undefined) return null;
  return resolve<{ content: Readonly<Record<string, Media>> }>(contract, requestBody).content[operation.body!] ?? null;
}

export const bodyExamples = (operation: Operation): NonNullable<Media["examples"]> => bodyOf(operation)?.examples ?? {};

/** The format of each field of a body that has one. */
function formatsOf(operation: Operation): ReadonlyMap<string, unknown> {
  const { properties = {} } = resolve<{ properties?: Readonly<Record<string, Json>> }>(contract, bodyOf(operation)?.schema ?? {});
  return new Map(Object.entries(properties).map(([name, it]) => [name, resolve<Json>(contract, it)["format"]]));
}

/** The fields of a body with the id of another resource, such as `conversation_id`. */
export const foreignIds = (operation: Operation): string[] =>
  [...formatsOf(operation)].filter(([, format]) => format === "uuid").map(([name]) => name);

/** A body that differs in one field and is as valid: a text is longer, or a moment later. Null if no body has a field. */
export function otherBody(operation: Operation, body: unknown): unknown {
  if (body instanceof Uint8Array) return body.subarray(1);
  if (formatsOf(operation).size === 0) return null;
  for (const [name, value] of Object.entries(body as Json)) {
    if (typeof value !== "string") continue;
    const isMoment = formatsOf(operation).get(name) === "date-time";
    const other = { ...(body as Json), [name]: isMoment ? new Date(Date.parse(value) + 1_000).toISOString() : `${value}x` };
    if (flawsOfRequest(bodyOf(operation)!.schema, other) === null) return other;
  }
  const another = Object.values(bodyExamples(operation)).find(({ value }) => !isDeepStrictEqual(value, body));
  if (another !== undefined) return another.value;
  throw new Error(`The example of ${operation.id} has no text that can be another one, and there is no other example.`);
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

function replaced(operation: Operation, body: Json, ids: Ids, known: Known): Json {
  const formats = formatsOf(operation);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const standIn = STAND_INS[name];
      if (standIn !== undefined) return [name, standIn(known)];
      if (formats.get(name) === "date-time") return [name, inFuture(String(value))];
      if (formats.get(name) === "uuid") return [name, ids.get(name) ?? randomUUIDv7()];
      if (Array.isArray(value) && value.some((it) => isUuid(String(it)))) throw unknownName("body field", name, operation);
      return [name, value];
    }),
  );
}
