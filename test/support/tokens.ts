import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload, type JWTHeaderParameters } from "jose";
import { scopes as everyScope } from "#generated/operations.ts";

/** An identity provider as an operator configures it, with a key set in a file. */
export type Issuer = AsyncDisposable & {
  /** The settings that make a service trust it. */
  readonly settings: { readonly AUTH_JWKS: string; readonly AUTH_ISSUER: string; readonly AUTH_AUDIENCE: string };
  /** The content of the file. */
  readonly keySet: { readonly keys: readonly object[] };
  readonly keys: Readonly<Record<Algorithm, { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey }>>;
  /** Signs a token. By default it is valid for an hour and has every scope. A claim of `undefined` is omitted. */
  sign(change?: {
    claims?: Readonly<Record<string, unknown>>;
    header?: Readonly<Record<string, unknown>>;
    algorithm?: Algorithm;
    key?: CryptoKey | Uint8Array;
  }): Promise<string>;
};
export const ALGORITHMS = ["EdDSA", "ES256", "RS256"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

const ISSUER = "https://id.example";
const AUDIENCE = "https://plumb.example";

export async function createIssuer(): Promise<Issuer> {
  const pairs = await Promise.all(
    ALGORITHMS.map(async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as const),
  );
  const keys = Object.fromEntries(pairs) as Issuer["keys"];
  const jwks = await Promise.all(
    pairs.map(async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), alg, kid: alg, use: "sig" })),
  );
  const folder = await mkdtemp(join(tmpdir(), "plumbline-issuer-"));
  const file = join(folder, "jwks.json");
  await writeFile(file, JSON.stringify({ keys: jwks }));
  return {
    settings: { AUTH_JWKS: file, AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: AUDIENCE },
    keySet: { keys: jwks },
    keys,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    async sign({ claims = {}, header = {}, algorithm = "EdDSA", key = keys[algorithm].privateKey } = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const payload: JWTPayload = {
        iss: ISSUER,
        aud: AUDIENCE,
        sub: "user-1",
        iat: now,
        exp: now + 3_600,
        scope: everyScope.join(" "),
        ...claims,
      };
      const protectedHeader: JWTHeaderParameters = { alg: algorithm, kid: algorithm, typ: "at+jwt", ...header };
      return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key);
    },
  };
}
