import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { createBatches } from "../util/batches.ts";
import type { Connections, Db } from "../database/client.ts";
import { findPrincipalsByApiKeys, invalidToken, isApiKey } from "./api-keys.ts";
import { findOrInsertUser } from "./identities.ts";
import type { VerifyJwt } from "./jwt.ts";
import type { Principal } from "../contract/contract.ts";

/** How long a revoked credential can still work. */
const CACHED_MS = 5_000;
const CACHED_MAX = 10_000;
/** How long a token is verified without the limits on unverified credentials after it was valid. */
const RECENTLY_VALID_MS = 3_600_000;
const RECENTLY_VALID_MAX = 100_000;
/** How many API keys one query finds. */
const BATCH_MAX = 500;

/**
 * Verifies bearer tokens: API keys, and JWTs if a key set is configured. Principals are cached by the hash of the token. Concurrent requests
 * with equal tokens share one verification. Tokens that were not valid recently need `admitUnverified`, because attackers can send
 * made-up tokens from many addresses.
 */
export function createCredentialVerifier(
  { db, pool }: Connections,
  verifyJwt: VerifyJwt,
): (token: string, admitUnverified: () => void) => Promise<Principal> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_MAX, ttl: CACHED_MS });
  const verifications = new Map<string, Promise<Principal>>();
  const recentlyValid = new LRUCache<string, true>({ max: RECENTLY_VALID_MAX, ttl: RECENTLY_VALID_MS });
  const find = (tokens: readonly string[]) => findPrincipalsByApiKeys(pool, tokens);
  // Separate, so that made-up keys don't delay valid ones. Each uses at most one connection.
  const findUnverified = createBatches(find, { max: BATCH_MAX });
  const findRecentlyValid = createBatches(find, { max: BATCH_MAX });

  async function verify(token: string, digest: string): Promise<Principal> {
    const findByKey = recentlyValid.has(digest) ? findRecentlyValid : findUnverified;
    const principal = await (isApiKey(token) ? findByKey(token) : principalByJwt(db, verifyJwt, token));
    if (principal === null) {
      recentlyValid.delete(digest);
      throw invalidToken();
    }
    recentlyValid.set(digest, true);
    cache.set(digest, principal);
    return principal;
  }

  return async (token, admitUnverified) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known !== undefined && !isExpired(known)) return known;
    if (!recentlyValid.has(digest)) admitUnverified();
    const running = verifications.get(digest);
    if (running !== undefined) return running;
    const started = verify(token, digest).finally(() => verifications.delete(digest));
    verifications.set(digest, started);
    return started;
  };
}

const isExpired = ({ credential }: Principal) => credential.expiresAt !== null && credential.expiresAt <= new Date();

async function principalByJwt(db: Db, verifyJwt: VerifyJwt, token: string): Promise<Principal | null> {
  const claims = (await verifyJwt?.(token)) ?? null;
  if (claims === null) return null;
  const user = await findOrInsertUser(db, claims);
  if (user.deletedAt !== null) return null;
  return {
    userId: user.id,
    displayName: user.displayName,
    scopes: new Set(claims.scopes),
    credential: { kind: "jwt", keyId: null, expiresAt: claims.expiresAt },
  };
}
