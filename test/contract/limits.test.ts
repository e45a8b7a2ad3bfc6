import { describe, expect, it } from "@jest/globals";
import { resolve } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";
import type { Answer } from "../support/client.ts";
import { contract, flawsOfRequest, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { inTurn } from "../support/size.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";
import { isStorable, numbersFor, schemaAt, textsFor, valuesFor, type Schema } from "./support/values.ts";

/** A valid request reaches the handler, which fails. So every 400 is a refusal by the contract. */
const stubbed = prepare(() => startWithHandlers(() => Promise.reject(new Error("The request is valid."))));

/** Whether the contract allows a text as a parameter: numbers are plain digits. */
function fits(schema: Schema, text: string): boolean {
  if (schema.type !== "integer") return flawsOfRequest(schema, text) === null;
  return /^(0|[1-9]\d*)$/.test(text) && flawsOfRequest(schema, Number(text)) === null;
}

/** What a value gets: 500 from the handler, or a 400 that names its place. */
const REFUSED = "400 validation_failed, here";
function heard({ status, body }: Answer, location: string, name: string): string {
  if (status === 500) return "500";
  const isHere = body?.errors?.some(
    (it: { in: string; pointer: string }) => it.in === location && it.pointer.startsWith(`/${name}`),
  );
  return `${status} ${body?.code}${isHere ? ", here" : ""}`;
}

/** Of a schema that is in several places, all values are tried in the first of them, and some in each other one. */
const places = new Map<string, number>();
function some<T>(values: readonly T[], schema: Schema): readonly T[] {
  const key = JSON.stringify(schema);
  const place = places.get(key) ?? 0;
  places.set(key, place + 1);
  return place === 0 ? values : inTurn(values, place);
}

const requestOf = (operation: Operation) => exampleRequest(operation, missingIds(operation));

describe("the limits in the contract, and the characters and numbers that can be stored,", () => {
  const parameters = operations.flatMap((operation) =>
    parametersOf(operation).map((it) => {
      const schema = schemaAt(it.schema);
      const texts = some(schema.type === "integer" ? numbersFor(schema) : textsFor(schema), schema);
      return { operation, id: operation.id, in: it.in, name: it.name, schema, texts };
    }),
  );

  it.each(parameters)(
    "are those of the service, for the parameter $name of $id",
    async ({ operation, in: location, name, schema, texts }) => {
      const request = requestOf(operation);
      // The example of an operation has its required parameters.
      const [pathname = "", search] = request.path.split("?");
      const [expected, got]: unknown[][] = [[], []];
      for (const text of texts) {
        // A URL can't carry every text, nor can a header, which loses the spaces around it.
        if (
          !text.isWellFormed() ||
          encodeURIComponent(text).length > 8_000 ||
          (location === "path" && ["", "a\x7fb"].includes(text))
        )
          continue;
        if (location === "header" && (!/^[!-~]+( [!-~]+)*$/.test(text) || text.length > 5_000)) continue;
        const query = new URLSearchParams(search);
        if (location === "query") query.set(name, text);
        const path =
          location === "path"
            ? exampleRequest(operation, new Map([...missingIds(operation), [name, encodeURIComponent(text)]])).path
            : `${pathname}${query.size > 0 ? `?${query.toString()}` : ""}`;
        const answer = await ask(stubbed.caller, { ...request, path }, location === "header" ? { [name]: text } : {});
        expected!.push([text, isStorable(text) && fits(schema, text) ? "500" : REFUSED]);
        got!.push([text, heard(answer, location, location === "header" ? name.toLowerCase() : name)]);
      }
      expect(got).toEqual(expected);
    },
  );

  const fields = operations
    .filter((it) => it.body === "application/json")
    .flatMap((operation) => {
      const body = resolve<{ content: Record<string, { schema: Schema }> }>(contract, rawOperation(operation).requestBody!);
      const { schema } = body.content["application/json"]!;
      const properties = Object.entries((schemaAt(schema)["properties"] ?? {}) as Record<string, Schema>);
      return properties.map(([name, field]) => ({
        operation,
        id: operation.id,
        name,
        schema,
        values: some(valuesFor(field), field),
      }));
    });

  const NULL = sentence("In a request, leave a field out instead: `null` returns 400.");
  it.each(fields)(
    `are those of the service, for the field $name of $id. ${NULL}`,
    async ({ operation, name, schema, values }) => {
      const request = requestOf(operation);
      const [expected, got]: unknown[][] = [[], []];
      for (const value of values) {
        const body = { ...(request.body as object), [name]: value };
        expected!.push([value, isStorable(value) && flawsOfRequest(schema, body) === null ? "500" : REFUSED]);
        got!.push([value, heard(await ask(stubbed.caller, { ...request, body }), "body", name)]);
      }
      expect(got).toEqual(expected);
    },
  );
});
