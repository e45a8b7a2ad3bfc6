import { hash, randomBytes } from "node:crypto";
import { scopes } from "../../generated/operations.ts";
import { idOf, type Caller } from "./fixture.ts";
import type { Ask, Request } from "./loads.ts";
import { openSession } from "../support/database.ts";

/** Users who each send an equal share of the requests. In the fixture, the user 1000 + n is a member of conversation n. */
const FIRST = 3;
export const CROWD = 1_024;

export type Member = Caller & { readonly conversation: string; readonly url: string };

/** Gives each user of the crowd a key and a short URL. One command for each key would take minutes. */
export async function gatherCrowd(databaseUrl: string): Promise<readonly Member[]> {
  const crowd = Array.from({ length: CROWD }, (_, index) => {
    const [n, keyId, secret] = [index + FIRST, randomBytes(6).toString("hex"), randomBytes(32).toString("base64url")];
    const key = `plumb_${keyId}_${secret}`;
    return { id: idOf(1_000 + n), key, keyId, hash: hash("sha256", secret, "buffer"), conversation: idOf(n), url: `crowd-${n}` };
  });
  await using client = await openSession(databaseUrl);
  await client.query(
    `WITH keys AS (
       INSERT INTO api_keys (id, user_id, secret_hash, scopes)
       SELECT key_id, user_id, secret_hash, $4 FROM unnest($1::text[], $2::uuid[], $3::bytea[]) AS k (key_id, user_id, secret_hash))
     INSERT INTO short_urls (id, owner_id, target_url) SELECT url, user_id, 'https://www.example.com/' || url
     FROM unnest($2::uuid[], $5::text[]) AS u (user_id, url)`,
    [crowd.map((it) => it.keyId), crowd.map((it) => it.id), crowd.map((it) => it.hash), [...scopes], crowd.map((it) => it.url)],
  );
  return crowd;
}

const TEXT = "The slates come on Thursday, early in the morning. Can you help to unload them?";

/** As many requests of each kind, all of a different user. */
export async function requestsOfCrowd(crowd: readonly Member[], ask: Ask): Promise<readonly Request[]> {
  const { page } = await ask("/posts?limit=1&offset=5000", crowd[0]!.key);
  const kinds: readonly ((it: Member) => Request)[] = [
    ({ key, url }) => ({ method: "GET", path: `/urls/${url}`, key }),
    ({ key }) => ({ method: "GET", path: `/posts?limit=20&after=${page.next_cursor}`, key }),
    ({ key }) => ({
      method: "POST",
      path: "/posts",
      key,
      body: { title: "How we re-hung the doors", body: TEXT },
      isKeyed: true,
    }),
    ({ key, conversation }) => ({
      method: "POST",
      path: `/conversations/${conversation}/messages`,
      key,
      body: { body: TEXT },
      isKeyed: true,
    }),
    ({ key, conversation }) => ({ method: "GET", path: `/conversations/${conversation}/messages`, key }),
    ({ key }) => ({ method: "GET", path: "/notifications?status=unread", key }),
  ];
  return crowd.map((it, index) => kinds[index % kinds.length]!(it));
}
