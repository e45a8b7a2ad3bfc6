import type { Request } from "express";
import { Failure } from "../failure.ts";
import type { Principal } from "../contract/contract.ts";
import type { Exchange } from "./exchange.ts";
import type { Admission } from "../limits/admission.ts";
import type { UnverifiedCredentials } from "../limits/unverified-credentials.ts";
import type { AddressOf } from "./client-address.ts";
import type { Operation } from "../contract/operations.ts";
import type { RateLimits } from "../limits/rate-limiter.ts";
import type { Permit } from "../util/semaphore.ts";

/**
 * Returns the principal of a bearer token. Throws `Failure(invalid_token)` for an invalid token. Calls `admitUnverified`, which can refuse
 * the request, before the verification of a token that was not valid recently.
 */
export type Authenticate = (token: string, admitUnverified: () => void) => Promise<Principal>;

/** The dependencies of authentication and admission. */
export type AccessDeps = {
  readonly verify: Authenticate;
  readonly limits: RateLimits;
  readonly admission: Admission;
  readonly addressOf: AddressOf;
  readonly unverifiedCredentials: UnverifiedCredentials;
};

/** The sender of a request. `key` is for limits: the id of the user or, without credentials, the address. */
export type Caller = { readonly key: string; readonly principal: Principal | undefined };

/** The client of an operation without limits. */
const UNLIMITED_CALLER: Caller = { key: "", principal: undefined };

/** The token of the Authorization header (RFC 6750, 2.1). */
function bearerToken(header: string | undefined): string {
  if (header === undefined || !/^Bearer( |$)/i.test(header))
    throw new Failure("unauthenticated", "Send your API key or access token as Authorization: Bearer <token>.");
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header)?.[1];
  if (token === undefined) throw new Failure("invalid_token", "The Authorization header doesn't have the form Bearer <token>.");
  return token;
}

/**
 * Authenticates before the body is read: first the credential (401), then the rate limit (429), then the scopes (403). So a client without
 * a valid credential learns nothing from limits or bodies. A request that is shed doesn't count towards the rate limit.
 */
export function createAuthentication(
  operation: Operation,
  { verify, limits, admission, addressOf, unverifiedCredentials }: AccessDeps,
) {
  const { scopes, ratePolicy } = operation;
  const { shedLoad } = admission.of(operation);
  return { authenticate, admitAgain };

  async function authenticate({ req, headers, record }: Exchange): Promise<Caller> {
    if (scopes === null) {
      if (ratePolicy === "none") return UNLIMITED_CALLER;
      const key = addressOf(req);
      using _arrival = shedLoad(key);
      const { refusal } = await limits.take(ratePolicy, key);
      if (refusal !== null) throw refusal;
      return { key, principal: undefined };
    }
    const principal = await identify(req);
    record.userId = principal.userId;
    using _arrival = shedLoad(principal.userId);
    const rate = await limits.take(ratePolicy, principal.userId);
    Object.assign(headers, rate.headers);
    if (rate.refusal !== null) throw rate.refusal;
    requireScopes(principal);
    return { key: principal.userId, principal };
  }

  /** Checks the credential of a request again after its wait. It does not count as another request. */
  async function admitAgain({ req }: Exchange): Promise<void> {
    if (scopes !== null) requireScopes(await identify(req));
  }

  function requireScopes(principal: Principal): void {
    const missing = (scopes ?? []).filter((scope) => !principal.scopes.has(scope));
    if (missing.length === 0) return;
    throw new Failure("insufficient_scope", `This credential lacks the scope ${missing.join(" ")}.`, { scopes: scopes ?? [] });
  }

  async function identify(req: Request): Promise<Principal> {
    let permit = null as Permit | null;
    const admitUnverified = () => {
      permit = unverifiedCredentials.acquire(addressOf(req));
    };
    try {
      return await verify(bearerToken(req.headers.authorization), admitUnverified);
    } catch (error) {
      // Only wrong tokens count: a client with a valid token can share its IP address with an attacker.
      if (error instanceof Failure && error.code === "invalid_token") await limits.countFailedAuthentication(addressOf(req));
      throw error;
    } finally {
      permit?.[Symbol.dispose]();
    }
  }
}
