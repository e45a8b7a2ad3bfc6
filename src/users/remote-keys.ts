import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

/** The keys could not be fetched: whether a token is good cannot be told just now. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

type Options = {
  /** Called when a fetch in the background fails. */
  readonly onFailure: (error: KeysUnavailable) => void;
  readonly now?: () => number;
};

/** How old a set may become before it is fetched again, in the background. */
const FRESH_MS = 600_000;
/** The least time between two fetches, whatever key ids are made up and however often the server fails. */
const COOLDOWN_MS = 5_000;
const TIMEOUT_MS = 2_000;
const LENGTH_MAX = 1_048_576;

/**
 * The key set behind a URL. A set that was good stays in use until another good one has come: only a token whose key is
 * not in it needs an answer, and gets `KeysUnavailable` when there is none. jose's own forgets a set when it is old, and
 * does not tell a server that fails from a token that is wrong.
 */
export function createRemoteKeys(url: URL, { onFailure, now = () => performance.now() }: Options): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAtMs = -Infinity;
  let triedAtMs = -Infinity;
  let lastFetch: Promise<JWTVerifyGetKey>;

  async function fetchKeys(): Promise<JWTVerifyGetKey> {
    triedAtMs = now();
    try {
      keys = createLocalJWKSet(await keySetAt(url));
      fetchedAtMs = now();
      return keys;
    } catch (error) {
      throw new KeysUnavailable(`The key set at ${url.origin} cannot be fetched.`, { cause: error });
    }
  }
  const mayTry = () => now() - triedAtMs >= COOLDOWN_MS;
  /** What the last fetch has found, will find, or failed with; a new one when that is long enough ago. */
  const newest = () => (mayTry() ? (lastFetch = fetchKeys()) : lastFetch);

  return async (header, token) => {
    if (keys !== null && now() - fetchedAtMs >= FRESH_MS && mayTry()) newest().catch(onFailure);
    try {
      return await (keys ?? (await newest()))(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // Perhaps a key that is newer than the set.
      return (await newest())(header, token);
    }
  };
}

async function keySetAt(url: URL): Promise<JSONWebKeySet> {
  // Not to another place: that one was not checked for https.
  const response = await fetch(url, {
    redirect: "manual",
    headers: { Accept: "application/jwk-set+json, application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`It answered ${response.status}.`);
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
