import { randomUUID } from "node:crypto";
import { describe, expect } from "@jest/globals";
import type { Body } from "../support/client.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { plumbline, run, temporaryDataDir, type Running } from "../support/processes.ts";
import { previousRelease, unpackRelease } from "../support/previous-release.ts";
import { expectSteadyReads } from "./support/steady-reads.ts";
import { sized } from "../support/size.ts";
import { smallClip } from "../support/videos.ts";

const release = previousRelease();
const [READERS, READS_BEFORE] = sized([4, 100], [8, 400]);

type Answer = { readonly status: number; readonly etag: string | null; readonly text: string; readonly body: Body };
/** Sends requests to a process. Not the client of the other tests, because the release may differ from the current contract. */
type Send = (method: string, path: string, body?: unknown, key?: string) => Promise<Answer>;

function sender(url: string, apiKey: string): Send {
  return async (method, path, body, key) => {
    const isJson = !(body instanceof Uint8Array);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "Content-Type": isJson ? "application/json" : "application/octet-stream" }),
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
      },
      ...(body === undefined ? {} : { body: (isJson ? JSON.stringify(body) : body) as string }),
    });
    const text = await response.text();
    return { status: response.status, etag: response.headers.get("etag"), text, body: text === "" ? {} : JSON.parse(text) };
  };
}

/**
 * Tables with the order of their columns, constraints, indexes, triggers, views and functions, as PostgreSQL writes them. Without functions
 * that have an edition: a database keeps those of the release.
 */
async function schemaOf(databaseUrl: string): Promise<readonly string[]> {
  await using client = await openSession(databaseUrl);
  const { rows } = await client.query<{ line: string }>(
    `SELECT concat_ws(' ', attrelid::regclass, rank() OVER (PARTITION BY attrelid ORDER BY attnum), attname,
        format_type(atttypid, atttypmod), attnotnull, attoptions, relpersistence, pg_get_expr(adbin, adrelid)) AS line
      FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT viewname || definition FROM pg_views WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND prosrc NOT LIKE '%-- Edition %'
    ORDER BY 1`,
  );
  return rows.map((it) => it.line);
}

describe(`release ${release.version} and this code on one database`, () => {
  itNeeds(
    ["linux", "previous release"],
    "work side by side from before the migrations to after them: what one writes, the other reads, repeats and processes, no read waits for long, and the release can restart",
    async () => {
      await using stack = new AsyncDisposableStack();
      const old = stack.use(unpackRelease(release));
      const database = stack.adopt(await createTestDatabase({ isEmpty: true }), (it) => it.drop());
      const dataDir = stack.use(await temporaryDataDir());
      const settings = { NODE_ENV: "test", DATABASE_URL: database.url, DATA_DIR: dataDir.path };
      const start = async (of: "old" | "new", role: string): Promise<Running> => {
        const started = stack.use(of === "old" ? old.start({ ...settings, ROLE: role }) : run({ ...settings, ROLE: role }));
        await started.ready();
        return started;
      };
      const stop = async (it: Running) => {
        it.child.kill("SIGTERM");
        expect(await it.exited).toBe(0);
      };

      // The release creates its own schema. From here on, its API process runs until the end.
      const oldApi = await start("old", "api");
      const oldWorker = await start("old", "worker");
      // By the command of the release, because this code can know columns that the database doesn't have yet.
      const addUser = async (name: string) => {
        await using command = old.start(settings, ["scripts/user.ts", "add", name, "--json"]);
        expect({ code: await command.exited, stderr: command.stderr() }).toEqual({ code: 0, stderr: "" });
        const { user_id: userId, api_key: apiKey } = JSON.parse(command.stdout()) as { user_id: string; api_key: string };
        return { userId, apiKey };
      };
      const people = [await addUser("Ada"), await addUser("Yuki")] as const;
      const oldUrl = (await oldApi.ready()).url;
      const [ada, yuki] = people.map(({ apiKey }) => sender(oldUrl, apiKey)) as [Send, Send];
      const yukiId = people[1].userId;
      const before = await journey(ada, yuki, yukiId);
      const readers = Array.from({ length: READERS }, (_, n) => `Bearer ${people[n % people.length]!.apiKey}`);
      const migrate = async () => {
        const { exit, stdout, stderr } = await plumbline(settings, "database", "migrate");
        expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
        return stdout;
      };
      await expectSteadyReads(oldUrl, readers, READS_BEFORE, async () => void (await migrate()));
      await using fresh = await createTestDatabase();
      expect(await schemaOf(database.url)).toEqual(await schemaOf(fresh.url));

      await journey(ada, yuki, yukiId);
      const newApi = await start("new", "api");
      const newUrl = (await newApi.ready()).url;
      const [newAda, newYuki] = people.map(({ apiKey }) => sender(newUrl, apiKey)) as [Send, Send];
      await journey(newAda, newYuki, yukiId);
      for (const [write, read] of [
        [ada, newAda],
        [newAda, ada],
      ] as const)
        await crossOver(write, read, before.conversation, yukiId);
      await countsClicks(ada, newAda, [oldUrl, newUrl]);
      await handsOver(newAda, ada, newYuki, people);

      const clip = await smallClip();
      await processes(newAda, ada, clip);
      await stop(oldWorker);
      await start("new", "worker");
      await processes(ada, newAda, clip);
      const log = [oldApi.stderr(), newApi.stderr(), oldWorker.stderr()];
      expect(log).toEqual(["", "", ""]);

      // It can restart on the migrated database, and this version beside it.
      await stop(oldApi);
      await stop(newApi);
      const restarted = sender((await (await start("old", "api")).ready()).url, people[0].apiKey);
      const updated = sender((await (await start("new", "api")).ready()).url, people[0].apiKey);
      await crossOver(updated, restarted, before.conversation, yukiId);
      await crossOver(restarted, updated, before.conversation, yukiId);
      // Nothing was left to migrate.
      expect(await migrate()).toBe("The database is at the newest migration.\n");
    },
    900_000,
  );
});

/** Writes and reads in every area through one process. */
async function journey(ada: Send, yuki: Send, yukiId: string) {
  const post = await ada("POST", "/posts", { title: "A release", body: "Beside another one." }, randomUUID());
  expect(post.status).toBe(201);
  expect(await yuki("GET", `/posts/${post.body.id}`)).toMatchObject({ status: 200, body: { title: "A release" } });
  expect((await ada("POST", "/urls", { target_url: "https://www.example.com/" }, randomUUID())).status).toBe(201);
  const opened = await ada("POST", "/conversations", { member_ids: [yukiId] }, randomUUID());
  expect(opened.status).toBe(201);
  const conversation = opened.body.id as string;
  const sent = await ada("POST", `/conversations/${conversation}/messages`, { body: "Are you there?" }, randomUUID());
  expect(sent).toMatchObject({ status: 201, body: { sequence: 1 } });
  const unread = await yuki("GET", "/notifications?status=unread");
  expect(unread).toMatchObject({ status: 200 });
  expect(unread.text).toContain(conversation);
  return { conversation };
}

/** A write through one process is read, repeated and continued through the other. */
async function crossOver(write: Send, read: Send, conversation: string, memberId: string): Promise<void> {
  const messages = `/conversations/${conversation}/messages`;
  const sequenceOf = (it: Answer) => it.body.sequence as number;
  const message = randomUUID();
  const sent = await write("POST", messages, { body: "Across." }, message);
  expect(sent.status).toBe(201);
  expect((await read("POST", messages, { body: "Across." }, message)).body).toEqual(sent.body);
  expect((await read("POST", messages, { body: "Something else." }, message)).status).toBe(422);
  expect(sequenceOf(await read("POST", messages, { body: "And back." }, randomUUID()))).toBe(sequenceOf(sent) + 1);

  // Whichever process sends, the sender has read up to their own message.
  const last = sequenceOf(sent) + 1;
  for (const one of [write, read])
    expect((await one("GET", `/conversations/${conversation}`)).body).toMatchObject({
      ...{ last_read_sequence: last, unread_count: 0, last_message: { sequence: last } },
    });

  const keyed: readonly (readonly [string, Body])[] = [
    ["/posts", { title: '"created_at":"1970-01-01T00:00:00.000Z"', body: "1970-01-01T00:00:00.000Z" }],
    ["/urls", { target_url: "https://www.example.com/", expired_url: "https://www.example.com/over" }],
    ["/conversations", { title: "Across", member_ids: [memberId] }],
  ];
  for (const [path, body] of keyed) {
    const key = randomUUID();
    const created = await write("POST", path, body, key);
    expect(created.status).toBe(201);
    expect(await read("POST", path, body, key)).toEqual(created);
  }
  // A cursor of one process works in the other, and the pages fit together.
  const idsOf = (it: Answer): string[] => it.body.data.map((row: Body) => row.id);
  const all = await write("GET", "/posts?limit=100");
  const first = await write("GET", "/posts?limit=2");
  const second = await read("GET", `/posts?limit=100&after=${first.body.page.next_cursor}`);
  expect(second.status).toBe(200);
  expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(all));
}

/** Clicks through both releases count once, also on their day. What one deletes leads to its `expired_url` in both. */
async function countsClicks(old: Send, current: Send, urls: readonly string[]): Promise<void> {
  const expired_url = "https://www.example.com/over";
  const { body: url } = await current("POST", "/urls", { target_url: "https://www.example.com/", expired_url });
  const follow = (of: string) => fetch(`${of}/u/${url.id}`, { redirect: "manual" });
  for (const of of [...urls, ...urls, ...urls]) expect((await follow(of)).status).toBe(302);
  const counts = async () => {
    const [one, days] = await Promise.all([current("GET", `/urls/${url.id}`), current("GET", `/urls/${url.id}/clicks`)]);
    return [one.body.click_count, days.body.click_count] as const;
  };
  await eventually("six clicks", async () => Math.min(...(await counts())) >= 6);
  expect(await counts()).toEqual([6, 6]);
  expect((await old("DELETE", `/urls/${url.id}`)).status).toBe(204);
  for (const of of urls) {
    const { status, headers } = await follow(of);
    expect([status, headers.get("location")]).toEqual([302, expired_url]);
  }
}

/** Each process respects the owner that the other one has made, and the title that the other one has changed. */
async function handsOver(
  newAda: Send,
  oldAda: Send,
  newYuki: Send,
  [ada, yuki]: readonly [{ readonly userId: string }, { readonly userId: string }],
): Promise<void> {
  const opened = await oldAda("POST", "/conversations", { member_ids: [yuki.userId] }, randomUUID());
  const path = `/conversations/${opened.body.id as string}`;
  expect((await newAda("PATCH", path, { title: "Across" })).status).toBe(200);
  expect((await oldAda("GET", path)).body.title).toBe("Across");
  expect((await newAda("PATCH", `${path}/members/${yuki.userId}`, { role: "owner" })).status).toBe(200);
  expect((await oldAda("DELETE", `${path}/members/${yuki.userId}`)).status).toBe(403);
  expect((await newYuki("PATCH", `${path}/members/${ada.userId}`, { role: "owner" })).status).toBe(200);
  // The release makes the next owner when the owner leaves.
  expect((await oldAda("DELETE", `${path}/members/${ada.userId}`)).status).toBe(204);
  expect((await newYuki("PATCH", path, { title: "Yuki's" })).status).toBe(200);
}

/** A video that one process accepts is processed by the worker that runs, and read through the other process. */
async function processes(write: Send, read: Send, clip: Buffer): Promise<void> {
  const accepted = await write("POST", "/video-uploads", clip);
  expect(accepted.status).toBe(202);
  const ended = await eventually(
    "the end of the video",
    async () => {
      const { body } = await read("GET", `/video-uploads/${accepted.body.id}`);
      return ["succeeded", "failed"].includes(body.status) ? body : null;
    },
    120_000,
  );
  expect(ended).toMatchObject({ status: "succeeded", attempt: 1 });
}
