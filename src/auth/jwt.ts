import { readFile } from "node:fs/promises";
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey } from "jose";
import type { Logger } from "pino";
import { scopes as knownScopes } from "#generated/operations.ts";
import { isHttpUrl } from "../settings/values.ts";
import type { Config } from "../config.ts";
import { Failure } from "../failure.ts";
import { StartupError } from "../util/startup-error.ts";
import { isIdentity } from "./identities.ts";
import { createRemoteKeys, KeySetOverloaded } from "./remote-keys.ts";

/** Null if no key set is configured. */
export type VerifyJwt = Awaited<ReturnType<typeof createJwtVerifier>>;

const CLOCK_TOLERANCE_SECONDS = 5;
/** The latest time of RFC 3339. A JWT can have any number as its expiry (RFC 7519, 2). */
const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Creates a verifier of access tokens (RFC 9068) with a key set from a file or a URL. It returns null for an invalid token, and throws
 * `Failure(unavailable)` without a key set, because the token may be valid.
 */
export async function createJwtVerifier(config: Config, log: Logger, onKeySetFailure: () => void) {
  const { AUTH_JWKS: jwks, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_ALGORITHMS: algorithms } = config;
  if (jwks === undefined || issuer === undefined || audience === undefined) return null;
  const onFailure = (error: Error) => {
    onKeySetFailure();
    log.warn({ err: error }, "the key set could not be fetched; the last one, if there is one, stays in use");
  };
  const keys = await keySet(jwks, onFailure);
  const options = {
    issuer,
    audience,
    algorithms,
    typ: "at+jwt",
    requiredClaims: ["sub", "exp", "iat"],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  };
  return async (token: string) => {
    const payload = await verified(token);
    return payload && claimsOf(issuer, payload);
  };

  async function verified(token: string): Promise<JWTPayload | null> {
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (error) {
      // A JOSEError means an invalid token. Any other error, such as `KeysUnavailable`, is a failure of this service.
      if (!(error instanceof errors.JOSEError) && error instanceof Error) {
        throw new Failure("unavailable", "Access tokens can't be verified at the moment. Try again later.", {
          retryAfterSeconds: 5,
          cause: error,
          ...(error instanceof KeySetOverloaded ? { limit: { on: "requests in flight", name: "key_set" } } : {}),
        });
      }
      return null;
    }
  }
}

/** The claims that the service uses. Null without a usable subject, because jose checks the types of only some claims. */
function claimsOf(issuer: string, { sub: subject, exp = 0, name, scope }: JWTPayload) {
  if (typeof subject !== "string" || !isIdentity({ issuer, subject })) return null;
  const granted = typeof scope === "string" ? scope.split(" ") : [];
  return {
    issuer,
    subject,
    name: typeof name === "string" ? name : null,
    // Scopes of other services are ignored.
    scopes: knownScopes.filter((it) => granted.includes(it)),
    expiresAt: new Date(Math.min(exp * 1_000, LATEST_MS)),
  };
}

async function keySet(source: string, onFailure: (error: Error) => void): Promise<JWTVerifyGetKey> {
  if (isHttpUrl(source)) return createRemoteKeys(new URL(source), { onFailure });
  try {
    return createLocalJWKSet(JSON.parse(await readFile(source, "utf8")) as JSONWebKeySet);
  } catch (error) {
    throw new StartupError(`AUTH_JWKS names ${source}, which is not a readable JSON Web Key Set.`, { cause: error });
  }
}
