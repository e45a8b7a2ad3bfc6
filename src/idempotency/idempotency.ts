import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import { Failure } from "../failure.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { isLockTimeout } from "../database/database-failure.ts";
import { inBatches } from "../database/purge.ts";

/** A request that may come again: who sends it to which operation, under which key, and what it asks for. */
export type KeyedRequest = {
  readonly userId: string;
  readonly operationId: string;
  /** The `Idempotency-Key` as sent; without one the request is simply done. */
  readonly key: string | undefined;
  /** What must be equal in a retry: the validated input, never headers nor raw bytes. */
  readonly request: unknown;
};

type Options<O> = {
  /** Whether an earlier answer is of use to whoever gets it again; if not, the effect is done anew under the same key. */
  readonly holds?: (tx: Tx, earlier: O) => Promise<boolean>;
};

type Outcome = { readonly status: number; readonly headers?: object; readonly body?: unknown };

/**
 * Does the effect once for each key. Key, effect and answer are committed together, so a crash leaves all or nothing; a
 * retry gets the first answer again, with `Idempotency-Replayed`; the same key with another request is refused (422); a
 * retry that overtakes a first attempt still running waits for it, and gets 409 when that takes too long.
 * After draft-ietf-httpapi-idempotency-key-header-07; failures are not kept, as nothing happened.
 */
export async function once<O extends Outcome>(
  db: Db,
  keyed: KeyedRequest,
  effect: (tx: Tx) => Promise<O>,
  { holds = async () => true }: Options<O> = {},
): Promise<O> {
  const key = bareKey(keyed.key);
  if (key === undefined) return transaction(db, effect);
  const fingerprint = fingerprintOf(keyed.request);
  const id = { userId: keyed.userId, operationId: keyed.operationId, key };
  return transaction(db, async (tx) => {
    if (!(await claim(tx, id, fingerprint))) {
      const earlier = await replay<O>(tx, id, fingerprint);
      if (await holds(tx, earlier)) return earlier;
      // Nobody comes between the two: whoever wants the key waits for the row that is deleted here.
      await tx.idempotencyKey.delete({ where: { userId_operationId_key: id }, select: { status: true } });
      await claim(tx, id, fingerprint);
    }
    const outcome = await effect(tx);
    await tx.idempotencyKey.update({
      where: { userId_operationId_key: id },
      data: {
        status: outcome.status,
        headers: (outcome.headers ?? {}) as Record<string, string>,
        body: JSON.stringify(outcome.body ?? null),
      },
      select: { status: true },
    });
    return outcome;
  });
}

/** Whether a key has an answer already, which another request with it gets again, or is refused for. */
export async function isAnswered(tx: Tx, keyed: Omit<KeyedRequest, "request">): Promise<boolean> {
  const key = bareKey(keyed.key);
  if (key === undefined) return false;
  const { userId, operationId } = keyed;
  return (await tx.idempotencyKey.count({ where: { userId, operationId, key } })) === 1;
}

/** The quoted (RFC 9651 String) and the bare form of a key are the same key. */
export function bareKey<K extends string | undefined>(key: K): K {
  return (key?.startsWith('"') ? key.slice(1, -1) : key) as K;
}

/** SHA-256 of the canonical JSON (RFC 8785) of a request, so that the order of its fields does not matter. */
export function fingerprintOf(request: unknown): Buffer {
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
    { headers: { "Retry-After": "1" }, cause },
  );
}

type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };

/**
 * Takes the key, or an expired one of the same name; waits for a transaction that is taking it at this moment. No other
 * wait means that an attempt under the key is running.
 */
async function claim(tx: Tx, id: KeyId, fingerprint: Buffer): Promise<boolean> {
  const claiming = tx.$queryRaw<unknown[]>`
    INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
    VALUES (${id.userId}::uuid, ${id.operationId}, ${id.key}, ${fingerprint}, 0, '{}', '')
    ON CONFLICT (user_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at < now()
    RETURNING 1 AS claimed`;
  const claimed = await claiming.catch((error: unknown) => {
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

/** Removes keys that have expired, in batches, and says how many. Nobody waits: one that is just being claimed again stays. */
export function purgeIdempotencyKeys(tx: Tx, batchSize?: number): Promise<number> {
  return inBatches(
    (size) => tx.$executeRaw`
      DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_keys WHERE expires_at < now() ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED))`,
    batchSize,
  );
}
