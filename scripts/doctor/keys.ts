import { readFile } from "node:fs/promises";
import { isHttpUrl } from "../../src/settings/values.ts";
import type { Config } from "../../src/config.ts";
import { keySetAt } from "../../src/auth/remote-keys.ts";
import { fault, good, sentenceOf, warning, type Checks } from "./finding.ts";

type Key = { readonly kty?: string; readonly crv?: string; readonly alg?: string; readonly use?: string; readonly d?: string };
type Algorithm = Config["AUTH_ALGORITHMS"][number];

const FITS: Readonly<Record<Algorithm, (key: Key) => boolean>> = {
  RS256: ({ kty }) => kty === "RSA",
  ES256: ({ kty, crv }) => kty === "EC" && crv === "P-256",
  EdDSA: ({ kty, crv }) => kty === "OKP" && crv === "Ed25519",
};

/** Checks the key set for JWTs. */
export const keyChecks: Checks<Config> = {
  async jwt_keys({ ROLE, AUTH_JWKS: source, AUTH_ALGORITHMS: algorithms, AUTH_ISSUER: issuer }) {
    if (ROLE === "worker") return null;
    if (source === undefined) return good("Clients authenticate with API keys only (AUTH_JWKS is not set).");
    const location = URL.parse(source)?.origin ?? source;
    let keys: readonly Key[];
    try {
      keys = await keysAt(source);
    } catch (error) {
      return fault(`The key set at ${location} (AUTH_JWKS) cannot be read, so JWTs are refused: ${sentenceOf(reasonOf(error))}`);
    }
    if (keys.some(({ d }) => d !== undefined))
      return fault(
        `The key set at ${location} (AUTH_JWKS) contains a private key; publish only public keys, and replace this one.`,
      );
    const without = algorithms.filter((it) => !keys.some((key) => isFor(key, it)));
    if (without.length === algorithms.length)
      return fault(
        `The key set at ${location} (AUTH_JWKS) has no key for ${algorithms.join(", ")}, so every JWT is refused; add keys, or change AUTH_ALGORITHMS.`,
      );
    if (without.length > 0)
      return warning(
        `The key set at ${location} (AUTH_JWKS) has no key for ${without.join(", ")}; if the issuer doesn't use these, remove them from AUTH_ALGORITHMS.`,
      );
    return good(`The key set of ${issuer} has a key for each of ${algorithms.join(", ")}.`);
  },
};

const isFor = (key: Key, algorithm: Algorithm) =>
  FITS[algorithm](key) && (key.alg ?? algorithm) === algorithm && key.use !== "enc";

async function keysAt(source: string): Promise<readonly Key[]> {
  if (isHttpUrl(source)) return (await keySetAt(new URL(source))).keys;
  const { keys } = JSON.parse(await readFile(source, "utf8")) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("It has no list of keys.");
  return keys as readonly Key[];
}

/** An error of `fetch` has its reason only in `cause`. */
const reasonOf = (error: unknown): unknown => (error as { cause?: unknown }).cause ?? error;
