import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import { purgeIdempotencyKeys as removeExpiredKeys } from "#generated/sql/idempotency.ts";
import type { AnyOutput, Principal, Routed } from "../contract/contract.ts";
import { Failure } from "../failure.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { isLockTimeout } from "../database/database-failure.ts";
import { purge } from "../database/purge.ts";
import type { Runner } from "../database/statement.ts";
import { claimKey, findStoredResponse, NO_CLAIM, type Claim, type KeyId } from "./store.ts";

/** The input of an operation that accepts an `Idempotency-Key`. */
type KeyedRequest = Keyed & {
  /** Query and body identify the request. An upload has the size and the digest of its bytes here. */
  readonly query: object;
  readonly body: Readonly<Record<string, unknown>>;
  /** Throws an error if a response must not be sent. Later, it could be sent by a version with another contract. */
  readonly checkResponse: (status: number, body: unknown) => void;
};
type Keyed = {
  readonly operation: Routed;
  readonly principal: Principal;
  readonly path: object;
  readonly header: { readonly "Idempotency-Key"?: string };
};
/** A response that can be stored. */
export type Replayable = AnyOutput & { readonly body: object };

/**
 * Runs `effect` once for each idempotency key of a user, operation and path, as in
 * draft-ietf-httpapi-idempotency-key-header-07. One transaction commits the key, the effect and the response, so a crash
 * leaves all of them or none. A retry returns the stored response with `Idempotency-Replayed`. The same key with a different
 * request returns 422. A retry during the first attempt waits for it, and returns 409 if that takes too long. A failure is
 * not stored, because it has no effect, and neither is a response that breaks the contract. If `isStillValid` refuses the stored
 * response, the request runs again under the same key.
 */
export async function once<O extends Replayable>(
  db: Db,
  input: KeyedRequest,
  effect: (tx: Tx) => Promise<O>,
  isStillValid: (tx: Tx, earlier: O) => Promise<boolean> = () => Promise.resolve(true),
): Promise<O> {
  const id = keyOf(input);
  if (id === null) return transaction(db, effect);
  const request = { ...id, fingerprint: fingerprintOf(input) };
  return transaction(db, async (tx) => {
    if (!(await claimKey(tx, request).catch(inProgressIfLocked())).isClaimed) {
      const earlier = await replay<O>(tx, request);
      // The key was purged between the two statements. The client's retry finds it free.
      if (earlier === null) throw inProgress(undefined);
      if (await isStillValid(tx, earlier)) return earlier;
      // No other request can claim the key between the two statements: its claim waits for the deleted row.
      await tx.idempotencyKey.deleteMany({ where: id });
      await claimKey(tx, request);
    }
    const response = await effect(tx);
    await tx.idempotencyKey.updateMany({ where: id, data: stored(input, response) });
    return response;
  });
}

/** The creation time in a response that is stored. `claim_key` replaces it by the time of the transaction. */
const PLACEHOLDER = new Date(0).toISOString();

/**
 * The same for an effect that is one INSERT, in one round trip: the statement of `insert` also claims the key and stores the response.
 * `respond` makes the response of a creation time: first of a placeholder, because only PostgreSQL knows the time, then of the row's.
 * `row` is null for a replay. `whyNot` says why nothing was inserted although the key is free.
 */
export async function insertOnce<Row extends { readonly createdAt: string }, O extends Replayable>(
  runner: Runner,
  input: KeyedRequest,
  insert: (claim: Claim) => Promise<Row | null>,
  respond: (createdAt: string) => O,
  whyNot = (): Promise<Failure> => Promise.resolve(inProgress(undefined)),
): Promise<{ readonly response: O; readonly row: Row | null }> {
  const id = keyOf(input);
  if (id === null) {
    const row = await insert(NO_CLAIM);
    if (row === null) throw await whyNot();
    return { response: respond(row.createdAt), row };
  }
  const request = { ...id, fingerprint: fingerprintOf(input) };
  const { status, headers, body } = stored(input, respond(PLACEHOLDER));
  const claim = { ...request, status, headers: JSON.stringify(headers), response: body, placeholder: PLACEHOLDER };
  const row = await insert(claim).catch(inProgressIfLocked("idempotency_keys"));
  if (row !== null) return { response: respond(row.createdAt), row };
  const response = await replay<O>(runner, request);
  if (response === null) throw await whyNot();
  return { response, row: null };
}

/** What is stored of a response. Throws an error if it breaks the contract. */
function stored({ checkResponse }: KeyedRequest, { status, headers = {}, body }: Replayable) {
  checkResponse(status, body);
  return { status, headers: headers as Record<string, string>, body: JSON.stringify(body) };
}

/** The stored response; null if there is none. */
async function replay<O extends Replayable>(
  runner: Runner,
  request: KeyId & { readonly fingerprint: Buffer },
): Promise<O | null> {
  const found = await findStoredResponse(runner, request);
  if (found === null) return null;
  if (!request.fingerprint.equals(found.fingerprint)) throw keyReused();
  // The same operation stored it as an O, because the operation is part of the stored key.
  return {
    status: found.status,
    headers: { ...(JSON.parse(found.headers) as object), "Idempotency-Replayed": "true" },
    body: JSON.parse(found.body) as unknown,
    isStored: true,
  } as unknown as O;
}

/** A lock timeout means that an earlier attempt is running, but only if the statement waited for the key. */
const inProgressIfLocked = (table?: string) => (error: unknown) => {
  throw isLockTimeout(error, table) ? inProgress(error) : error;
};

/** Whether a response is stored under the idempotency key of a request. If so, the request returns it or is refused. */
export async function hasStoredResponse(tx: Tx, input: Keyed): Promise<boolean> {
  const id = keyOf(input);
  return id !== null && (await tx.idempotencyKey.count({ where: id })) === 1;
}

/** The primary key of a stored response: user, operation with path, and idempotency key. Null without an `Idempotency-Key`. */
export function keyOf({ operation, principal, path, header }: Keyed): KeyId | null {
  const key = bareKeyOf({ header });
  if (key === undefined) return null;
  const parents = Object.values(path);
  // The column has room for the name and 22 characters (132 bits). Without path parameters, it has the name alone.
  const scope = parents.length === 0 ? operation : `${operation} ${digestOf(path).slice(0, 22)}`;
  return { userId: principal.userId, operationId: scope, key };
}

/** The bare form of the key of a request. A key in quotes (an RFC 9651 String) is the same key without them. */
export function bareKeyOf<K extends string | undefined>({ header }: { readonly header: { readonly "Idempotency-Key"?: K } }): K {
  const key = header["Idempotency-Key"];
  return (key?.startsWith('"') ? key.slice(1, -1) : key) as K;
}

/** What must be equal in a retry: the validated query and body, but neither headers nor raw bytes. */
const fingerprintOf = ({ query, body }: KeyedRequest) =>
  Buffer.from(digestOf(Object.keys(query).length === 0 ? body : { query, body }), "base64url");

/** The SHA-256 of the canonical JSON (RFC 8785), so that the order of fields does not matter. */
const digestOf = (value: unknown): string => hash("sha256", canonicalize(value) ?? "", "base64url");

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

/** Removes expired keys, and returns their number. A key that a request is claiming is locked, and stays. */
export const purgeIdempotencyKeys = (tx: Tx): Promise<number> => purge((batch) => removeExpiredKeys(tx, { batch }));
