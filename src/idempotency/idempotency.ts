import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import canonicalize from "canonicalize";
import { Prisma } from "#generated/prisma/client.ts";
import type { Principal, Routed } from "../contract/contract.ts";
import { Failure } from "../failure.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { isLockTimeout } from "../database/database-failure.ts";
import { purge } from "../database/purge.ts";

/** A request of an operation that takes an `Idempotency-Key`, as a handler gets it. */
type KeyedRequest<Body = unknown> = {
  readonly operation: Routed;
  readonly principal: Principal;
  readonly path: object;
  readonly query: object;
  readonly header: { readonly "Idempotency-Key"?: string };
  readonly body: Body;
};

type Options<O, Body> = {
  /** Whether an earlier answer is still of use; if not, the effect happens again under the same key. */
  readonly holds?: (tx: Tx, earlier: O) => Promise<boolean>;
} & (Body extends Readable
  ? {
      /** What stands for query and bytes: it must be equal in a retry. */
      readonly content: unknown;
    }
  : { readonly content?: never });

type Outcome = { readonly status: number; readonly headers?: object; readonly body?: unknown };

/**
 * Does the effect once for each key of this user, operation and path. Key, effect and answer are committed together, so a
 * crash leaves all or nothing; a retry gets the first answer again, with `Idempotency-Replayed`; the same key with another
 * request is refused (422); a retry that overtakes a first attempt still running waits for it, and gets 409 when that
 * takes too long. After draft-ietf-httpapi-idempotency-key-header-07; failures are not kept, as nothing happened.
 */
export async function once<Body, O extends Outcome>(
  db: Db,
  input: KeyedRequest<Body>,
  effect: (tx: Tx) => Promise<O>,
  ...[options]: Body extends Readable ? [Options<O, Body>] : [Options<O, Body>?]
): Promise<O> {
  const id = keyOf(input);
  if (id === null) return transaction(db, effect);
  const { content, holds = () => Promise.resolve(true) } = options ?? {};
  const fingerprint = fingerprintOf(content ?? contentOf(input));
  return transaction(db, async (tx) => {
    if (!(await claim(tx, id, fingerprint))) {
      const earlier = await replay<O>(tx, id, fingerprint);
      if (await holds(tx, earlier)) return earlier;
      // No other request gets the key in between: its claim waits for the row that is deleted here.
      await tx.idempotencyKey.deleteMany({ where: id });
      await claim(tx, id, fingerprint);
    }
    const outcome = await effect(tx);
    const { status, headers = {}, body = null } = outcome;
    const answer = { status, headers: headers as Record<string, string>, body: JSON.stringify(body) };
    await tx.idempotencyKey.updateMany({ where: id, data: answer });
    return outcome;
  });
}

/** Whether the key of a request has an answer already, which the request gets again, or is refused for. */
export async function isAnswered(tx: Tx, input: KeyedRequest): Promise<boolean> {
  const id = keyOf(input);
  return id !== null && (await tx.idempotencyKey.count({ where: id })) === 1;
}

/** The key of a request as it is stored: one for each user, operation and path. Null without an `Idempotency-Key`. */
export function keyOf({ operation, principal, path, header }: Omit<KeyedRequest, "query" | "body">): KeyId | null {
  const key = bareKey(header["Idempotency-Key"]);
  if (key === undefined) return null;
  const parents = Object.values(path);
  // The column has room for a name and 128 bits, and keys without a parent are stored as they have been since 1.0.0.
  const scope = parents.length === 0 ? operation : `${operation} ${fingerprintOf(path).toString("base64url").slice(0, 22)}`;
  return { userId: principal.userId, operationId: scope, key };
}

/** What must be equal in a retry: the validated input, never headers nor raw bytes. */
const contentOf = ({ query, body }: KeyedRequest): unknown => (Object.keys(query).length === 0 ? body : { query, body });

/** The quoted (RFC 9651 String) and the bare form of a key are the same key. */
export function bareKey<K extends string | undefined>(key: K): K {
  return (key?.startsWith('"') ? key.slice(1, -1) : key) as K;
}

/** SHA-256 of the canonical JSON (RFC 8785) of a request, so that the order of its fields does not matter. */
function fingerprintOf(request: unknown): Buffer {
  return hash("sha256", canonicalize(request) ?? "", "buffer");
}

/** The same key came with another request. */
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

type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };

/**
 * Takes the key, or an expired one of the same name; waits for a transaction that is taking it at this moment. No other
 * wait means that an attempt under the key is running.
 */
async function claim(tx: Tx, id: KeyId, fingerprint: Buffer): Promise<boolean> {
  const claimed = await tx.$queryRaw<unknown[]>`
    INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
    VALUES (${id.userId}::uuid, ${id.operationId}, ${id.key}, ${fingerprint}, 0, '{}', '')
    ON CONFLICT (user_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at < now()
    RETURNING 1 AS claimed`.catch((error: unknown) => {
    throw isLockTimeout(error) ? inProgress(error) : error;
  });
  return claimed.length > 0;
}

async function replay<O extends Outcome>(tx: Tx, id: KeyId, fingerprint: Buffer): Promise<O> {
  const stored = await tx.idempotencyKey.findUnique({ where: { userId_operationId_key: id } });
  // Purged between the two statements: the client's retry will find the key free.
  if (stored === null) throw inProgress(undefined);
  if (!fingerprint.equals(stored.fingerprint)) throw keyReused();
  // The same operation has stored it as an O; the fingerprint, which holds the operation, has just been compared.
  return {
    status: stored.status,
    headers: { ...(stored.headers as object), "Idempotency-Replayed": "true" },
    body: JSON.parse(stored.body) as unknown,
  } as unknown as O;
}

/** Removes expired keys, and returns how many. A key that is just being claimed again stays. */
export function purgeIdempotencyKeys(tx: Tx): Promise<number> {
  return purge(tx, "idempotency_keys", Prisma.sql`expires_at < now() ORDER BY expires_at`);
}
