import { operationsOf, parametersOf, resolve, responsesOf, type Contract, type Json, type PlacedOperation } from "./document.ts";

/** A property that the contract should have everywhere: how often it applies, and where it is missing. */
export type Metric = { readonly name: string; readonly total: number; readonly missing: readonly string[] };

type Case = { readonly at: string; readonly isKept: boolean };

/** How complete a bundled contract is. */
export function metricsOf(contract: Contract): readonly Metric[] {
  const operations = operationsOf(contract);
  const over = (name: string, casesOf: (operation: PlacedOperation) => readonly Case[]): Metric => {
    const cases = operations.flatMap(casesOf);
    return { name, total: cases.length, missing: [...new Set(cases.filter((it) => !it.isKept).map((it) => it.at))] };
  };
  return [
    over("operations with a description", (it) => [
      { at: it.name, isKept: typeof it.operation["description"] === "string" && it.operation["description"].length > 0 },
    ]),
    over("JSON bodies of 2xx responses with an example", (it) => successBodyCases(contract, it)),
    over("401, 403, 404 and 429 declared where they can occur", (it) => refusalCases(contract, it)),
    over("error responses in application/problem+json", (it) =>
      answerCases(
        contract,
        it,
        /^([45]|default)/,
        // A page for people can be beside it.
        (answer) => Object.keys(answer["content"] ?? {})[0] === "application/problem+json",
      ),
    ),
    over("strings, numbers and arrays of requests with limits", (it) =>
      requestSchemas(contract, it).flatMap(({ at, schema }) => boundCase(at, schema)),
    ),
    over("closed objects in requests", (it) =>
      requestSchemas(contract, it)
        .filter(({ schema }) => isObject(schema))
        .map(({ at, schema }) => ({ at, isKept: schema["additionalProperties"] === false })),
    ),
    over("201 and 202 with Location", (it) =>
      answerCases(contract, it, /^20[12]$/, (answer) => "Location" in ((answer["headers"] ?? {}) as Json)),
    ),
    over("201 and 202 with links", (it) =>
      answerCases(contract, it, /^20[12]$/, (answer) => Object.keys(answer["links"] ?? {}).length > 0),
    ),
    over("POSTs that can be retried safely, or say why not", (it) =>
      it.method === "post"
        ? [{ at: it.name, isKept: takesKey(contract, it) || typeof it.operation["x-no-idempotency-key"] === "string" }]
        : [],
    ),
  ];
}

/** The metrics as a table, with the places that are missing below each. */
export function metricsReport(contract: Contract, metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, total, missing }) => {
    // Rounded down, so that 100 % means all.
    const percent = total === 0 ? 100 : Math.floor((100 * (total - missing.length)) / total);
    return [
      `${String(percent).padStart(4)} %  ${`${total - missing.length}/${total}`.padStart(9)}  ${name}`,
      ...missing.map((it) => `${" ".repeat(19)}missing in ${it}`),
    ];
  });
  return [`${operationsOf(contract).length} operations`, ...lines].join("\n");
}

/** Whether nothing is missing. */
export const isComplete = (metrics: readonly Metric[]): boolean => metrics.every((it) => it.missing.length === 0);

function answerCases(
  contract: Contract,
  { name, operation }: PlacedOperation,
  statuses: RegExp,
  isKept: (answer: Json) => boolean,
): Case[] {
  return [...responsesOf(contract, operation)]
    .filter(([status]) => statuses.test(status))
    .map(([status, answer]) => ({ at: `${name}, ${status}`, isKept: isKept(answer) }));
}

function successBodyCases(contract: Contract, { name, operation }: PlacedOperation): Case[] {
  return [...responsesOf(contract, operation)]
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, answer]) => {
      const media = (answer["content"] as Readonly<Record<string, Json>> | undefined)?.["application/json"];
      return media === undefined ? [] : [{ at: `${name}, ${status}`, isKept: Object.keys(media["examples"] ?? {}).length > 0 }];
    });
}

function refusalCases(contract: Contract, placed: PlacedOperation): Case[] {
  const { name, operation } = placed;
  const security = operation.security ?? contract.security ?? [];
  const scopes = security.flatMap((it) => Object.values(it).flat());
  // If every user has access, and no path names a resource that can be missing, each valid id has a response.
  const isForAll = "authenticated" in ((operation["x-access"] ?? {}) as Json);
  const statuses = [
    ...(security.length > 0 ? ["401"] : []),
    ...(scopes.length > 0 ? ["403"] : []),
    ...(parametersOf(contract, placed).some((it) => it["in"] === "path") && !isForAll ? ["404"] : []),
    ...(operation["x-rate-limit"] === "none" ? [] : ["429"]),
  ];
  return statuses.map((status) => ({ at: `${name}, ${status}`, isKept: status in operation.responses }));
}

const takesKey = (contract: Contract, placed: PlacedOperation): boolean =>
  parametersOf(contract, placed).some((it) => it["name"] === "Idempotency-Key");

const typesOf = (schema: Json): readonly unknown[] => [schema["type"] ?? []].flat();

const isObject = (schema: Json): boolean => typesOf(schema).includes("object") || schema["properties"] !== undefined;

type Placed = { readonly at: string; readonly schema: Json };

/** Every schema in a request of an operation. */
function requestSchemas(contract: Contract, placed: PlacedOperation): Placed[] {
  const body = placed.operation.requestBody === undefined ? {} : resolve(contract, placed.operation.requestBody);
  const media = Object.values((body["content"] ?? {}) as Readonly<Record<string, Json>>);
  const parameters = parametersOf(contract, placed).flatMap((it) =>
    schemasUnder(contract, it["schema"] as Json, `${placed.name}, ${String(it["name"])}`, new Set()),
  );
  return [
    ...parameters,
    ...media.flatMap((it) => schemasUnder(contract, it["schema"] as Json, `${placed.name}, body`, new Set())),
  ];
}

function schemasUnder(contract: Contract, start: Json, at: string, seen: Set<Json>): Placed[] {
  const schema = resolve(contract, start);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>);
  const children = [
    ...properties,
    ...(schema["items"] === undefined ? [] : [["items", schema["items"] as Json] as const]),
    ...((schema["oneOf"] ?? []) as Json[]).map((it) => ["or", it] as const),
  ];
  return [{ at, schema }, ...children.flatMap(([name, child]) => schemasUnder(contract, child, `${at}.${name}`, seen))];
}

/**
 * Empty for a schema whose size needs no limit. A schema without a type has no limit at all. The size of a file is limited
 * by the service, with 413.
 */
function boundCase(at: string, schema: Json): Case[] {
  const [types, has] = [typesOf(schema), (...keywords: string[]) => keywords.every((it) => schema[it] !== undefined)];
  // The format of a timestamp or a UUID determines its length.
  if (schema["enum"] !== undefined || ["binary", "date-time", "uuid"].includes(String(schema["format"]))) return [];
  if (types.includes("string")) return [{ at, isKept: has("maxLength") }];
  if (types.includes("array")) return [{ at, isKept: has("maxItems") }];
  if (types.length === 0 && schema["oneOf"] === undefined && !isObject(schema)) return [{ at, isKept: false }];
  return types.includes("integer") || types.includes("number") ? [{ at, isKept: has("minimum", "maximum") }] : [];
}
