import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Db } from "../database/client.ts";
import { Failure } from "../failure.ts";
import { findPrincipalsByApiKeys, isApiKey } from "./api-keys.ts";
import { askTogether } from "./ask-together.ts";
import { findOrInsertUser } from "./identities.ts";
import type { VerifyJwt } from "./jwt.ts";
import type { Principal } from "../contract/contract.ts";

/** How long a revoked credential may still work. */
const CACHED_MS = 5_000;
const CACHED_MAX = 10_000;
/** How long a key that was valid is looked up at once, without waiting for unknown keys. */
const FAMILIAR_MS = 3_600_000;
const FAMILIAR_MAX = 100_000;
/** How many unknown keys one question to the database may name. */
const UNKNOWN_AT_ONCE = 500;

/**
 * Turns a bearer token into its principal: one of our API keys, told by its form, or a JWT when a key set is
 * configured. The result is cached for a few seconds, by the token's hash. Keys can be made up without end, so those that
 * have never been good share one question to the database at a time, however many come from however many addresses.
 */
export function createCredentialVerifier(db: Db, verifyJwt: VerifyJwt): (token: string) => Promise<Principal> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_MAX, ttl: CACHED_MS });
  const familiar = new LRUCache<string, true>({ max: FAMILIAR_MAX, ttl: FAMILIAR_MS });
  const find = (tokens: readonly string[]) => findPrincipalsByApiKeys(db, tokens);
  const findUnknown = askTogether(find, UNKNOWN_AT_ONCE);
  const principalByKey = async (token: string, digest: string): Promise<Principal | null> => {
    const principal = familiar.has(digest) ? ((await find([token]))[0] ?? null) : await findUnknown(token);
    if (principal === null) familiar.delete(digest);
    else familiar.set(digest, true);
    return principal;
  };
  return async (token) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known !== undefined && !isExpired(known)) return known;
    const principal = isApiKey(token) ? await principalByKey(token, digest) : await principalByJwt(db, verifyJwt, token);
    if (principal === null) throw new Failure("invalid_token", "The token is unknown, expired or revoked.");
    cache.set(digest, principal);
    return principal;
  };
}

const isExpired = ({ credential }: Principal) => credential.expiresAt !== null && credential.expiresAt <= new Date();

async function principalByJwt(db: Db, verifyJwt: VerifyJwt, token: string): Promise<Principal | null> {
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
