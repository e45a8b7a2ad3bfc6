import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

/** The keys could not be fetched, so tokens cannot be verified at the moment. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** Too many other tokens wait for the key set that is being fetched. */
export class TooManyWait extends KeysUnavailable {}

type Options = {
  /** Called when a fetch fails, also if no token waits for it. */
  readonly onFailure: (error: KeysUnavailable) => void;
  readonly now?: () => number;
};

/** The age at which a key set is fetched again, in the background. */
const FRESH_MS = 600_000;
/** The minimum time between two fetches, even if tokens have made-up key ids or the server fails. */
const COOLDOWN_MS = 5_000;
const TIMEOUT_MS = 2_000;
const LENGTH_MAX = 1_048_576;
/**
 * How many tokens wait for a fetch. Anybody can make tokens with unknown key ids, and the server can be slow. A semaphore doesn't
 * fit: equal tokens count once, and the end of the fetch frees all of them.
 */
const WAITING_MAX = 8;

/**
 * Fetches the key set at a URL. A valid set stays in use until the next valid one is fetched, so only a token whose key is not
 * in the set has to wait for a fetch, and fails with `KeysUnavailable` if the fetch fails or too many other tokens wait. `createRemoteJWKSet` of jose
 * discards an old set, and does not distinguish a failed server from a wrong token.
 */
export function createRemoteKeys(url: URL, { onFailure, now = () => performance.now() }: Options): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAtMs = -Infinity;
  let triedAtMs = -Infinity;
  let lastFetch: Promise<JWTVerifyGetKey>;
  /** The signatures of the tokens that wait for the last fetch; null when it has ended. */
  let waiting: Set<string> | null = null;

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    triedAtMs = now();
    waiting = new Set();
    try {
      keys = createLocalJWKSet(await keySetAt(url));
      fetchedAtMs = now();
      return keys;
    } catch (error) {
      const failure = new KeysUnavailable(`The key set at ${url.origin} cannot be fetched.`, { cause: error });
      onFailure(failure);
      throw failure;
    } finally {
      waiting = null;
    }
  }
  const mayTry = () => now() - triedAtMs >= COOLDOWN_MS;
  /** The result of the last fetch, or of a new one after the cooldown. */
  const newest = () => (mayTry() ? (lastFetch = fetchKeys()) : lastFetch);
  /** The same for a token, which waits for it. */
  function newestFor({ signature }: FlattenedJWSInput): Promise<JWTVerifyGetKey> {
    const fetched = newest();
    if (waiting?.size === WAITING_MAX && !waiting.has(signature))
      throw new TooManyWait(`${WAITING_MAX} tokens wait for the key set at ${url.origin} already.`);
    waiting?.add(signature);
    return fetched;
  }

  return async (header, token) => {
    if (keys !== null && now() - fetchedAtMs >= FRESH_MS && mayTry()) newest().catch(() => undefined);
    try {
      return await (keys ?? (await newestFor(token)))(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The key may be newer than the set.
      return (await newestFor(token))(header, token);
    }
  };
}

/** Fetches a key set. Throws an error with the reason if there is none. */
export async function keySetAt(url: URL): Promise<JSONWebKeySet> {
  // Only AUTH_JWKS itself is checked for https, so a redirect is not followed.
  const response = await fetch(url, {
    redirect: "manual",
    headers: { Accept: "application/jwk-set+json, application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`It returned ${response.status}.`);
  }
  let text = "";
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > LENGTH_MAX) throw new Error(`It is longer than ${LENGTH_MAX} characters.`);
  }
  const set = JSON.parse(text) as { keys?: unknown } | null;
  if (!Array.isArray(set?.keys) || set.keys.length === 0) throw new Error("It has no keys.");
  return set as JSONWebKeySet;
}
