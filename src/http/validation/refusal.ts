import { inputErrorCodes } from "#generated/operations.ts";
import { resolve, type Contract } from "../../contract/bundle.ts";
import type { Operation } from "../../contract/operations.ts";
import { Failure, type InputError } from "../../failure.ts";
import { inputError } from "../input-failure.ts";
import { formatFlaw } from "./format-flaws.ts";
import { textFlaw } from "./text-flaws.ts";
import type { RequestParts } from "./library.ts";

/** An error of the validator. Without `errorCode`, the input was refused before ajv. */
type ValidatorError = {
  readonly status?: number;
  readonly errors?: readonly { readonly path: string; readonly errorCode?: string }[];
};
type Schema = {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};

const LOCATIONS: Readonly<Record<string, InputError["in"]>> = { body: "body", query: "query", params: "path", headers: "header" };
const SENTENCES_MAX = 3;

/** Converts an error of the validator into a failure. Returns null if the error is a defect of the service. */
export function refusalOf(error: unknown, contract: Contract, operation: Operation, parts: RequestParts): Failure | null {
  const { status, errors: found } = error as ValidatorError;
  // Errors of other libraries can also have a status, but must not be sent.
  if (status !== 400 || found === undefined) return null;
  const all = found.map(({ path, errorCode }) => {
    // The validator loses the path of a field with an empty name, which only a body can have.
    const [, part = "", pointer = ""] =
      path === "" && errorCode !== undefined ? ["", "body", "/"] : (/^\/(body|query|params|headers)(.*)$/.exec(path) ?? []);
    const location = LOCATIONS[part] ?? "query";
    const keyword =
      errorCode === undefined
        ? keywordOf(pointer.slice(1), operation)
        : // For a date-time, the validator has its own keyword instead of `type`. `x-text` makes a pattern stricter.
          errorCode.split(".")[0]!.replace("x-eov-type", "type").replace("x-text", "pattern");
    const schema = schemaAt(contract, operation, location, pointer);
    return inputError(
      location,
      pointer,
      inputErrorCodes.find((it) => it === keyword) ?? "form",
      (FLAWS[keyword] ?? otherFlaw)(schema?.[keyword], valueAt(parts[part as keyof RequestParts], pointer), schema),
    );
  });
  const errors = [...new Map(all.map((it) => [`${it.in}${it.pointer}${it.code}`, it])).values()];
  const key = errors.find((it) => it.in === "header" && it.pointer === "/idempotency-key" && it.code === "required");
  if (key)
    return new Failure("idempotency_key_required", "Send an Idempotency-Key header, so that a retry doesn't do this twice.", {
      errors: [key],
      cause: error,
    });
  const sentences = errors.slice(0, SENTENCES_MAX).map((it) => it.detail);
  const more = errors.length > SENTENCES_MAX ? " …" : "";
  return new Failure("validation_failed", `${sentences.join(" ")}${more}`, { errors, cause: error });
}

/** The keyword of an error without `errorCode`: the validator refuses unknown and empty parameters itself. */
const keywordOf = (name: string, { queryParameters }: Operation) =>
  queryParameters.includes(name) ? "minLength" : "additionalProperties";

/** The value at a JSON Pointer without escapes; undefined if there is none. */
const valueAt = (part: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step], part);

/** The schema of an input, or undefined if the contract has none. */
export function schemaAt(
  contract: Contract,
  operation: Operation,
  location: InputError["in"],
  pointer: string,
): Schema | undefined {
  const item = contract.paths[operation.path]!;
  const { parameters = [], requestBody } = item[operation.method] as {
    readonly parameters?: readonly Schema[];
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  };
  // There can be a default or a description beside a `$ref`.
  const whole = (schema: Schema | undefined): Schema | undefined => schema && { ...resolve<Schema>(contract, schema), ...schema };
  const [first, ...rest] = pointer.split("/").slice(1);
  const steps = location === "body" && first !== undefined ? [first, ...rest] : rest;
  const start =
    location === "body"
      ? requestBody?.content[operation.body ?? ""]?.schema
      : [...((item["parameters"] ?? []) as readonly Schema[]), ...parameters]
          .map((it) => resolve<{ readonly name: string; readonly in: string; readonly schema: Schema }>(contract, it))
          .find((it) => it.in === location && (location === "header" ? it.name.toLowerCase() : it.name) === first)?.schema;
  return steps.reduce((schema, step) => whole(schema?.properties?.[step] ?? schema?.items), whole(start));
}

const otherFlaw = () => "does not match the contract";

const patternFlaw = (text: unknown, kind: unknown): string =>
  (typeof text === "string" && (kind === "line" || kind === "text") ? textFlaw(kind, text) : null) ??
  "does not have the required format";

/** By keyword of JSON Schema: the end of the error message, from the value of the keyword in the contract. */
const FLAWS: Readonly<Record<string, (value: unknown, text: unknown, schema: Schema | undefined) => string>> = {
  required: () => "is required",
  additionalProperties: () => "is unknown",
  type: (types) => `must be ${[types].flat().join(" or ")}`,
  minLength: (length = 1) => (length === 1 ? "must not be empty" : `must have at least ${String(length)} characters`),
  maxLength: (length) => `must have at most ${String(length)} characters`,
  minItems: (count) => `must have at least ${String(count)} items`,
  maxItems: (count) => `must have at most ${String(count)} items`,
  uniqueItems: () => "must not have equal items",
  minimum: (least) => `must be at least ${String(least)}`,
  maximum: (most) => `must be at most ${String(most)}`,
  minProperties: (count) => `must have at least ${String(count)} field${count === 1 ? "" : "s"}`,
  enum: (values) => `must be one of ${[values].flat().join(", ")}`,
  pattern: (_pattern, text, schema) => patternFlaw(text, schema?.["x-text"]),
  format: (name, text) => formatFlaw(String(name), text),
};
