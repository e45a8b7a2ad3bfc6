import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { refusesLikeEveryArea } from "../support/common-refusals.ts";
import type { Answer, Body, Client } from "../support/client.ts";
import { openConversation, send, sendMany } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

/** Three users, and two conversations in which the first is told what the others write; nothing is unread yet. */
async function threeUsers() {
  const [yuki, ada, tom] = [await service.as(), await service.as(), await service.as()];
  const [ofAda, ofTom] = [await openConversation(ada, [yuki]), await openConversation(tom, [yuki])];
  await service.db.notification.deleteMany({ where: { userId: yuki.userId } });
  return { yuki, ada, tom, ofAda, ofTom };
}

const unread = async (reader: Client): Promise<string[]> =>
  (await reader("GET", "/notifications?status=unread&sort=created_at")).body.data.map((it: Body) => it.body as string);
const newestId = async (reader: Client): Promise<string> => (await reader("GET", "/notifications?limit=1")).body.data[0].id;
const markUpTo = (reader: Client, id: string): Promise<Answer> =>
  reader("PATCH", "/notifications", { status: "read", up_to: id });

describe("PATCH /notifications", () => {
  it("answers 200 with how many it has marked and how many are left: up_to and everything older are read, all with one instant", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await sendMany(ada, ofAda, 5);
    const {
      body: { data },
    } = await yuki("GET", "/notifications");
    expect(await markUpTo(yuki, data[2].id)).toMatchObject({ status: 200, body: { updated_count: 3, unread_count: 2 } });
    expect(await unread(yuki)).toEqual(["Message 4", "Message 5"]);
    const {
      body: { data: marked },
    } = await yuki("GET", "/notifications?status=read");
    expect(new Set(marked.map((it: Body) => it.read_at)).size).toBe(1);
  });

  it("leaves what has arrived after the list was shown unread, so that the count is 1", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await sendMany(ada, ofAda, 3);
    const shown = await newestId(yuki);
    await send(ada, ofAda, "Not seen yet");
    expect(await markUpTo(yuki, shown)).toMatchObject({ status: 200, body: { updated_count: 3, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["Not seen yet"]);
  });

  it("marks nothing that nobody has seen when an older send is finished only after the list was shown", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [ofAda.id]);
    const late = send(ada, ofAda, "Begun first, finished last");
    await holder.blocks(1);
    await send(tom, ofTom, "Begun last, finished first");
    const shown = await newestId(yuki);
    await holder.release();
    await late;
    expect(await markUpTo(yuki, shown)).toMatchObject({ body: { updated_count: 1, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["Begun first, finished last"]);
    expect((await yuki("GET", "/notifications")).body.data).toMatchObject([
      { body: "Begun first, finished last" },
      { body: "Begun last, finished first" },
    ]);
  });

  it("marks nothing that nobody has seen when an older notification is written already but not committed", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await service.db.$executeRawUnsafe(
      `CREATE FUNCTION wait_if_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.body LIKE 'Slow%' THEN PERFORM pg_advisory_xact_lock(4242); END IF; RETURN NEW; END $$`,
    );
    await service.db.$executeRawUnsafe(
      "CREATE TRIGGER wait_if_slow AFTER INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION wait_if_slow()",
    );
    await using holder = await hold(service.databaseUrl, "SELECT pg_advisory_xact_lock(4242)");
    const slow = send(ada, ofAda, "Slow");
    await holder.blocks(1);
    let wasFirst = false;
    const fast = send(tom, ofTom, "Fast").then(() => {
      wasFirst = true;
    });
    // Either it gets past the slow one, or it waits for it.
    await eventually("the second message sent or waiting", async () => wasFirst || holder.blocks(2).then(() => true), 5_000);
    const seen = wasFirst ? await newestId(yuki) : null;
    await holder.release();
    await Promise.all([slow, fast]);
    if (seen !== null) await markUpTo(yuki, seen);
    expect(await unread(yuki)).toContain("Slow");
    await service.db.$executeRaw`DROP TRIGGER wait_if_slow ON notifications`;
  });

  it("gives every notification of a user an instant of its own, in the order in which they can be seen, however many write at once", async () => {
    const [yuki, ...writers] = await Promise.all(Array.from({ length: 7 }, () => service.as()));
    const conversations = await Promise.all(writers.map((it) => openConversation(it, [yuki!])));
    const seen: string[] = [];
    let sending = true;
    const watching = (async () => {
      for (let last = false; !last;) {
        last = !sending;
        const { body } = await yuki!("GET", "/notifications?limit=100");
        const ids = body.data.map((it: Body) => it.id as string).reverse();
        expect(ids.slice(0, seen.length)).toEqual(seen);
        seen.splice(0, seen.length, ...ids);
      }
    })();
    await Promise.all(writers.map((it, index) => sendMany(it, conversations[index]!, 10)));
    sending = false;
    await watching;
    expect(seen).toHaveLength(66);
    const { body } = await yuki!("GET", "/notifications?limit=100");
    expect(new Set(body.data.map((it: Body) => it.created_at)).size).toBe(66);
  });

  it("tells later things later even when the clock was set back meanwhile", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await send(ada, ofAda, "Before");
    const shown = await newestId(yuki);
    await service.db.$executeRaw`UPDATE notifications SET created_at = created_at + interval '1 hour' WHERE id = ${shown}::uuid`;
    await send(ada, ofAda, "After");
    expect(await markUpTo(yuki, shown)).toMatchObject({ body: { updated_count: 1, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["After"]);
  });

  it("marks nothing the second time, and keeps the first read_at", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await sendMany(ada, ofAda, 2);
    const id = await newestId(yuki);
    await markUpTo(yuki, id);
    const before = await yuki("GET", "/notifications");
    expect(await markUpTo(yuki, id)).toMatchObject({ status: 200, body: { updated_count: 0, unread_count: 0 } });
    expect((await yuki("GET", "/notifications")).text).toBe(before.text);
  });

  it("marks only the caller's own", async () => {
    const { yuki, ada, tom, ofAda } = await threeUsers();
    await ada("PUT", `${ofAda.members}/${tom.userId}`);
    await send(ada, ofAda, "To both");
    expect(await markUpTo(yuki, await newestId(yuki))).toMatchObject({ body: { updated_count: 1 } });
    expect(await unread(tom)).toContain("To both");
  });

  it("answers 422 unknown_notification for an id that is somebody else's or nobody's, in the same words, and marks nothing", async () => {
    const { yuki, ada, tom, ofAda } = await threeUsers();
    await ada("PUT", `${ofAda.members}/${tom.userId}`);
    await send(ada, ofAda, "To both");
    const [foreign, missing] = [await markUpTo(yuki, await newestId(tom)), await markUpTo(yuki, randomUUIDv7())];
    expect(foreign).toMatchObject({
      status: 422,
      body: { code: "unknown_notification", errors: [{ in: "body", pointer: "/up_to" }] },
    });
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    expect(await unread(yuki)).toEqual(["To both"]);
  });

  it.each([
    ["no up_to", { status: "read" }],
    ["no status", { up_to: randomUUIDv7() }],
    ["the status unread", { status: "unread", up_to: randomUUIDv7() }],
    ["an up_to that is no id", { status: "read", up_to: "newest" }],
    ["an up_to of null", { status: "read", up_to: null }],
    ["a list of ids", { status: "read", ids: [randomUUIDv7()] }],
    ["a further field", { status: "read", up_to: randomUUIDv7(), read_at: "2026-01-01T00:00:00.000Z" }],
    ["nothing", {}],
  ])("answers 400 to a body with %s", async (_what, body) => {
    expect(await (await service.as())("PATCH", "/notifications", body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});

refusesLikeEveryArea(() => service, {
  method: "PATCH",
  path: "/notifications",
  scope: "notifications:write",
  body: { status: "read", up_to: randomUUIDv7() },
  wrongMethod: "DELETE",
  allow: "GET, HEAD, PATCH, OPTIONS",
});
