import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { resolve } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { contract, flawsOfRequest, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

type Schema = { readonly [key: string]: unknown; readonly type?: unknown; readonly items?: Schema };
const schemaAt = (schema: Schema): Schema => ({ ...schema, ...resolve<Schema>(contract, schema) });

/** A valid request reaches the handler, which fails. So every 400 is a refusal by the contract. */
const stubbed = prepare(() => startWithHandlers(() => Promise.reject(new Error("The request is valid."))));

const ID = "01a1e35e-f078-759b-82a0-5d32985fb4e7";
const TEXTS = [
  "a",
  "abcd",
  "-abc",
  "_abc",
  "ab cd",
  "ab.cd",
  "ab%20",
  "a\\b",
  "abcd\n",
  "a/bc",
  "a\nb",
  "a\tb",
  "a\x7fb",
  "   ",
  "",
  "🔗🔗🔗🔗",
  '"abcdefgh',
  "key,key-1",
];
const IDS = [ID, ID.toUpperCase(), `urn:uuid:${ID}`, ID.slice(1), `${ID}0`, `{${ID}}`];

/** Texts at both sides of each limit of a schema, and of the usual forms. */
function textsFor(schema: Schema): readonly string[] {
  const { minLength, maxLength, enum: values = [] } = schema as { minLength?: number; maxLength?: number; enum?: string[] };
  const lengths = [minLength, maxLength].flatMap((it) => (it === undefined ? [] : [it - 1, it, it + 1]));
  // The last form is a target URL.
  const ofLength = lengths.flatMap((it) => ["x".repeat(Math.max(0, it)), "https://example.com/".padEnd(it, "x")]);
  return [...new Set([...TEXTS, ...IDS, ...values, ...ofLength])];
}

/** Values in JSON: texts, other types, and lists at both sides of their limits. */
function valuesFor(reference: Schema): readonly unknown[] {
  const schema = schemaAt(reference);
  const others = [null, true, 7, {}, [], ["x"]];
  if (schema.type !== "array") return [...textsFor(schema), ...others];
  const { minItems = 0, maxItems = 0 } = schema as { minItems?: number; maxItems?: number };
  const lists = [minItems, maxItems, maxItems + 1].map((length) => Array.from({ length }, () => randomUUIDv7()));
  return [...others, ...lists, [ID, ID], ID, ...valuesFor(schema.items!).map((it) => [it])];
}

const INTEGERS = ["0", "1", "5", "-1", "1.5", "1e1", "+5", "05", "0x5", " 5", "abc", "", "9e999", "9007199254740993"];
function numbersFor(schema: Schema): readonly string[] {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  return [...INTEGERS, ...[minimum, maximum].flatMap((it) => (it === undefined ? [] : [it - 1, it, it + 1].map(String)))];
}

/** Whether the contract allows a text as a parameter: numbers are plain digits. */
function fits(schema: Schema, text: string): boolean {
  if (schema.type !== "integer") return flawsOfRequest(schema, text) === null;
  return /^(0|[1-9]\d*)$/.test(text) && flawsOfRequest(schema, Number(text)) === null;
}

const requestOf = (operation: Operation) => exampleRequest(operation, missingIds(operation));
type Verdict = { readonly sent: unknown; readonly answer: string };
const verdict = (sent: unknown, isValid: boolean): Verdict => ({ sent, answer: isValid ? "500" : "400 validation_failed" });
const heard = (sent: unknown, { status, body }: { status: number; body: { code: string } | undefined }): Verdict => ({
  sent,
  answer: status === 500 ? "500" : `${status} ${body?.code}`,
});

describe("the limits in the contract", () => {
  const parameters = operations.flatMap((operation) =>
    parametersOf(operation).map((it) => ({ operation, id: operation.id, in: it.in, name: it.name, schema: schemaAt(it.schema) })),
  );

  it.each(parameters)(
    "are those of the service, for the parameter $name of $id",
    async ({ operation, in: location, name, schema }) => {
      const request = requestOf(operation);
      // The example of an operation has its required parameters.
      const [pathname = "", search] = request.path.split("?");
      const [expected, got]: [Verdict[], Verdict[]] = [[], []];
      for (const text of schema.type === "integer" ? numbersFor(schema) : textsFor(schema)) {
        // A path and a header can't carry every text, and a header loses the spaces around it.
        if (location === "path" && ["", "a\x7fb"].includes(text)) continue;
        if (location === "header" && (!/^[!-~]+( [!-~]+)*$/.test(text) || text.length > 5_000)) continue;
        const query = new URLSearchParams(search);
        if (location === "query") query.set(name, text);
        const path =
          location === "path"
            ? exampleRequest(operation, new Map([...missingIds(operation), [name, encodeURIComponent(text)]])).path
            : `${pathname}${query.size > 0 ? `?${query.toString()}` : ""}`;
        expected.push(verdict(text, fits(schema, text)));
        got.push(heard(text, await ask(stubbed.caller, { ...request, path }, location === "header" ? { [name]: text } : {})));
      }
      expect(got).toEqual(expected);
    },
  );

  const fields = operations
    .filter((it) => it.body === "application/json")
    .flatMap((operation) => {
      const { content } = resolve<{ content: Record<string, { schema: Schema }> }>(
        contract,
        rawOperation(operation).requestBody!,
      );
      const { schema } = content["application/json"]!;
      return Object.entries((schemaAt(schema)["properties"] ?? {}) as Record<string, Schema>).map(([name, field]) => ({
        operation,
        id: operation.id,
        name,
        schema,
        field,
      }));
    });

  it.each(fields)("are those of the service, for the field $name of $id", async ({ operation, name, schema, field }) => {
    const request = requestOf(operation);
    const [expected, got]: [Verdict[], Verdict[]] = [[], []];
    for (const value of valuesFor(field)) {
      const body = { ...(request.body as object), [name]: value };
      expected.push(verdict(value, flawsOfRequest(schema, body) === null));
      got.push(heard(value, await ask(stubbed.caller, { ...request, body })));
    }
    expect(got).toEqual(expected);
  });
});
