import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Tx } from "../database/client.ts";
import type { Principal } from "../contract/contract.ts";

const FORM = /^plumb_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** Whether a bearer token has the form of our API keys; a JWT never has. */
export const isApiKey = (token: string): boolean => FORM.test(token);

/**
 * Makes a key for a user and returns it: the only moment at which it is known whole. An unsalted SHA-256 is enough to
 * keep, as the secret has 256 bits of its own.
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

/** The principal of each key, in one query; null for a key that is unknown, wrong, expired or revoked. */
export async function findPrincipalsByApiKeys(tx: Tx, tokens: readonly string[]): Promise<readonly (Principal | null)[]> {
  const parts = tokens.map((token) => FORM.exec(token) ?? []);
  const rows = await tx.apiKey.findMany({
    where: { id: { in: [...new Set(parts.map(([, id]) => id ?? ""))] } },
    include: { user: { select: { displayName: true } } },
  });
  const keys = new Map(rows.map((it) => [it.id, it]));
  return parts.map(([, id = "", secret = ""]) => {
    const key = keys.get(id);
    if (key === undefined || !timingSafeEqual(hash("sha256", secret, "buffer"), key.secretHash)) return null;
    if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= new Date())) return null;
    return {
      userId: key.userId,
      displayName: key.user.displayName,
      scopes: new Set(key.scopes),
      credential: { kind: "api_key", expiresAt: key.expiresAt },
    };
  });
}

/** Revokes every key of a user and says how many there were. */
export async function revokeApiKeys(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: new Date() } });
  return count;
}
