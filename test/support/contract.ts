import { readContract, resolve } from "../../src/contract/bundle.ts";
import { everyOperation, type Operation } from "../../src/contract/operations.ts";
import type { Judge, Judges } from "./judges.ts";
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

const responses = new Map<unknown, DeclaredResponse>();

/** The response that an operation declares for a status, or null if it declares none. */
export function declaredResponse(operation: Operation, status: string): DeclaredResponse | null {
  const node = rawOperation(operation).responses[status];
  if (node === undefined) return null;
  // Each response to a test is compared with it.
  const known = responses.get(node) ?? responseOf(node);
  responses.set(node, known);
  return known;
}

function responseOf(node: Json): DeclaredResponse {
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
export const declaredOutcomes = (): readonly string[] =>
  operations.flatMap((it) =>
    Object.keys(rawOperation(it).responses)
      .filter((status) => status !== "default")
      .map((status) => `${it.id} ${status}`),
  );

/** Every `operationId status code` that the contract declares; the status can be `default`. */
export const declaredCodes = (): readonly string[] =>
  operations.flatMap((it) => {
    const statuses = Object.keys(rawOperation(it).responses);
    const returnsJson = statuses.some(
      (status) => /^2/.test(status) && "application/json" in declaredResponse(it, status)!.content,
    );
    return statuses.flatMap((status) =>
      (declaredResponse(it, status)!.problemCodes ?? [])
        .filter((code) => reasonNotToSee(status, code, returnsJson) === null)
        .map((code) => `${it.id} ${status} ${code}`),
    );
  });

const paths = operations.map((it) => ({ it, pattern: new RegExp(`^${it.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));

/** The operation for a request, or null if the contract has none. HEAD belongs to the operation of GET. */
export function findOperation(method: string, path: string): Operation | null {
  const wanted = method.toUpperCase() === "HEAD" ? "get" : method.toLowerCase();
  const pathname = path.split(/[?#]/)[0]!;
  return paths.find(({ it, pattern }) => it.method === wanted && pattern.test(pathname))?.it ?? null;
}

/** Compares a value that the service sends with a schema. No object can have undeclared fields. Returns the errors, or null. */
export const flawsOf: Judge = (schema, value) => judges().flawsOf(schema, value);
/** The same for a value that a client sends: a timestamp can have any offset. */
export const flawsOfRequest: Judge = (schema, value) => judges().flawsOfRequest(schema, value);

const judges = () => (globalThis as unknown as { judges: Judges }).judges;
