import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Tx } from "../database/client.ts";
import { statement, unplanned } from "../database/old-statement.ts";
import type { Runner } from "../database/statement.ts";
import type { Principal } from "../contract/contract.ts";

const FORM = /^plumb_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** Whether a bearer token has the form of an API key of this service. A JWT never does. */
export const isApiKey = (token: string): boolean => FORM.test(token);

/**
 * Creates an API key for a user and returns it. It cannot be read again, because only a hash of its secret is stored. An
 * unsalted SHA-256 is enough for a random secret of 256 bits.
 */
export async function insertApiKey(
  tx: Tx,
  key: { userId: string; scopes: readonly string[]; expiresAt?: Date },
): Promise<string> {
  const id = randomBytes(6).toString("hex");
  const secret = randomBytes(32).toString("base64url");
  await tx.apiKey.create({
    data: { ...key, id, scopes: [...key.scopes], secretHash: hash("sha256", secret, "buffer") },
  });
  return `plumb_${id}_${secret}`;
}

/** In SQL because most requests of a client that is back after a while begin with it. */
const FIND_KEYS = statement({
  name: "find_api_keys",
  takes: ["text[]"],
  gives: {
    id: "text",
    userId: "uuid",
    displayName: "text",
    scopes: "text[]",
    secretHash: "bytes",
    expiresAt: "instant?",
    revokedAt: "instant?",
  },
  text: `SELECT k.id, k.user_id, u.display_name, k.scopes, k.secret_hash, k.expires_at, k.revoked_at
    FROM api_keys k JOIN users u ON u.id = k.user_id AND u.deleted_at IS NULL WHERE k.id = ANY (${unplanned("$1", "text[]")}::text[])`,
});

/** Finds the principal of each API key in one query, or null for a key that is unknown, wrong, expired or revoked. */
export async function findPrincipalsByApiKeys(runner: Runner, tokens: readonly string[]): Promise<readonly (Principal | null)[]> {
  const parts = tokens.map((token) => FORM.exec(token) ?? []);
  const rows = await FIND_KEYS(runner, [...new Set(parts.map(([, id]) => id ?? ""))]);
  const keys = new Map(rows.map((it) => [it.id, it]));
  return parts.map(([, id = "", secret = ""]) => {
    const key = keys.get(id);
    if (key === undefined || !timingSafeEqual(hash("sha256", secret, "buffer"), key.secretHash)) return null;
    const expiresAt = key.expiresAt === null ? null : new Date(key.expiresAt);
    if (key.revokedAt !== null || (expiresAt !== null && expiresAt <= new Date())) return null;
    return {
      userId: key.userId,
      displayName: key.displayName,
      scopes: new Set(key.scopes),
      credential: { kind: "api_key", expiresAt },
    };
  });
}

/**
 * Creates a key with the scopes of an existing one, which stops working after `graceSeconds` at the latest. Null if there is no
 * such key, or if it doesn't work any more.
 */
export async function rotateApiKey(tx: Tx, id: string, graceSeconds: number) {
  const [old] = await tx.$queryRaw<{ userId: string; scopes: string[]; expiresAt: Date }[]>`
    UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => ${graceSeconds}::double precision))
    WHERE id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) RETURNING user_id AS "userId", scopes, expires_at AS "expiresAt"`;
  if (old === undefined) return null;
  const { userId, scopes, expiresAt } = old;
  return { userId, apiKey: await insertApiKey(tx, { userId, scopes }), expiresAt };
}

/** Sets when a key stops working: at an instant, or now. Null if there is no such key, or if it doesn't work any more. */
export async function expireApiKey(tx: Tx, id: string, at: Date | null): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ expiresAt: Date }[]>`
    UPDATE api_keys SET expires_at = coalesce(${at}::timestamptz, now()) WHERE id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    RETURNING expires_at AS "expiresAt"`;
  return row?.expiresAt ?? null;
}

/** Revokes all API keys of a user, and returns how many it revoked. */
export async function revokeApiKeys(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: new Date() } });
  return count;
}
