import { hash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Refusal } from "./refusal.ts";
import type { Store } from "./store.ts";

export type Principal = { readonly userId: string; readonly displayName: string; readonly scopes: ReadonlySet<string> };

const FORM = /^plumb_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
/** As in src/auth/credentials.ts. */
const CACHED_MS = 5_000;
const CACHED_MAX = 10_000;

const invalidToken = () => new Refusal(401, "invalid_token", "The token is unknown, expired or revoked.");

/** Returns the principal of an `Authorization` header. A valid key is cached for 5 s by its hash, as the service does it. */
export function createVerifier(findKey: Store["findKey"]): (header: string | undefined) => Promise<Principal> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_MAX, ttl: CACHED_MS });
  return async (header) => {
    const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? "")?.[1];
    if (token === undefined) throw new Refusal(401, "unauthenticated", "Send Authorization: Bearer <API key>.");
    const digest = hash("sha256", token, "base64");
    const known = cache.get(digest);
    if (known !== undefined) return known;
    const [, id, secret] = FORM.exec(token) ?? [];
    const row = id === undefined ? null : await findKey(id);
    if (row === null || secret === undefined) throw invalidToken();
    if (!timingSafeEqual(hash("sha256", secret, "buffer"), row.secretHash)) throw invalidToken();
    if (row.revokedAt !== null || (row.expiresAt !== null && row.expiresAt <= new Date())) throw invalidToken();
    const principal = { userId: row.userId, displayName: row.displayName, scopes: new Set(row.scopes) };
    cache.set(digest, principal);
    return principal;
  };
}

export function requireScope(principal: Principal, scope: string): void {
  if (!principal.scopes.has(scope)) throw new Refusal(403, "insufficient_scope", `This credential lacks the scope ${scope}.`);
}
