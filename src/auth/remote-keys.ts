import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

/** The keys could not be fetched, so tokens cannot be verified at the moment. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** Too many other tokens wait for the current fetch of the key set. */
export class KeySetOverloaded extends KeysUnavailable {}

type Options = {
  /** Called when a fetch fails, even if no token waits for it. */
  readonly onFailure: (error: KeysUnavailable) => void;
  readonly now?: () => number;
};

/** The age at which a key set is refreshed in the background. */
const FRESH_MS = 600_000;
/** The minimum time between two fetches, because tokens can have made-up key ids, and the server can fail. */
const COOLDOWN_MS = 5_000;
const TIMEOUT_MS = 2_000;
const LENGTH_MAX = 1_048_576;
/**
 * How many tokens wait for a fetch, because anyone can make tokens with unknown key ids. Not a semaphore: equal tokens count once, and the
 * end of the fetch frees all of them.
 */
const WAITING_MAX = 8;

/**
 * Fetches the key set at a URL, which stays in use until the next successful fetch. A token with an unknown key id waits for a fetch, and
 * fails with `KeysUnavailable`. `createRemoteJWKSet` of jose discards an old set, and reports a failed server like an invalid token.
 */
export function createRemoteKeys(url: URL, { onFailure, now = () => performance.now() }: Options): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAtMs = -Infinity;
  let attemptedAtMs = -Infinity;
  let lastFetch: Promise<JWTVerifyGetKey>;
  /** The signatures of the tokens that wait for the current fetch; null without one. */
  let waiting: Set<string> | null = null;

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    attemptedAtMs = now();
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
  const mayFetch = () => now() - attemptedAtMs >= COOLDOWN_MS;
  /** The result of the last fetch, or of a new one after the cooldown. */
  const newest = () => (mayFetch() ? (lastFetch = fetchKeys()) : lastFetch);
  /** The same for a token, within the limit of waiting tokens. */
  function newestFor({ signature }: FlattenedJWSInput): Promise<JWTVerifyGetKey> {
    const fetched = newest();
    if (waiting?.size === WAITING_MAX && !waiting.has(signature))
      throw new KeySetOverloaded(`${WAITING_MAX} tokens wait for the key set at ${url.origin} already.`);
    waiting?.add(signature);
    return fetched;
  }

  return async (header, token) => {
    if (keys !== null && now() - fetchedAtMs >= FRESH_MS && mayFetch()) newest().catch(() => undefined);
    try {
      return await (keys ?? (await newestFor(token)))(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The key may be newer than the set.
      return (await newestFor(token))(header, token);
    }
  };
}

/** Fetches a key set. Throws an error with the reason if that fails. */
export async function keySetAt(url: URL): Promise<JSONWebKeySet> {
  // Redirects are not followed, because only AUTH_JWKS itself is checked for https.
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
