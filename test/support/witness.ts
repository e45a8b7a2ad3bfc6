import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { declaredOutcomes, declaredResponse, flawsOf } from "./contract.ts";
import type { Operation } from "../../src/contract/operations.ts";

/** What came back over the wire. */
export type Seen = { readonly status: number; readonly headers: Headers; readonly text: string; readonly head: boolean };

/** Headers that are part of the promise: one that is sent must be declared. */
const PROMISED = [
  "location",
  "etag",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "api-version",
  "x-request-id",
  "link",
  "idempotency-replayed",
  "allow",
  "www-authenticate",
  "x-robots-tag",
  "deprecation",
  "sunset",
  "upload-complete",
  "upload-limit",
  "upload-offset",
];

/**
 * Holds an answer against the contract: the status is declared, the headers are present, valid and no others, the media
 * type is the declared one, the body fits its schema, a problem's code is one of those listed. Throws what is wrong, and
 * notes what was seen.
 */
export function witness(operation: Operation, seen: Seen): void {
  const flaws = judge(operation, seen);
  if (flaws.length > 0)
    throw new Error(`${operation.id} broke the contract with ${seen.status}: ${flaws.join("; ")}\n${seen.text.slice(0, 2_000)}`);
  const file = process.env["WITNESS_FILE"];
  if (file !== undefined) appendFileSync(file, `${operation.id} ${seen.status}\n`);
}

function judge(operation: Operation, { status, headers, text, head }: Seen): string[] {
  const explicit = declaredResponse(operation, String(status));
  const declared = explicit ?? declaredResponse(operation, "default");
  if (declared === null) return ["the status is not declared"];
  const flaws: string[] = [];

  for (const [name, { required, schema }] of declared.headers) {
    const value = headers.get(name);
    if (value === null && required) flaws.push(`the header ${name} is missing`);
    if (value !== null) {
      const wrong = flawsOf(schema, schema["type"] === "integer" ? Number(value) : value);
      if (wrong !== null) flaws.push(`the header ${name}: ${value} is not as declared (${wrong})`);
    }
  }
  for (const name of PROMISED)
    if (headers.has(name) && !declared.headers.has(name)) flaws.push(`the header ${name} is not declared`);

  const [media] = Object.keys(declared.content);
  const sent = headers.get("content-type")?.split(";")[0];
  if (head || status === 304) {
    if (text !== "") flaws.push("there is a body where none may be");
    return flaws;
  }
  if (media === undefined) {
    if (text !== "") flaws.push("there is a body and none is declared");
    return flaws;
  }
  if (sent !== media) return [...flaws, `the media type is ${sent}, declared is ${media}`];
  if (!/json$/.test(media)) return flaws;
  const body = JSON.parse(text) as { code?: string; status?: number; type?: string };
  const wrong = flawsOf(declared.content[media]!.schema, body);
  if (wrong !== null) flaws.push(`the body is not as declared (${wrong})`);
  if (declared.problemCodes !== null && !declared.problemCodes.includes(body.code ?? ""))
    flaws.push(`the problem code ${body.code} is not declared here`);
  if (explicit === null && status < 400) flaws.push("a success that only default declares");
  if (status >= 400 && body.status !== status) flaws.push(`the problem says status ${body.status}`);
  // The contract leaves room for a prefix before it.
  if (status >= 400 && body.type?.endsWith(`/problems/${body.code}`) !== true) flaws.push(`the problem is of type ${body.type}`);
  return flaws;
}

/**
 * Compares what the whole run has seen with what the contract declares. `unwitnessed` is the list of outcomes that no
 * test produces yet: it may only shrink, so a new gap and a closed one that is still listed are both reported.
 */
export function compareWitnesses(file: string, unwitnessed: string): string[] {
  const seen = new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  const allowed = new Set(
    readFileSync(unwitnessed, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
  const missing = declaredOutcomes.filter((it) => !seen.has(it));
  return [
    ...missing.filter((it) => !allowed.has(it)).map((it) => `no test has seen "${it}", which the contract declares`),
    ...[...allowed].filter((it) => seen.has(it)).map((it) => `"${it}" was seen: take it off the list`),
    ...[...allowed]
      .filter((it) => !declaredOutcomes.includes(it))
      .map((it) => `"${it}" is on the list, but the contract does not declare it`),
  ];
}
