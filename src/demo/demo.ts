import { openAsBlob } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scopes } from "#generated/operations.ts";
import type { Db } from "../database/client.ts";
import { addUser } from "../auth/users.ts";

type DemoUser = { readonly name: string; readonly user_id: string; readonly api_key: string };
/** Two users for trying the service, each with an API key. */
export type Demo = { readonly users: readonly DemoUser[]; readonly complete: boolean };

const NAMES = ["Ada Marsh", "Yuki Brandt"];
const POSTS = [
  [
    "How we re-hung the boathouse doors",
    "The left door had sagged by four centimetres.\n\nWe took it down, planed the bottom edge and set new hinges, a hand's breadth lower.",
  ],
  [
    "Slates: what to order and what to leave",
    "Order ten in a hundred more than you count. The ones that come off whole go back on the north side.",
  ],
  ["A plumb line and a patient friend", "Everything else on this roof could be measured afterwards. The ridge could not."],
] as const;

/**
 * Returns a `curl` command with the key of a demo user. The first start creates two users, and data in every area. The keys are stored in the
 * data directory, before the data is created, so that the next start continues an interrupted one.
 */
export async function openDemo(url: string, db: Db, dataDir: string): Promise<string> {
  const path = join(dataDir, "demo.json");
  const demo = (await readDemo(path, db)) ?? (await storeDemo(path, { users: await addDemoUsers(db), complete: false }));
  const { users, complete } = demo;
  if (!complete) {
    await fillDemo(url, users);
    await storeDemo(path, { users, complete: true });
  }
  return `curl -H "Authorization: Bearer ${users[0]!.api_key}" "${url}/posts?limit=3"`;
}

/** The stored demo; null without one, or if its users are not in this database. */
async function readDemo(path: string, db: Db): Promise<Demo | null> {
  try {
    const demo = JSON.parse(await readFile(path, "utf8")) as Demo;
    const known = await db.user.count({ where: { id: { in: demo.users.map((it) => it.user_id) } } });
    return known === demo.users.length ? demo : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}

function addDemoUsers(db: Db): Promise<DemoUser[]> {
  return Promise.all(
    NAMES.map(async (name) => {
      const { userId, apiKey } = await addUser(db, name, scopes);
      return { name, user_id: userId, api_key: apiKey };
    }),
  );
}

/** Replaces the file atomically, because an incomplete file would prevent the next start. */
async function storeDemo(path: string, demo: Demo): Promise<Demo> {
  await writeFile(`${path}.unfinished`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.unfinished`, path);
  return demo;
}

/** Creates data in every area through the API. The idempotency keys are constant, so that a repeated request has no second effect. */
async function fillDemo(url: string, users: readonly DemoUser[]): Promise<void> {
  const [ada, yuki] = [client(url, users[0]!), client(url, users[1]!)];
  for (const [index, [title, body]] of POSTS.entries()) await (index === 1 ? yuki : ada)("/posts", { title, body });
  await ada("/urls", { target_url: "https://www.example.org/boathouse/doors?from=newsletter", id: "boathouse-doors" });
  await ada("/urls", { target_url: "https://www.example.com/slates/order/5531" });
  await fetch(`${url}/u/boathouse-doors`, { redirect: "manual" });

  const conversation = await ada("/conversations", { title: "Boathouse roof", member_ids: [users[1]!.user_id] });
  const messages = `/conversations/${String(conversation["id"])}/messages`;
  await ada(messages, { body: "The slates come on Thursday. Can you be there?" });
  await yuki(messages, { body: "I'll be there at seven, with coffee." });
  await ada("/video-uploads?name=ridge-line.mp4", await openAsBlob(new URL("clip.mp4", import.meta.url)));
}

/** Returns a function that sends POST requests as a user. */
function client(url: string, user: DemoUser) {
  let requests = 0;
  return async (path: string, body: object): Promise<Record<string, unknown>> => {
    requests++;
    const isFile = body instanceof Blob;
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${user.api_key}`,
        "Idempotency-Key": `demo-request-${requests}`,
        "Content-Type": isFile ? "application/octet-stream" : "application/json",
      },
      body: isFile ? body : JSON.stringify(body),
    });
    const result = (await response.json()) as Record<string, unknown>;
    // The idempotency key expires after three days, but the short code stays taken.
    if (!response.ok && result["code"] !== "id_taken")
      throw new Error(`POST ${path} returned ${response.status}: ${String(result["detail"])}`);
    return result;
  };
}
