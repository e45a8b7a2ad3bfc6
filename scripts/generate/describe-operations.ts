import type { OperationId } from "../../src/contract/contract.ts";
import { resolve, type Contract } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";

type Json = { readonly [key: string]: unknown };
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly "x-structured-field"?: boolean;
  readonly schema: { readonly default?: unknown; readonly type?: unknown; readonly $ref?: string };
};
type ContractOperation = Json & {
  readonly operationId: OperationId;
  readonly tags: readonly string[];
  readonly security?: readonly { readonly bearer_auth?: readonly string[] }[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  readonly "x-access": Operation["access"];
  readonly "x-rate-limit": Operation["ratePolicy"];
  readonly "x-unknown-query"?: "ignored";
  readonly "x-deprecation"?: NonNullable<Operation["deprecation"]>;
};

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Every operation of a bundled contract, in its order. */
export function describeOperations(contract: Contract): readonly Operation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => describe(contract, path, method)),
  );
}

function describe(contract: Contract, path: string, method: Operation["method"]): Operation {
  const item = contract.paths[path]!;
  const operation = item[method] as ContractOperation;
  const parameters = [...((item["parameters"] ?? []) as Json[]), ...(operation.parameters ?? [])].map((it) =>
    resolve<Parameter>(contract, it),
  );
  const named = (location: string) => parameters.filter((it) => it.in === location).map((it) => it.name);
  const query = parameters.filter((it) => it.in === "query");
  const schemaOf = ({ schema }: Parameter) => resolve<Parameter["schema"]>(contract, schema);
  const bodies = operation.requestBody ? mediaTypesOf(contract, operation.requestBody) : [];
  const [requirement] = operation.security ?? [];
  return {
    id: operation.operationId,
    method,
    path,
    tag: operation.tags[0]!,
    scopes: requirement === undefined ? null : (requirement.bearer_auth ?? null),
    access: operation["x-access"],
    ratePolicy: operation["x-rate-limit"],
    body: bodies[0] ?? null,
    requiresBody:
      operation.requestBody !== undefined && resolve<{ required?: boolean }>(contract, operation.requestBody).required === true,
    bodies,
    produces: producedBy(contract, operation),
    queryParameters: named("query"),
    integerParameters: query.filter((it) => schemaOf(it).type === "integer").map((it) => it.name),
    // A default can be beside a reference.
    defaultedParameters: query.filter((it) => "default" in it.schema || "default" in schemaOf(it)).map((it) => it.name),
    headerParameters: named("header"),
    structuredHeaders: parameters.filter((it) => it["x-structured-field"] === true).map((it) => it.name),
    ignoresUnknownQuery: operation["x-unknown-query"] === "ignored",
    nextPageParameter: (["before", "after"] as const).find((name) => query.some((it) => it.name === name)) ?? null,
    responseHeaders: responseHeadersOf(contract, operation),
    pageStatuses: pageStatusesOf(contract, operation),
    deprecation: operation["x-deprecation"] ?? null,
  };
}

function producedBy(contract: Contract, { responses }: ContractOperation): string | null {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return successes.flatMap(([, it]) => mediaTypesOf(contract, it))[0] ?? null;
}

const mediaTypesOf = (contract: Contract, node: Json) =>
  Object.keys(resolve<{ readonly content?: object }>(contract, node).content ?? {});

function pageStatusesOf(contract: Contract, { responses }: ContractOperation): readonly number[] {
  return Object.keys(responses)
    .filter((it) => mediaTypesOf(contract, responses[it]!).includes("text/html"))
    .map(Number);
}

function responseHeadersOf(contract: Contract, { responses }: ContractOperation): readonly string[] {
  const declared = Object.values(responses).map((it) => resolve<{ readonly headers?: object }>(contract, it).headers ?? {});
  return [...new Set(declared.flatMap((it) => Object.keys(it)))];
}
