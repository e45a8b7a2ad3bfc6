import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { declaredCodes, declaredOutcomes, declaredResponse, flawsOf } from "./contract.ts";
import type { Operation } from "../../src/contract/operations.ts";

/** A response. */
export type Seen = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly head: boolean;
  /** Headers that are allowed although the service doesn't send them, because the response comes from another server. */
  readonly ownHeaders?: readonly string[];
};

/**
 * Headers that the service sends but operations don't declare: those of HTTP itself, of CORS, and of protection on every
 * response.
 */
const UNDECLARED = [
  ["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding", "vary"],
  ["access-control-allow-origin", "access-control-expose-headers"],
  ["content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"],
  ["referrer-policy", "strict-transport-security", "x-content-type-options", "x-frame-options"],
].flat();

/**
 * Compares a response with the contract. The status and the media type are declared, and the headers are valid and complete with
 * no others. The body fits its schema, and the problem code is listed. Throws an error that says what is wrong, or else records
 * the outcome.
 */
export function witness(operation: Operation, seen: Seen): void {
  const flaws = judge(operation, seen);
  if (flaws.length > 0)
    throw new Error(`${operation.id} broke the contract with ${seen.status}: ${flaws.join("; ")}\n${seen.text.slice(0, 2_000)}`);
  const file = process.env["WITNESS_FILE"];
  // A response to HEAD doesn't prove that GET works.
  if (file === undefined || seen.head) return;
  const outcomes = outcomesOf(operation, seen).map((it) => `${it}\n`);
  const fresh = outcomes.filter((it) => !recorded.has(file + it));
  for (const it of fresh) recorded.add(file + it);
  if (fresh.length > 0) appendFileSync(file, fresh.join(""));
}

/** What this test file has recorded already. */
const recorded = new Set<string>();

/** The status, and the status with the code of a problem. */
function outcomesOf(operation: Operation, { status, text }: Seen): string[] {
  const declared = declaredResponse(operation, String(status)) === null ? "default" : String(status);
  const code = status >= 400 && text.startsWith("{") ? (JSON.parse(text) as { code: string }).code : null;
  return [`${operation.id} ${status}`, ...(code === null ? [] : [`${operation.id} ${declared} ${code}`])];
}

function judge(operation: Operation, { status, headers, text, head, ownHeaders = [] }: Seen): string[] {
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
  for (const name of headers.keys())
    if (!declared.headers.has(name) && !UNDECLARED.includes(name) && !ownHeaders.includes(name))
      flaws.push(`the header ${name} is not declared`);

  const medias = Object.keys(declared.content);
  const sent = headers.get("content-type")?.split(";")[0];
  const media = medias.find((it) => it === sent) ?? medias[0];
  if (head || status === 304) {
    if (text !== "") flaws.push("there is a body where none may be");
    return flaws;
  }
  if (media === undefined) {
    if (text !== "") flaws.push("there is a body and none is declared");
    return flaws;
  }
  if (sent !== media) return [...flaws, `the media type is ${sent}, declared is ${media}`];
  if (media === "text/html") {
    const wrong = flawsOf(declared.content[media]!.schema, text);
    return wrong === null ? flaws : [...flaws, `the page is not as declared (${wrong})`];
  }
  if (!/json$/.test(media)) return flaws;
  const body = JSON.parse(text) as { code?: string; status?: number; type?: string };
  const wrong = flawsOf(declared.content[media]!.schema, body);
  if (wrong !== null) flaws.push(`the body is not as declared (${wrong})`);
  if (declared.problemCodes !== null && !declared.problemCodes.includes(body.code ?? ""))
    flaws.push(`the problem code ${body.code} is not declared here`);
  if (explicit === null && status < 400) flaws.push("a success that only default declares");
  if (status >= 400 && body.status !== status) flaws.push(`the problem says status ${body.status}`);
  // The contract allows a prefix before the path.
  if (status >= 400 && body.type?.endsWith(`/problems/${body.code}`) !== true) flaws.push(`the problem is of type ${body.type}`);
  return flaws;
}

/** The statuses, and the codes of problems, that the contract declares and that no test has seen. */
export function unseenOutcomes(file: string): string[] {
  const seen = new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return [...declaredOutcomes(), ...declaredCodes()].filter((it) => !seen.has(it));
}
