import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { formats } from "../../src/http/validation/formats.ts";
import { readContract, resolve, sealed } from "../../src/contract/bundle.ts";
import { everyOperation, type Operation } from "../../src/contract/operations.ts";
import { isUuid } from "../../src/util/uuid.ts";
import { reasonNotToSee } from "./unseen-codes.ts";

/** The bundled contract, read as the service reads it. */
export const contract = readContract();
export const operations: readonly Operation[] = everyOperation;

type Json = { readonly [key: string]: unknown };
export type DeclaredHeader = { readonly required: boolean; readonly schema: Json };
export type DeclaredResponse = {
  readonly headers: ReadonlyMap<string, DeclaredHeader>;
  readonly content: Readonly<
    Record<string, { readonly schema: Json; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
  >;
  readonly problemCodes: readonly string[] | null;
};
export type RawOperation = Json & {
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  readonly "x-access": Readonly<Record<string, string>>;
};

/** The operation in the contract. */
export function rawOperation(operation: Operation): RawOperation {
  return contract.paths[operation.path]![operation.method] as RawOperation;
}

/** Path and query parameters, including those of the path item. */
export function parametersOf(operation: Operation): readonly {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
  readonly example?: unknown;
}[] {
  const shared = (contract.paths[operation.path]!["parameters"] ?? []) as Json[];
  return [...shared, ...(rawOperation(operation).parameters ?? [])].map((it) => resolve(contract, it));
}

/** The response that an operation declares for a status, or null if it declares none. */
export function declaredResponse(operation: Operation, status: string): DeclaredResponse | null {
  const node = rawOperation(operation).responses[status];
  if (node === undefined) return null;
  const response = resolve<
    Json & { headers?: Record<string, Json>; content?: DeclaredResponse["content"]; "x-problem-codes"?: string[] }
  >(contract, node);
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => {
    const { required = false, schema } = resolve<{ required?: boolean; schema: Json }>(contract, header);
    return [name.toLowerCase(), { required, schema }] as const;
  });
  return { headers: new Map(headers), content: response.content ?? {}, problemCodes: response["x-problem-codes"] ?? null };
}

/** Every `operationId status` that the contract declares, except `default`. */
export const declaredOutcomes: readonly string[] = operations.flatMap((it) =>
  Object.keys(rawOperation(it).responses)
    .filter((status) => status !== "default")
    .map((status) => `${it.id} ${status}`),
);

/** Every `operationId status code` that the contract declares; the status can be `default`. */
export const declaredCodes: readonly string[] = operations.flatMap((it) => {
  const statuses = Object.keys(rawOperation(it).responses);
  const returnsJson = statuses.some((status) => /^2/.test(status) && "application/json" in declaredResponse(it, status)!.content);
  return statuses.flatMap((status) =>
    (declaredResponse(it, status)!.problemCodes ?? [])
      .filter((code) => reasonNotToSee(status, code, returnsJson) === null)
      .map((code) => `${it.id} ${status} ${code}`),
  );
});

/** The operation for a request, or null if the contract has none. HEAD belongs to the operation of GET. */
export function findOperation(method: string, path: string): Operation | null {
  const wanted = method.toUpperCase() === "HEAD" ? "get" : method.toLowerCase();
  const pathname = path.split(/[?#]/)[0]!;
  return (
    operations.find((it) => it.method === wanted && new RegExp(`^${it.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname)) ??
    null
  );
}

// The service sends only what the contract declares, although clients must accept more.
const closed = sealed(contract) as unknown as {
  components: { schemas: Record<string, { enum?: unknown; "x-extensible-enum"?: unknown }> };
};
// The same applies to problem codes and input error codes.
for (const name of ["ProblemCode", "InputErrorCode"]) {
  const codes = closed.components.schemas[name]!;
  codes.enum = codes["x-extensible-enum"];
}

const isSentTimestamp = (text: string): boolean => /^\d{4}-.{18}Z$/.test(text) && new Date(text).toJSON() === text;

/** Compares a value that the service sends with a schema. No object can have undeclared fields. Returns the errors, or null. */
export const flawsOf = judgeWith(isSentTimestamp);
/** The same for a value that a client sends: a timestamp can have any offset. */
export const flawsOfRequest = judgeWith(formats["date-time"]!.validate);

/** Also checks the formats of timestamps and ids, which the contract describes only in prose. */
function judgeWith(isDateTime: (text: string) => boolean): (schema: Json, value: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv, { mode: "full" });
  for (const format of ["int32", "int64", "binary"]) ajv.addFormat(format, true);
  ajv.addFormat("uuid", isUuid);
  ajv.addFormat("date-time", isDateTime);
  ajv.addSchema({ ...closed, $id: "contract.json" });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    let validate = compiled.get(key);
    if (validate === undefined) {
      validate = ajv.compile(JSON.parse(key.replaceAll('"#/', '"contract.json#/')) as object);
      compiled.set(key, validate);
    }
    return validate(value) ? null : ajv.errorsText(validate.errors, { separator: "; " });
  };
}
