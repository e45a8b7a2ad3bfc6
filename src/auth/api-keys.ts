import { expireApiKey as setExpiry, findApiKeys, lockApiKey, shortenApiKey } from "#generated/sql/auth/api-keys.ts";
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Tx } from "../database/client.ts";
import type { Runner } from "../database/statement.ts";
import type { Principal } from "../contract/contract.ts";
import { Failure } from "../failure.ts";

const FORM = /^plumb_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** Whether a bearer token has the format of an API key, which a JWT never has. */
export const isApiKey = (token: string): boolean => FORM.test(token);

/**
 * Creates an API key for a user. It can't be read again, because only a hash of its secret is stored; unsalted SHA-256 is enough for 256
 * random bits.
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

/** Finds the principals of API keys in one query; null for an unknown, wrong, expired or revoked key. */
export async function findPrincipalsByApiKeys(runner: Runner, tokens: readonly string[]): Promise<readonly (Principal | null)[]> {
  const parts = tokens.map((token) => FORM.exec(token) ?? []);
  const rows = await findApiKeys(runner, { ids: [...new Set(parts.map(([, id]) => id ?? ""))] });
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
      credential: { kind: "api_key", keyId: key.id, expiresAt },
    };
  });
}

/** Creates a key with the scopes of an existing one, which expires within `graceSeconds`. Null without a valid key. */
export async function rotateApiKey(tx: Tx, id: string, graceSeconds: number) {
  const old = await shortenApiKey(tx, { id, graceSeconds });
  if (old === null) return null;
  const { userId, scopes, expiresAt } = old;
  return { userId, apiKey: await insertApiKey(tx, { userId, scopes }), expiresAt: new Date(expiresAt) };
}

/** Sets the expiry of a key, by default now. Null without a valid key. */
export async function expireApiKey(tx: Tx, id: string, at: Date | null): Promise<Date | null> {
  const row = await setExpiry(tx, { id, at: at?.toISOString() ?? null });
  return row === null ? null : new Date(row.expiresAt);
}

/** Revokes all API keys of a user, or one of them, and returns their number. */
export async function revokeApiKeys(tx: Tx, userId: string, id?: string): Promise<number> {
  const where = { userId, revokedAt: null, ...(id === undefined ? {} : { id }) };
  const { count } = await tx.apiKey.updateMany({ where, data: { revokedAt: new Date() } });
  return count;
}

/**
 * Locks the API key of a request until the transaction ends, and returns its id; null for a JWT. A cached principal can have a key that
 * was revoked a moment ago.
 */
export async function lockApiKeyOf(tx: Tx, { credential }: Principal): Promise<string | null> {
  const { keyId } = credential;
  if (keyId === null) return null;
  if ((await lockApiKey(tx, { id: keyId })) === null) throw invalidToken();
  return keyId;
}

/** The failure for a bearer token that is not valid. */
export const invalidToken = () => new Failure("invalid_token", "The token is unknown, expired or revoked.");
