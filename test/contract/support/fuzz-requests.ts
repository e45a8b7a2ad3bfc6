import { randomUUID } from "node:crypto";
import { resolve } from "../../../src/contract/bundle.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import type { Answer, Client } from "../../support/client.ts";
import { contract, flawsOfRequest, operations, parametersOf, rawOperation } from "../../support/contract.ts";
import type { Random } from "../../support/seed.ts";
import { chance, mutated, pick, valid, type Hostile } from "./values.ts";
import { namesIn } from "../../support/resources.ts";

export type FuzzRequest = {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly caller: Client;
  /** Whether every part fits its schema, or the body doesn't. Null if this is hard to decide. */
  readonly verdict: "fits" | "body does not fit" | null;
};

/** The senders. Only the trusted ones have every scope. */
export type Callers = { readonly trusted: readonly Client[]; readonly others: readonly Client[] };

/** A resource that was created: the ids in its path, its owner, and its upload offset. */
type Scene = { readonly ids: ReadonlyMap<string, string>; readonly caller: Client; readonly offset: string | null };

/** Values from earlier responses, by the name of the parameter that can use them, and resources, by their path. */
export class Pool {
  readonly #seen = new Map<string, string[]>();
  readonly #scenes = new Map<string, Scene[]>();
  scenes(path: string): readonly Scene[] {
    return this.#scenes.get(path) ?? [];
  }
  all(name: string): readonly string[] {
    return this.#seen.get(name) ?? [];
  }
  add(name: string, value: unknown): void {
    if (typeof value !== "string") return;
    const known = this.#seen.get(name) ?? [];
    known.push(value);
    // Ids of deleted resources are useful, but not too many of them.
    if (known.length > 60) known.shift();
    this.#seen.set(name, known);
  }

  /** Stores values from a response: ids of created or listed resources, cursors, and entity tags. */
  learn({ operation: { path }, caller }: FuzzRequest, answer: Answer): void {
    this.add("etag", answer.headers.get("etag"));
    const made = namedIn(answer.headers.get("location") ?? "");
    for (const [name, value] of made?.ids ?? []) this.add(name, value);
    if (made !== null)
      this.#scenes.set(made.path, [
        ...this.scenes(made.path).slice(-20),
        { ids: made.ids, caller, offset: answer.headers.get("upload-offset") },
      ]);
    const owner = operations.find((it) => it.path.startsWith(`${path}/{`))?.path ?? path;
    const name = namesIn(owner).at(-1);
    const { body } = answer;
    this.add("cursor", body?.page?.next_cursor);
    this.add("cursor", body?.page?.prev_cursor);
    this.add("seen", body?.seen);
    if (name === undefined) return;
    for (const item of [body, ...(body?.data ?? [])]) this.add(name, item?.id ?? item?.user_id);
  }
}

/** The path in the contract that a `Location` matches, and the ids in it. */
function namedIn(location: string): { path: string; ids: ReadonlyMap<string, string> } | null {
  const path = operations
    .map((it) => it.path)
    .find((it) => it.includes("{") && new RegExp(`^${it.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(location));
  if (path === undefined) return null;
  const segments = location.split("/");
  return {
    path,
    ids: new Map(
      path
        .split("/")
        .flatMap((segment, index): [string, string][] =>
          segment.startsWith("{") ? [[segment.slice(1, -1), segments[index]!]] : [],
        ),
    ),
  };
}

const FIELD_POOLS: Readonly<Record<string, string>> = { member_ids: "user_id", conversation_id: "conversationId", seen: "seen" };
const TYPES = [
  "text/plain",
  "application/xml",
  "application/json; charset=utf-16",
  "APPLICATION/JSON",
  "application/json;charset=utf-8",
  "multipart/form-data; boundary=x",
  "application/octet-stream",
  "x",
  "",
  "application/json, application/json",
];
const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ["Accept", "application/xml"],
  ["Accept", "*/*;q=0"],
  ["Accept", "image/png, */*;q=0.1"],
  ["Content-Encoding", "gzip"],
  ["Range", "bytes=0-1"],
  ["If-Match", "*"],
  ["If-None-Match", "*"],
  ["If-None-Match", "garbage"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["X-Forwarded-For", "1.2.3.4, 5.6.7.8"],
  ["X-Request-Id", "../../x"],
  ["Origin", "https://evil.example"],
  ["Cookie", "a=b"],
  ["Idempotency-Key", "short"],
  ["Content-Digest", "md5=:x:"],
  ["Prefer", "return=minimal"],
];

/** An operation, and the resource to use. The owner of the resource must send the request. */
type Aim = { readonly operation: Operation; readonly scene: Scene };

/** A random request from the contract. Each part is usually valid; with an aim, no part is invalid on purpose. */
export function anyRequest(random: Random, bad: Hostile, pool: Pool, callers: Callers, aim: Aim | null = null): FuzzRequest {
  const operation = aim?.operation ?? pick(random, operations);
  const state = { fits: true };
  const spoilt = (percent: number) => {
    // 100 percent means that the part can never be known to be valid, so an aim doesn't change it.
    const isSpoilt = chance(random, aim === null || percent === 100 ? percent : 0);
    if (isSpoilt) state.fits = false;
    return isSpoilt;
  };
  const scenes = pool.scenes(operation.path);
  const scene = aim?.scene ?? (scenes.length > 0 && chance(random, 50) ? pick(random, scenes) : null);
  const path = operation.path.replaceAll(
    /\{(\w+)\}/g,
    (_whole, name: string) =>
      scene?.ids.get(name) ?? encodeURIComponent(pathValue(operation, name, random, bad, pool, spoilt).toWellFormed()),
  );
  const query = queryOf(operation, random, bad, pool, scene, spoilt);
  const headers = headersOf(operation, random, bad, pool, scene, spoilt);
  if (spoilt(4)) headers.push(pick(random, ODD_HEADERS));
  const caller = spoilt(12)
    ? pick(random, callers.others)
    : scene !== null && callers.trusted.includes(scene.caller) && (aim !== null || chance(random, 70))
      ? scene.caller
      : pick(random, callers.trusted);
  const method = methodOf(operation, random, spoilt);
  const { body, type, flaws } =
    method === "GET" || method === "HEAD" ? NO_BODY : bodyOf(operation, random, bad, pool, spoilt, aim === null);
  // `fetch` normalizes the URL in the same way, so this finds the operation that really receives the request.
  const { pathname, search } = new URL(`${path}${query === "" ? "" : `?${query}`}`, "http://localhost");
  const verdict = flaws && state.fits ? "body does not fit" : state.fits && !flaws ? "fits" : null;
  return {
    operation,
    method,
    path: pathname + search,
    headers: Object.fromEntries([...headers, ...(type === null ? [] : [["Content-Type", type] as const])]),
    body,
    caller,
    verdict,
  };
}

const NO_BODY = { body: undefined, type: null, flaws: false };
type Spoilt = (percent: number) => boolean;

function methodOf({ method }: Operation, random: Random, spoilt: Spoilt): string {
  if (method === "get" && chance(random, 10)) return "HEAD";
  return spoilt(1) ? pick(random, ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) : method.toUpperCase();
}

function pathValue(operation: Operation, name: string, random: Random, bad: Hostile, pool: Pool, spoilt: Spoilt): string {
  const { schema } = parametersOf(operation).find((it) => it.in === "path" && it.name === name)!;
  if (spoilt(6)) return pick(random, bad.strings) || "x";
  if (spoilt(4)) return pick(random, [...pool.all("post_id"), ...pool.all("conversationId"), ...pool.all("id"), "x"]);
  const known = pool.all(name);
  return known.length > 0 && chance(random, 85) ? pick(random, known) : String(valid(schema, random));
}

function queryOf(operation: Operation, random: Random, bad: Hostile, pool: Pool, scene: Scene | null, spoilt: Spoilt): string {
  const query = new URLSearchParams();
  for (const { name, required = false, schema } of parametersOf(operation).filter((it) => it.in === "query")) {
    if (required ? spoilt(4) : !chance(random, 35)) continue;
    const isCursor = name === "after" || name === "before";
    if (spoilt(12)) query.append(name, pick(random, bad.strings));
    else
      query.append(
        name,
        isCursor && pool.all("cursor").length > 0
          ? pick(random, pool.all("cursor"))
          : String(
              name === "author" && chance(random, 70)
                ? pick(random, [...pool.all("user_id"), valid(schema, random)])
                : (scene?.ids.get(name) ?? valid(schema, random)),
            ),
      );
    if (spoilt(2)) query.append(name, "1");
  }
  if (spoilt(4)) query.append(pick(random, bad.strings), pick(random, bad.strings));
  return query.toString();
}

function headersOf(
  operation: Operation,
  random: Random,
  bad: Hostile,
  pool: Pool,
  scene: Scene | null,
  spoilt: Spoilt,
): (readonly [string, string])[] {
  return parametersOf(operation)
    .filter((it) => it.in === "header")
    .flatMap(({ name, required = false, schema }): (readonly [string, string])[] => {
      // A random digest or length is always wrong.
      if (!required && !chance(random, /-Digest$|-Length$/.test(name) ? 5 : 25)) return [];
      if (required && spoilt(4)) return [];
      if (spoilt(8)) return [[name, headerSafe(pick(random, bad.strings))]];
      if (name === "Idempotency-Key") return [[name, chance(random, 20) ? `reused-key-${random(5)}` : randomUUID()]];
      if (name.startsWith("If-")) return [[name, pick(random, [...pool.all("etag"), "*", '"other"'])]];
      return [[name, name === "Upload-Offset" && scene?.offset ? scene.offset : String(valid(schema, random))]];
    });
}

const headerSafe = (text: string) =>
  text
    .replaceAll(/[^\x20-\x7e\x80-\xff]/g, "")
    .slice(0, 500)
    .trim();

function bodyOf(
  operation: Operation,
  random: Random,
  bad: Hostile,
  pool: Pool,
  spoilt: Spoilt,
  isMutable: boolean,
): { body: string | Uint8Array | undefined; type: string | null; flaws: boolean } {
  const { body: media } = operation;
  if (media === null) return NO_BODY;
  const type = spoilt(3) ? pick(random, TYPES) : media;
  // The contract describes the bytes only in prose, so this can't know whether they are valid.
  if (media !== "application/json" && spoilt(100))
    return { body: chance(random, 5) ? undefined : Buffer.from(pick(random, bad.strings)), type, flaws: false };
  if (spoilt(3)) return { body: undefined, type, flaws: false };
  if (spoilt(6)) return { body: Buffer.from(pick(random, bad.texts)), type, flaws: false };
  const { content } = resolve<{ content: Record<string, { schema: { readonly [key: string]: unknown } }> }>(
    contract,
    rawOperation(operation).requestBody!,
  );
  const { schema } = content[media]!;
  const right = withKnown(valid(resolve<object>(contract, schema), random), random, pool);
  const value = isMutable && chance(random, 45) ? mutated(right, random, bad) : right;
  const text = JSON.stringify(value);
  // A rule that no schema can express refuses an unpaired surrogate.
  if (/\\ud[89a-f]/.test(text)) spoilt(100);
  return { body: text, type, flaws: flawsOfRequest(schema, JSON.parse(text)) !== null };
}

/** Replaces most ids by those of existing resources, because a request with a random id doesn't get far. */
function withKnown(value: unknown, random: Random, pool: Pool): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => {
      const known = pool.all(FIELD_POOLS[name] ?? "");
      if (name === "expires_at") return [name, new Date(Date.now() + random(2 ** 30)).toISOString()];
      if (name === "sequence" && chance(random, 85)) return [name, random(3)];
      if (known.length === 0 || chance(random, 15)) return [name, it];
      return [name, Array.isArray(it) ? [...new Set(it.map(() => pick(random, known)))] : pick(random, known)];
    }),
  );
}
