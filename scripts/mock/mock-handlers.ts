import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Handlers, ProblemCode } from "../../src/contract.ts";
import { Failure } from "../../src/failure.ts";
import { resolve, type Contract, type Operation } from "../../src/http/operations.ts";

type Json = { readonly [key: string]: unknown };
type Header = { readonly required?: boolean; readonly example?: string | number };
type Response = { readonly headers?: Readonly<Record<string, Json>>; readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, { readonly value: Json }>> }>> };
type Input = { readonly path: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, unknown>>; readonly header: Readonly<Record<string, string | undefined>> };
type Output = { readonly status: number; readonly headers: Readonly<Record<string, string | number>>; readonly body?: unknown };

const CLIP = join(import.meta.dirname, "../../src/demo/clip.mp4");
/** The smallest picture that is one. */
const PICTURE = Buffer.from("/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=", "base64");
const BYTES: Readonly<Record<string, () => Readable>> = { "image/jpeg": () => Readable.from([PICTURE]), "video/mp4": () => createReadStream(CLIP) };

/** Headers that the HTTP layer sends by itself. */
const SENT_BY_HTTP = ["X-Request-Id", "API-Version", "Cache-Control", "WWW-Authenticate"];

/**
 * Handlers that answer with the contract's examples. A client chooses another answer with `Prefer: code=404` or
 * `Prefer: example=by_offset` (RFC 7240), the names being those of the contract.
 */
export function mockHandlers(contract: Contract, operations: readonly Operation[]): Handlers {
  return Object.fromEntries(operations.map((it) => [it.id, async (input: Input) => answer(contract, it, input)])) as unknown as Handlers;
}

function answer(contract: Contract, operation: Operation, input: Input): Output {
  const responses = (contract.paths[operation.path]![operation.method] as { readonly responses: Readonly<Record<string, Json>> }).responses;
  const wanted = preferences(input.header["Prefer"]);
  const status = wanted.get("code") ?? usualStatus(contract, responses);
  if (responses[status] === undefined) throw new Failure("validation_failed", `The contract has no ${status} for ${operation.id}; it has ${Object.keys(responses).join(", ")}.`);
  const { headers = {}, content = {} } = resolve<Response>(contract, responses[status]);
  const [media, body] = Object.entries(content)[0] ?? [];
  const example = body?.examples?.[wanted.get("example") ?? ""] ?? Object.values(body?.examples ?? {})[0];
  const sent = requiredHeaders(contract, headers);
  if (Number(status) >= 400) throw problem(example?.value, sent);

  const value = example && input.query[operation.nextPageParameter ?? ""] !== undefined ? asLastPage(example.value) : example?.value;
  const location = sent["Location"] === undefined || status === "302" ? {} : { Location: locationOf(operation, input, value) };
  const bytes = BYTES[media ?? ""];
  return { status: Number(status), headers: { ...sent, ...location }, ...(bytes ? { body: { open: async () => bytes() } } : value ? { body: value } : {}) };
}

/** `code=404, example=by_offset` */
const preferences = (header = "") => new Map(header.split(/[,;]/).map((it) => it.trim().split("=") as [string, string]));

/** The first success that has something to show, or else the first one. */
function usualStatus(contract: Contract, responses: Readonly<Record<string, Json>>): string {
  const successes = Object.keys(responses).filter((it) => /^[23]/.test(it));
  return successes.find((it) => resolve<Response>(contract, responses[it]!).content !== undefined) ?? successes[0]!;
}

function requiredHeaders(contract: Contract, headers: Readonly<Record<string, Json>>): Record<string, string | number> {
  const named = Object.entries(headers).map(([name, header]) => [name, resolve<Header>(contract, header)] as const);
  return Object.fromEntries(named.filter(([name, it]) => it.required === true && !SENT_BY_HTTP.includes(name)).map(([name, it]) => [name, it.example ?? ""]));
}

function problem(example: Json | undefined, headers: Readonly<Record<string, string | number>>): Failure {
  const { code, detail, errors } = example as { code: ProblemCode; detail: string; errors?: Failure["errors"] };
  return new Failure(code, detail, { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])), ...(errors ? { errors } : {}) });
}

/** What follows on a page is always the last one, so that a client that pages comes to an end. */
function asLastPage(example: Json): Json {
  return { ...example, page: { ...(example["page"] as Json), next_cursor: null } };
}

/** The contract's one example of `Location` cannot fit every operation. */
function locationOf({ path, method }: Operation, input: Input, value: Json | undefined): string {
  const asked = path.replace(/\/content$/, "").replaceAll(/\{(\w+)\}/g, (_all, name: string) => input.path[name] ?? "");
  return method === "post" && typeof value?.["id"] === "string" ? `${asked}/${value["id"]}` : asked;
}
