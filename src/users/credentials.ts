import { hash, randomUUIDv7 } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Db } from "../db/client.ts";
import { Failure } from "../failure.ts";
import { findPrincipalByApiKey, looksLikeApiKey } from "./api-keys.ts";
import type { JwtClaims, VerifyJwt } from "./jwt.ts";
import type { Principal } from "./principal.ts";
import { displayNameOf } from "./users.ts";

/** How long a revoked credential may still work. */
const CACHED_MS = 5_000;
const CACHED_MAX = 10_000;

/**
 * Turns a bearer token into its principal: one of our API keys, told by its prefix, or a JWT when a key set is
 * configured. What was found is remembered for a few seconds, by the token's hash.
 */
export function createCredentialVerifier(db: Db, verifyJwt: VerifyJwt | null): (token: string) => Promise<Principal> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_MAX, ttl: CACHED_MS });
  return async (token) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known !== undefined && !isExpired(known)) return known;
    const principal = looksLikeApiKey(token)
      ? await findPrincipalByApiKey(db, token)
      : await principalByJwt(db, verifyJwt, token);
    if (principal === null) throw new Failure("invalid_token", "The token is unknown, expired or revoked.");
    cache.set(digest, principal);
    return principal;
  };
}

const isExpired = ({ credential }: Principal) => credential.expiresAt !== null && credential.expiresAt <= new Date();

async function principalByJwt(db: Db, verifyJwt: VerifyJwt | null, token: string): Promise<Principal | null> {
  const claims = (await verifyJwt?.(token)) ?? null;
  if (claims === null) return null;
  const user = await findOrInsertUser(db, claims);
  return {
    userId: user.id,
    displayName: user.displayName,
    scopes: new Set(claims.scopes),
    credential: { kind: "jwt", expiresAt: claims.expiresAt },
  };
}

/** The user of an (issuer, subject); the first valid token makes it, once, however many come at the same time. */
async function findOrInsertUser(db: Db, { issuer, subject, name }: JwtClaims): Promise<{ id: string; displayName: string }> {
  const found = await db.user.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (found !== null) return found;
  await db.user.createMany({
    data: [
      { id: randomUUIDv7(), displayName: displayNameOf(name ?? "") ?? displayNameOf(subject) ?? "Unnamed", issuer, subject },
    ],
    skipDuplicates: true,
  });
  return db.user.findUniqueOrThrow({ where: { issuer_subject: { issuer, subject } } });
}
