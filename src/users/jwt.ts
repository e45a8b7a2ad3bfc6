import { readFile } from "node:fs/promises";
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { scopes as knownScopes } from "#generated/operations.ts";
import { Failure } from "../failure.ts";
import { StartupError } from "../startup-error.ts";
import { createRemoteKeys } from "./remote-keys.ts";

export type JwtSettings = {
  readonly jwks: string;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** Called when the key set cannot be fetched anew and the last one stays in use. */
  readonly onStaleKeys: (error: Error) => void;
};
export type JwtClaims = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
};
export type VerifyJwt = (token: string) => Promise<JwtClaims | null>;

const CLOCK_TOLERANCE_SECONDS = 5;

/**
 * Verifies access tokens by RFC 9068 against a key set from a file or a URL; null for one that is not good. A key set
 * that cannot be fetched is our trouble and not the caller's: `Failure(unavailable)`.
 */
export async function createJwtVerifier(settings: JwtSettings): Promise<VerifyJwt> {
  const keys = await keySet(settings.jwks, settings.onStaleKeys);
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: [...settings.algorithms],
        typ: "at+jwt",
        requiredClaims: ["sub", "exp", "iat"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      const subject = payload.sub ?? "";
      if (subject === "" || subject.length > 255) return null;
      return {
        issuer: settings.issuer,
        subject,
        name: typeof payload["name"] === "string" ? payload["name"] : null,
        // A token may well be good for other services too; what they call scopes means nothing here.
        scopes: knownScopes.filter((it) => typeof payload["scope"] === "string" && payload["scope"].split(" ").includes(it)),
        expiresAt: new Date((payload.exp ?? 0) * 1_000),
      };
    } catch (error) {
      // What jose throws tells of the token; all else, `KeysUnavailable` first, of us.
      if (!(error instanceof errors.JOSEError) && error instanceof Error) {
        throw new Failure("unavailable", "Access tokens can't be verified at the moment. Try again later.", {
          retryAfterSeconds: 5,
          cause: error,
        });
      }
      return null;
    }
  };
}

async function keySet(source: string, onFailure: (error: Error) => void): Promise<JWTVerifyGetKey> {
  if (/^https?:\/\//i.test(source)) return createRemoteKeys(new URL(source), { onFailure });
  try {
    return createLocalJWKSet(JSON.parse(await readFile(source, "utf8")) as JSONWebKeySet);
  } catch (error) {
    throw new StartupError(`AUTH_JWKS names ${source}, which is not a readable JSON Web Key Set.`, { cause: error });
  }
}
