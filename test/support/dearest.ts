import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { Operation } from "../../src/contract/operations.ts";
import { resolve } from "../../src/contract/bundle.ts";
import { contract, rawOperation } from "./contract.ts";
import { exampleRequest } from "./example-requests.ts";
import type { Ids } from "./resources.ts";

/** A request as it is sent. Headers are a flat list of names and values. */
export type WireRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: string;
};
/** Documents that the service publishes, and a path that doesn't exist. */
export const DOCUMENTS = [
  "/",
  "/docs",
  "/docs/redoc.standalone.js",
  "/openapi.json",
  "/openapi.yaml",
  "/problems/not_found",
  "/nothing",
];
export type Dear = { readonly kind: string; readonly request: WireRequest };

/**
 * The limits are 16 KiB for the request line and headers, 8 KiB for a target and 128 KiB for a JSON body. These stay just
 * below them.
 */
const HEADERS_BYTES = 15_000;
const TARGET_BYTES = 8_000;
const BODY_BYTES = 130_000;

const fill = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length));
const many = (bytes: number, part: (index: number) => string): string => {
  const parts: string[] = [];
  for (let length = 0, index = 0; ; index++) {
    const next = part(index);
    length += next.length;
    if (length > bytes) return parts.join("");
    parts.push(next);
  }
};

/** Headers that are expensive to read, by the reason. */
const HEADERS: Readonly<Record<string, (operation: Operation) => readonly string[]>> = {
  "1,500 headers": () => Array.from({ length: 1_500 }, (_, index) => [`x-${index}`, "1"]).flat(),
  "one header 1,500 times": () => Array.from({ length: 1_500 }, () => ["x-a", "1"]).flat(),
  "a long Accept": () => ["Accept", `${many(HEADERS_BYTES, (index) => `a/b${index};q=0.${index % 1_000},`)}*/*;q=0.1`],
  "a long Accept-Encoding": () => ["Accept-Encoding", `${many(HEADERS_BYTES, (index) => `x${index};q=0.1,`)}gzip`],
  "an Accept of signs": () => ["Accept", fill(",;/", HEADERS_BYTES)],
  "a long If-None-Match": () => ["If-None-Match", many(HEADERS_BYTES, (index) => `"${index}",`)],
  "an If-None-Match of quotes": () => ["If-None-Match", fill('W/"', HEADERS_BYTES)],
  "a long If-Match": () => ["If-Match", many(HEADERS_BYTES, (index) => `"${index}",`)],
  "many ranges": () => ["Range", `bytes=${many(HEADERS_BYTES, (index) => `${index}-${index},`)}0-1`],
  "a range of tabs": () => ["Range", `bytes=${fill("\t", HEADERS_BYTES)}x`],
  "a long key": () => ["Idempotency-Key", fill("a", HEADERS_BYTES)],
  "a key of quotes": () => ["Idempotency-Key", fill('"', HEADERS_BYTES)],
  "a long token": () => ["Authorization", `Bearer ${fill("a", HEADERS_BYTES)}`],
  "a token of spaces": () => ["Authorization", `Bearer${fill(" ", HEADERS_BYTES)}!`],
  "a token like a JWT": () => [
    "Authorization",
    `Bearer ${fill("eyJhbGciOiJSUzI1NiJ9", 1_300)}.${fill("e", 1_300)}.${fill("e", 1_300)}`,
  ],
  "a long Content-Type": ({ body }) => ["Content-Type", `${body ?? "a/b"};${many(HEADERS_BYTES, (index) => `a${index}=b;`)}`],
  "a long X-Forwarded-For": () => ["X-Forwarded-For", fill("192.0.2.1, ", HEADERS_BYTES)],
  "a long Origin": () => ["Origin", fill("a", HEADERS_BYTES)],
};

const TARGETS: Readonly<Record<string, (operation: Operation, path: string) => string>> = {
  "many unknown parameters": (_, path) =>
    joined(
      path,
      many(TARGET_BYTES, (index) => `&a${index}`),
    ),
  "256 unknown parameters": (_, path) =>
    joined(
      path,
      many(TARGET_BYTES, (index) => (index < 200 ? `&a${index}=${"x".repeat(24)}` : "x")),
    ),
  "a repeated parameter": ({ queryParameters: [name = "a"] }, path) => joined(path, fill(`&${name}=1`, TARGET_BYTES)),
  "escapes in the query": ({ queryParameters: [name = "a"] }, path) =>
    joined(path, `&${name}=${fill("%F0%9F%98%80", TARGET_BYTES)}`),
  "long values of every parameter": ({ queryParameters }, path) =>
    joined(path, queryParameters.map((name) => `&${name}=${fill("a", TARGET_BYTES / (queryParameters.length + 1))}`).join("")),
  "a cursor of 8 KB": (_, path) => joined(path, `&after=${fill("A", TARGET_BYTES)}`),
  "a cursor of 512 characters": (_, path) => joined(path, `&after=${fill("A", 512)}`),
  "a long path": (_, path) => path.replace(/[^/?]+(?=\?|$)/, fill("%41", TARGET_BYTES)),
  "a path of escapes": (_, path) => path.replace(/[^/?]+(?=\?|$)/, fill("%F0%9F%98%80", TARGET_BYTES)),
  "a path of slashes": (_, path) => path.replace(/(?=\?|$)/, fill("/", TARGET_BYTES)),
};

const joined = (path: string, query: string) => `${path}${path.includes("?") ? query : query.replace("&", "?")}`;

/** JSON bodies that are expensive to parse, to walk, to validate or to describe. `fields` are the fields of the operation. */
const BODIES: Readonly<Record<string, (fields: readonly string[]) => string>> = {
  "14,000 unknown fields": () => `{${many(BODY_BYTES, (index) => `"k${index}":1,`)}"k":1}`,
  "200 unknown fields with long names": () =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}${"k".repeat(600)}`, 1]))),
  "200 unknown fields with long texts": () =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, "é ".repeat(200)]))),
  "a field 14,000 times": ([name]) => `{${fill(`"${name}":1,`, BODY_BYTES)}"${name}":1}`,
  "a text of 128 KB in every field": (fields) => everyField(fields, (bytes) => "x".repeat(bytes)),
  "128 KB of spaces in every field": (fields) => everyField(fields, (bytes) => " ".repeat(bytes)),
  "128 KB of line breaks in every field": (fields) => everyField(fields, (bytes) => "\n".repeat(bytes / 2)),
  "128 KB of escapes": ([name]) => `{"${name}":"${fill("\\u00e9", BODY_BYTES)}"}`,
  "128 KB of characters of four bytes": (fields) => everyField(fields, (bytes) => "😀".repeat(bytes / 4)),
  "a URL of 128 KB": (fields) => everyField(fields, (bytes) => `https://example.com/${"%41".repeat(bytes / 3 - 10)}`),
  "a URL of dots": (fields) => everyField(fields, (bytes) => `https://${"a.".repeat(bytes / 2 - 10)}`),
  "a timestamp of 128 KB": (fields) => everyField(fields, (bytes) => `2026-11-18T17:20:05.${"0".repeat(bytes - 30)}Z`),
  "250 wrong items": (fields) => listIn(fields, (index) => index),
  "250 long items": (fields) => listIn(fields, (index) => `${index}${"x".repeat(400)}`),
  "250 equal items": (fields) => listIn(fields, () => "x".repeat(480)),
  "120 objects": (fields) => listIn(fields, (index) => ({ a: index }), 120),
  "60,000 levels": () => `${"[".repeat(60_000)}${"]".repeat(60_000)}`,
  "as many levels as allowed": ([name]) => `{"${name}":${"[".repeat(30)}${"1,".repeat(200)}1${"]".repeat(30)}}`,
  "a number of 128 KB": ([name]) => `{"${name}":${"9".repeat(BODY_BYTES)}}`,
  "16,000 different texts": (fields) => listIn(fields, (index) => String(index + 10_000), 16_000),
  "spaces before NUL": ([name]) => JSON.stringify({ [name!]: `${" ".repeat(120_000)}\0` }),
  "an integer with 128 KB of zeros behind it": ([name]) => `{"${name}":1.${"0".repeat(BODY_BYTES - 1_000)}1}`,
  "20,000 nested objects": () => `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
  "spaces around an empty object": () => `${" ".repeat(BODY_BYTES)}{}`,
  "no JSON": () => `{${"'".repeat(BODY_BYTES)}`,
};

const everyField = (fields: readonly string[], text: (bytes: number) => string) =>
  JSON.stringify(Object.fromEntries(fields.map((name) => [name, text(Math.floor((BODY_BYTES - 1_000) / fields.length))])));
const listIn = (fields: readonly string[], item: (index: number) => unknown, count = 250) =>
  JSON.stringify({ [fields.at(-1)!]: Array.from({ length: count }, (_, index) => item(index)) });

/** Requests to one operation that cost as much as possible within the size limits. */
export function dearRequests(operation: Operation, ids: Ids, authorization: string): Dear[] {
  const example = exampleRequest(operation, ids);
  const headersOf = (more: readonly string[] = []) => {
    const names = new Set(more.filter((_, index) => index % 2 === 0).map((it) => it.toLowerCase()));
    const base = { Authorization: authorization, ...example.headers };
    return [
      ...Object.entries(base)
        .filter(([name]) => !names.has(name.toLowerCase()))
        .flat(),
      ...more,
    ];
  };
  const whole = { method: example.method, path: example.path, headers: headersOf() };
  const body = example.body === undefined || Buffer.isBuffer(example.body) ? {} : { body: JSON.stringify(example.body) };
  const fields = operation.body === "application/json" ? fieldsOf(operation) : [];
  return [
    { kind: "as in the contract", request: { ...whole, ...body } },
    ...Object.entries(HEADERS).map(([kind, more]) => ({
      kind,
      request: { ...whole, ...body, headers: headersOf(more(operation)) },
    })),
    ...Object.entries(TARGETS).map(([kind, target]) => ({
      kind,
      request: { ...whole, ...body, path: target(operation, example.path).slice(0, 8_190) },
    })),
    ...(fields.length === 0
      ? []
      : Object.entries(BODIES).map(([kind, text]) => ({ kind, request: { ...whole, body: text(fields) } }))),
  ];
}

function fieldsOf(operation: Operation): string[] {
  const { content } = resolve<{ content: Record<string, { schema: { readonly [key: string]: unknown } }> }>(
    contract,
    rawOperation(operation).requestBody!,
  );
  return Object.keys(resolve<{ properties?: object }>(contract, content["application/json"]!.schema).properties ?? {});
}

/** Sends a request several times in sequence, on one connection if the service keeps it open. Returns the last status. */
export async function sendAgain(url: string, wanted: WireRequest, times: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let status = 0;
  try {
    for (let time = 0; time < times; time++) status = await sendOnce(url, wanted, agent);
  } finally {
    agent.destroy();
  }
  return status;
}

function sendOnce(url: string, { method, path, headers, body }: WireRequest, agent: Agent): Promise<number> {
  const { hostname, port } = new URL(url);
  // A new key each time, because a replay costs less than the request itself.
  const fresh = headers.map((it, index) => (headers[index - 1] === "Idempotency-Key" && it.length === 36 ? randomUUID() : it));
  const length = body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body))];
  return new Promise((done, fail) => {
    const outgoing = request({ hostname, port, method, path, agent, headers: ["Host", "x", ...fresh, ...length] }, (incoming) => {
      incoming
        .resume()
        .on("end", () => done(incoming.statusCode!))
        .on("error", fail);
    });
    outgoing.on("error", fail).end(body);
  });
}
