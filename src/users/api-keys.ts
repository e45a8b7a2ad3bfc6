import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Tx } from "../db/client.ts";
import type { Principal } from "./principal.ts";

const ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH = 12;
const FORM = /^plumb_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** Whether a bearer token claims to be one of our API keys, as opposed to a JWT. */
export const looksLikeApiKey = (token: string): boolean => token.startsWith("plumb_");

/**
 * Makes a key for a user and returns it: the only moment at which it is known whole. An unsalted SHA-256 is enough to
 * keep, as the secret has 256 bits of its own.
 */
export async function insertApiKey(
  tx: Tx,
  key: { userId: string; scopes: readonly string[]; expiresAt?: Date },
): Promise<string> {
  const id = Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join("");
  const secret = randomBytes(32).toString("base64url");
  await tx.apiKey.create({
    data: {
      id,
      userId: key.userId,
      scopes: [...key.scopes],
      expiresAt: key.expiresAt ?? null,
      secretHash: hash("sha256", secret, "buffer"),
    },
  });
  return `plumb_${id}_${secret}`;
}

/** Whom a key stands for, or null when it is unknown, wrong, expired or revoked. */
export async function findPrincipalByApiKey(tx: Tx, token: string): Promise<Principal | null> {
  const [, id, secret] = FORM.exec(token) ?? [];
  if (id === undefined || secret === undefined) return null;
  const key = await tx.apiKey.findUnique({ where: { id }, include: { user: { select: { displayName: true } } } });
  if (key === null || !timingSafeEqual(hash("sha256", secret, "buffer"), key.secretHash)) return null;
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= new Date())) return null;
  return {
    userId: key.userId,
    displayName: key.user.displayName,
    scopes: new Set(key.scopes),
    credential: { kind: "api_key", expiresAt: key.expiresAt },
  };
}

/** Revokes every key of a user and says how many there were. */
export async function revokeApiKeys(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: new Date() } });
  return count;
}
