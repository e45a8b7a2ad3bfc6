import type { OperationId } from "../contract/contract.ts";
import type { Deprecation } from "./deprecation.ts";

type Media = "application/json" | "application/octet-stream" | "application/partial-upload";
/** What nearly everything is answered in. */
export const JSON_TYPE = "application/json";
export type RatePolicyName = "default" | "writes" | "uploads" | "follow" | "none";

/** What the HTTP layer needs to know of an operation, read from the contract once, at boot. */
export type Operation = {
  readonly id: OperationId;
  /** Lower case, as Express names its methods. */
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** `/posts/{post_id}` as the contract writes it. */
  readonly path: string;
  /** Scopes that the credential needs, or null when anybody may call. */
  readonly scopes: readonly string[] | null;
  readonly ratePolicy: RatePolicyName;
  /** The media type of the body that the operation takes, or null when it takes none. */
  readonly body: Media | null;
  /** All of the media types that it takes alike, `video/*` among them. */
  readonly bodies: readonly string[];
  /** The media type of its successes, or null when none has a body. */
  readonly produces: string | null;
  /** Whether query parameters that the contract does not know are left alone instead of refused. */
  readonly ignoresUnknownQuery: boolean;
  readonly queryParameters: readonly string[];
  readonly headerParameters: readonly string[];
  /** Query parameters whose spelling must be that of an integer. */
  readonly integerParameters: readonly string[];
  /** When the operation was given up and when it ends, or null as long as it is not. */
  readonly deprecation: Deprecation | null;
  /** The query parameter that goes to the next page, or null when the operation is no list. */
  readonly nextPageParameter: "after" | "before" | null;
};

type Json = { readonly [key: string]: unknown };
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: unknown; readonly $ref?: string };
};
type ContractOperation = Json & {
  readonly operationId: string;
  readonly security?: readonly { readonly bearer_auth?: readonly string[] }[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  readonly "x-rate-limit"?: RatePolicyName;
  readonly "x-unknown-query"?: "ignored";
  readonly "x-deprecation"?: Deprecation;
};
export type Contract = {
  readonly info: { readonly version: string; readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Json>>;
};

/** Whether the body is handed to the operation as it arrives, instead of being read and validated first. */
export const isStreamed = ({ body }: Operation): boolean => body !== null && body !== "application/json";

/** Whether its successes are bytes that are sent as the client takes them. */
export const sendsBytes = ({ produces }: Operation): boolean => produces !== null && produces !== JSON_TYPE;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const PUBLIC: readonly OperationId[] = ["followUrl", "getHealth", "getLiveness"];

/** Every operation of the bundled contract, in its order. */
export function operationsOf(contract: Contract): readonly Operation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => describe(contract, path, method, item)),
  );
}

function describe(
  contract: Contract,
  path: string,
  method: Operation["method"],
  item: Readonly<Record<string, unknown>>,
): Operation {
  const operation = item[method] as ContractOperation;
  const id = operation.operationId as OperationId;
  const parameters = [...((item["parameters"] ?? []) as Json[]), ...(operation.parameters ?? [])].map((it) =>
    resolve<Parameter>(contract, it),
  );
  const query = parameters.filter((it) => it.in === "query");
  const requirements = operation.security?.[0];
  const scopes = requirements === undefined ? null : (requirements.bearer_auth ?? null);
  // `contract.ts` types the principal by this list: it must be the contract's own.
  if ((scopes === null) !== PUBLIC.includes(id)) throw new Error(`${id}: PublicOperationId does not say what the contract says.`);
  const media = operation.requestBody && Object.keys(resolve<{ content: object }>(contract, operation.requestBody).content);
  return {
    id,
    method,
    path,
    scopes,
    ratePolicy: operation["x-rate-limit"] ?? "default",
    body: (media?.[0] ?? null) as Media | null,
    bodies: media ?? [],
    produces: producedBy(contract, operation),
    deprecation: operation["x-deprecation"] ?? null,
    ignoresUnknownQuery: operation["x-unknown-query"] === "ignored",
    queryParameters: query.map((it) => it.name),
    headerParameters: parameters.filter((it) => it.in === "header").map((it) => it.name),
    integerParameters: query
      .filter((it) => resolve<{ type?: unknown }>(contract, it.schema).type === "integer")
      .map((it) => it.name),
    nextPageParameter: (["before", "after"] as const).find((name) => query.some((it) => it.name === name)) ?? null,
  };
}

function producedBy(contract: Contract, { responses }: ContractOperation): string | null {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const media = successes.flatMap(([, it]) => Object.keys(resolve<{ content?: object }>(contract, it).content ?? {}));
  return media[0] ?? null;
}

/** Every header that an answer may carry by the contract. */
export function answerHeadersOf(contract: Contract): ReadonlySet<string> {
  const operations = Object.values(contract.paths).flatMap((item) =>
    METHODS.filter((method) => method in item).map((method) => item[method] as ContractOperation),
  );
  const responses = operations.flatMap((it) =>
    Object.values(it.responses).map((response) => resolve<{ headers?: object }>(contract, response)),
  );
  return new Set(responses.flatMap((it) => Object.keys(it.headers ?? {})));
}

/** The object itself, or what its `$ref` into the same document points at. */
export function resolve<T>(contract: Contract, node: Json): T {
  const reference = node["$ref"];
  if (typeof reference !== "string") return node as T;
  const target = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((it, key) => (it as Json)[key.replaceAll("~1", "/").replaceAll("~0", "~")], contract);
  return resolve<T>(contract, target as Json);
}
