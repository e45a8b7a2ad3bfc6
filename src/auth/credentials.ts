import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { createBatches } from "../util/batches.ts";
import type { Connections, Db } from "../database/client.ts";
import { findPrincipalsByApiKeys, invalidToken, isApiKey } from "./api-keys.ts";
import { findOrInsertUser } from "./identities.ts";
import type { VerifyJwt } from "./jwt.ts";
import type { Principal } from "../contract/contract.ts";

/** How long a credential can still work after it is revoked. */
const CACHED_MS = 5_000;
const CACHED_MAX = 10_000;
/** How long after its last successful look-up a token is looked up at once, without the limits on unknown ones. */
const FAMILIAR_MS = 3_600_000;
const FAMILIAR_MAX = 100_000;
/** How many unknown API keys one query looks up. */
const UNKNOWN_AT_ONCE = 500;

/**
 * Verifies bearer tokens and returns their principals. A token is an API key, which has a form of its own, or a JWT if a
 * key set is configured. A principal is cached for a few seconds by the hash of its token, and equal tokens that arrive while
 * one is looked up share its result. An attacker can send any number of made-up tokens from many addresses, so `admitUnknown`
 * is asked before one that was not valid before is looked up, and all such API keys share one query at a time.
 */
export function createCredentialVerifier(
  { db, pool }: Connections,
  verifyJwt: VerifyJwt,
): (token: string, admitUnknown: () => void) => Promise<Principal> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_MAX, ttl: CACHED_MS });
  const lookUps = new Map<string, Promise<Principal>>();
  const familiar = new LRUCache<string, true>({ max: FAMILIAR_MAX, ttl: FAMILIAR_MS });
  const find = (tokens: readonly string[]) => findPrincipalsByApiKeys(pool, tokens);
  // Separate, so that made-up keys don't delay the others. Each occupies one connection at most, however many users come back.
  const findUnknown = createBatches(find, { max: UNKNOWN_AT_ONCE });
  const findFamiliar = createBatches(find, { max: UNKNOWN_AT_ONCE });

  async function lookUp(token: string, digest: string): Promise<Principal> {
    const findByKey = familiar.has(digest) ? findFamiliar : findUnknown;
    const principal = await (isApiKey(token) ? findByKey(token) : principalByJwt(db, verifyJwt, token));
    if (principal === null) {
      familiar.delete(digest);
      throw invalidToken();
    }
    familiar.set(digest, true);
    cache.set(digest, principal);
    return principal;
  }

  return async (token, admitUnknown) => {
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known !== undefined && !isExpired(known)) return known;
    if (!familiar.has(digest)) admitUnknown();
    const running = lookUps.get(digest);
    if (running !== undefined) return running;
    const started = lookUp(token, digest).finally(() => lookUps.delete(digest));
    lookUps.set(digest, started);
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
