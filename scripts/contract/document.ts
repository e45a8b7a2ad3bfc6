import { resolve } from "../../src/contract/bundle.ts";

export { keysOf, nodeAt, resolve } from "../../src/contract/bundle.ts";

/** A part of a contract, as JSON. */
export type Json = { readonly [key: string]: unknown };

export type RawOperation = Json & {
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
};

/** A bundled contract: one document that refers only to itself. */
export type Contract = Json & {
  readonly info: { readonly version: string; readonly title: string };
  readonly security?: RawOperation["security"];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
};

export type OperationEntry = {
  readonly path: string;
  readonly method: string;
  readonly name: string;
  readonly operation: RawOperation;
};

/** The keys of a path that are operations. */
export const METHODS: readonly string[] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** The pseudo-path of a webhook, see `webhooks.ts`. No path of an API has a space. */
export const pathOfWebhook = (type: string): string => `/webhook ${type}`;

/** The name of an operation, for people: `GET /posts`, `webhook message.created`. */
export const nameOfOperation = (path: string, method: string): string =>
  path.startsWith(pathOfWebhook("")) ? path.slice(1) : `${method.toUpperCase()} ${path}`;

/** Every operation with its path and method. */
export function operationsOf(contract: Contract): readonly OperationEntry[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      path,
      method,
      name: nameOfOperation(path, method),
      operation: item[method] as RawOperation,
    })),
  );
}

/** The parameters of an operation, including the parameters of its path, with references resolved. */
export function parametersOf(contract: Contract, { path, operation }: OperationEntry): readonly Json[] {
  const shared = (contract.paths[path]!["parameters"] ?? []) as readonly Json[];
  return [...shared, ...(operation.parameters ?? [])].map((it) => resolve(contract, it));
}

/** The responses of an operation by status, with references resolved. */
export function responsesOf(contract: Contract, operation: RawOperation): ReadonlyMap<string, Json> {
  return new Map(Object.entries(operation.responses).map(([status, it]) => [status, resolve(contract, it)]));
}

/** Calls `visit` with every object of a document and its JSON Pointer. */
export function everyNode(node: unknown, visit: (node: Json, pointer: string) => void, pointer = "#"): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) visit(node as Json, pointer);
  for (const [key, child] of Object.entries(node)) everyNode(child, visit, `${pointer}/${escaped(key)}`);
}

/** A key as it is written in a JSON Pointer. */
export const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
