import { hash, randomInt } from "node:crypto";
import type { Readable } from "node:stream";
import canonicalize from "canonicalize";
import { purgeIdempotencyKeys as removeExpiredKeys } from "#generated/sql/idempotency.ts";
import type { AnyOutput, Principal, Routed } from "../contract/contract.ts";
import { etagOf } from "../util/etag.ts";
import { Failure } from "../failure.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { isLockTimeout } from "../database/database-failure.ts";
import { purge } from "../database/purge.ts";
import type { Runner, Statement } from "../database/statement.ts";
import { claimKey, findStoredResponse, NO_CLAIM, type ClaimOrNot, type KeyId } from "./store.ts";

/** The input of an operation that accepts an `Idempotency-Key`. */
type KeyedRequest<Body = unknown> = {
  readonly operation: Routed;
  readonly principal: Principal;
  readonly path: object;
  readonly query: object;
  readonly header: { readonly "Idempotency-Key"?: string };
  readonly body: Body;
  /** Throws an error if a response must not be sent. Later, it could be sent by a version with another contract. */
  readonly checkResponse: (status: number, body: unknown) => void;
};

type Options<O, Body> = {
  /** Whether the stored response is still valid. If it is not, the request runs again under the same key. */
  readonly isStillValid?: (tx: Tx, earlier: O) => Promise<boolean>;
} & (Body extends Readable
  ? {
      /** Identifies the request in place of its query and body. It must be equal in a retry. */
      readonly content: unknown;
    }
  : { readonly content?: never });

/**
 * Runs `effect` once for each idempotency key of a user, operation and path, as in
 * draft-ietf-httpapi-idempotency-key-header-07. One transaction commits the key, the effect and the response, so a crash
 * leaves all of them or none. A retry returns the stored response with `Idempotency-Replayed`. The same key with a different
 * request returns 422. A retry during the first attempt waits for it, and returns 409 if that takes too long. A failure is
 * not stored, because it has no effect, and neither is a response that breaks the contract.
 */
export async function once<Body, O extends AnyOutput>(
  db: Db,
  input: KeyedRequest<Body>,
  effect: (tx: Tx) => Promise<O>,
  ...[options]: Body extends Readable ? [Options<O, Body>] : [Options<O, Body>?]
): Promise<O> {
  const id = keyOf(input);
  if (id === null) return transaction(db, effect);
  const { content, isStillValid = () => Promise.resolve(true) } = options ?? {};
  const fingerprint = fingerprintOf(content ?? contentOf(input));
  return transaction(db, async (tx) => {
    if (!(await claimKey(tx, { ...id, fingerprint }).catch(inProgressIfLocked())).isClaimed) {
      const earlier = await replay<O>(tx, id, fingerprint);
      // The key was purged between the two statements. The client's retry finds it free.
      if (earlier === null) throw inProgress(undefined);
      if (await isStillValid(tx, earlier)) return earlier;
      // No other request can claim the key between the two statements: its claim waits for the deleted row.
      await tx.idempotencyKey.deleteMany({ where: id });
      await claimKey(tx, { ...id, fingerprint });
    }
    const outcome = await effect(tx);
    const { status, headers = {}, body = null } = outcome;
    if (body !== null) input.checkResponse(status, body);
    const data = { status, headers: headers as Record<string, string>, body: JSON.stringify(body) };
    await tx.idempotencyKey.updateMany({ where: id, data });
    return outcome;
  });
}

/** The number of instants that a placeholder can be. RFC 3339 can express no later one. */
const INSTANTS = Date.parse("9999-12-31T23:59:59.999Z");

type InsertOptions<Row, Kept, O> = {
  /** The reason why the statement has inserted nothing although the key is free. */
  readonly whyNot?: () => Promise<Failure>;
  /**
   * Adds to the response that is stored what is only sent: what changes without the resource, what the previous release doesn't know,
   * which must be able to replay the response, and what that release doesn't store. `row` is null if the response was stored before.
   */
  readonly complete?: (kept: Kept, row: Row | null) => O | Promise<O>;
};

/**
 * The same for an effect that is one statement: `draft` returns the row with its creation time, and `answer` the response that is
 * stored. What else the statement returns replaces that of the draft. The statement stores the response that `answer` returns for a
 * random instant, and replaces it by the time that PostgreSQL chooses. The ETag depends on the time, so it is not stored but computed
 * again from the body.
 */
export async function insertOnce<
  P extends ClaimOrNot,
  Row extends Omit<P, keyof ClaimOrNot>,
  Kept extends AnyOutput,
  O extends AnyOutput = Kept,
>(
  pool: Runner,
  input: KeyedRequest,
  statement: Statement<P, (Partial<Row> & { readonly createdAt: string }) | null>,
  draft: (createdAt: string) => Row,
  answer: (row: Row) => Kept,
  { whyNot = () => Promise.resolve(inProgress(undefined)), complete = identity }: InsertOptions<Row, Kept, O> = {},
): Promise<O> {
  const [id, placeholder] = [keyOf(input), new Date(randomInt(INSTANTS)).toISOString()];
  const rowWithPlaceholder = draft(placeholder);
  const insert = (claim: ClaimOrNot) => statement(pool, { ...rowWithPlaceholder, ...claim } as unknown as P);
  const answerFor = (row: Row) => complete(answer(row), row);
  if (id === null) {
    const inserted = await insert(NO_CLAIM);
    if (inserted === null) throw await whyNot();
    return answerFor({ ...draft(inserted.createdAt), ...inserted });
  }
  const fingerprint = fingerprintOf(contentOf(input));
  const { status, headers, body } = answer(rowWithPlaceholder);
  input.checkResponse(status, (await answerFor(rowWithPlaceholder)).body);
  const { ETag: tag, ...constant } = (headers ?? {}) as { readonly ETag?: string };
  const stored = { status, headers: JSON.stringify(constant), response: JSON.stringify(body ?? null) };
  const inserted = await insert({ ...id, fingerprint, ...stored, placeholder }).catch(inProgressIfLocked("idempotency_keys"));
  if (inserted !== null) return answerFor({ ...draft(inserted.createdAt), ...inserted });
  const earlier = await replay<Kept>(pool, id, fingerprint);
  if (earlier === null) throw await whyNot();
  return complete(
    tag === undefined ? earlier : { ...earlier, headers: { ETag: etagOf(earlier.body), ...earlier.headers } },
    null,
  );
}

const identity = <Kept, O>(kept: Kept) => kept as unknown as O;

/** A lock timeout means that an earlier attempt is running, but only if the statement waited for the key. */
const inProgressIfLocked = (table?: string) => (error: unknown) => {
  throw isLockTimeout(error, table) ? inProgress(error) : error;
};

/** Whether a response is stored under the idempotency key of a request. If so, the request returns it or is refused. */
export async function hasStoredResponse(tx: Tx, input: KeyedRequest): Promise<boolean> {
  const id = keyOf(input);
  return id !== null && (await tx.idempotencyKey.count({ where: id })) === 1;
}

type Keyed = Pick<KeyedRequest, "operation" | "principal" | "path" | "header">;

/** The primary key of a stored response: user, operation with path, and idempotency key. Null without an `Idempotency-Key`. */
export function keyOf(input: Keyed & { readonly header: { readonly "Idempotency-Key": string } }): KeyId;
export function keyOf(input: Keyed): KeyId | null;
export function keyOf({ operation, principal, path, header }: Keyed): KeyId | null {
  const key = bareKey(header["Idempotency-Key"]);
  if (key === undefined) return null;
  const parents = Object.values(path);
  // The column has room for the name and 22 characters (132 bits). Without path parameters, it has the name alone.
  const scope = parents.length === 0 ? operation : `${operation} ${fingerprintOf(path).toString("base64url").slice(0, 22)}`;
  return { userId: principal.userId, operationId: scope, key };
}

/** The part of a request that must be equal in a retry: the validated query and body, but neither headers nor raw bytes. */
const contentOf = ({ query, body }: KeyedRequest): unknown => (Object.keys(query).length === 0 ? body : { query, body });

/** The bare form of a key. A key in quotes (an RFC 9651 String) is the same key without them. */
function bareKey<K extends string | undefined>(key: K): K {
  return (key?.startsWith('"') ? key.slice(1, -1) : key) as K;
}

/** The SHA-256 of the canonical JSON (RFC 8785) of a request, so that the order of fields does not matter. */
function fingerprintOf(request: unknown): Buffer {
  return hash("sha256", canonicalize(request) ?? "", "buffer");
}

/** The key was used for a different request. */
export function keyReused(): Failure {
  return new Failure(
    "idempotency_key_reused",
    "This Idempotency-Key was used for a different request. Use a new key for a new request.",
  );
}

/** The first attempt is still running. */
export function inProgress(cause: unknown): Failure {
  return new Failure(
    "idempotency_in_progress",
    "An earlier request with this Idempotency-Key is still running. Retry the same request.",
    { retryAfterSeconds: 1, cause },
  );
}

/** The stored response; null if there is none. */
async function replay<O extends AnyOutput>(runner: Runner, id: KeyId, fingerprint: Buffer): Promise<O | null> {
  const stored = await findStoredResponse(runner, id);
  if (stored === null) return null;
  if (!fingerprint.equals(stored.fingerprint)) throw keyReused();
  // The same operation stored it as an O, because the operation is part of the stored key.
  return {
    status: stored.status,
    headers: { ...(JSON.parse(stored.headers) as object), "Idempotency-Replayed": "true" },
    body: JSON.parse(stored.body) as unknown,
    isStored: true,
  } as unknown as O;
}

/** Removes expired keys, and returns their number. A key that a request is claiming is locked, and stays. */
export const purgeIdempotencyKeys = (tx: Tx): Promise<number> => purge((batch) => removeExpiredKeys(tx, { batch }));
