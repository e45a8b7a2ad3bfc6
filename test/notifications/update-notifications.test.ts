import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Answer, Body, Client } from "../support/client.ts";
import { encodeSeen } from "../../src/notifications/seen.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { openConversation, send, sendMany, tampered } from "../support/conversations.ts";
import { createTestDatabase, databaseOfUser, earlier, onAllServers, openSession } from "../support/database.ts";
import { hold } from "../support/locks.ts";
import { createNotifications, insertUnread } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { eventually } from "../support/eventually.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";

const SECRET = "a secret of these tests";

const service = prepare(() => startTestService({ ROLE: "api", CURSOR_SECRETS: SECRET }));

/** Three users, and two conversations in which the first is notified of the others' messages. No notification exists yet. */
async function threeUsers() {
  const [yuki, ada, tom] = [await service.as(), await service.as(), await service.as()];
  const [ofAda, ofTom] = [await openConversation(ada, [yuki]), await openConversation(tom, [yuki])];
  await service.db.notification.deleteMany({ where: { userId: yuki.userId } });
  return { yuki, ada, tom, ofAda, ofTom };
}

const unread = async (reader: Client): Promise<string[]> =>
  (await reader("GET", "/notifications?status=unread&sort=created_at")).body.data.map((it: Body) => it.body as string);
const seenBy = async (reader: Client): Promise<string> => (await reader("GET", "/notifications?limit=1")).body.seen;
/** Moves everything that a user was notified of into the past. */
const age = ({ userId }: Client, by = "2 minutes") =>
  service.db.$executeRawUnsafe(
    `UPDATE notifications SET created_at = ${earlier("created_at", by)}, updated_at = ${earlier("updated_at", by)}
    WHERE user_id = $1::uuid`,
    userId,
  );
/** Uses up transaction ids where the notifications of a user are: on a cluster, each node counts its own. */
async function useIds({ userId }: Client, count: number): Promise<void> {
  await using session = await openSession(await databaseOfUser(service.databaseUrl, userId));
  for (let n = 0; n < count; n++) await session.query("SELECT pg_current_xact_id()");
}
/** Takes the advisory lock 4242 where the notifications of a user are. */
const holdNotices = async ({ userId }: Client, of = service) =>
  hold(await databaseOfUser(of.databaseUrl, userId), "SELECT pg_advisory_xact_lock(4242)");
/** Makes a notification of a body that begins with "Slow" wait for the advisory lock 4242, after it has its time. */
async function delaySlowNotices(): Promise<void> {
  await service.db.$executeRaw`CREATE OR REPLACE FUNCTION wait_if_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.body LIKE 'Slow%' THEN PERFORM pg_advisory_xact_lock(4242); END IF; RETURN NEW; END $$`;
  await service.db.$executeRaw`CREATE OR REPLACE TRIGGER wait_if_slow AFTER INSERT OR UPDATE ON notifications
    FOR EACH ROW EXECUTE FUNCTION wait_if_slow()`;
}
const mark = (reader: Client, seen: string, of: { conversation_id?: string } = {}): Promise<Answer> =>
  reader("PATCH", "/notifications", { status: "read", seen, ...of });

describe("PATCH /notifications", () => {
  const EVERYTHING = sentence("It marks everything that had happened by then.");
  it(`${EVERYTHING} On the page or not, with one read_at, and it returns both counts`, async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await createNotifications(ada, yuki, 4);
    await sendMany(ada, ofAda, 3);
    expect(await mark(yuki, await seenBy(yuki))).toMatchObject({ status: 200, body: { updated_count: 5, unread_count: 0 } });
    const {
      body: { data: marked },
    } = await yuki("GET", "/notifications?status=read");
    expect(marked).toHaveLength(5);
    expect(new Set(marked.map((it: Body) => it.read_at)).size).toBe(1);
  });

  it(sentence("Send `conversation_id` as well to mark only one conversation."), async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await send(ada, ofAda, "To mark");
    await send(tom, ofTom, "To keep");
    expect((await mark(yuki, await seenBy(yuki), { conversation_id: ofAda.id })).body).toEqual({
      updated_count: 1,
      unread_count: 1,
    });
    expect(await unread(yuki)).toEqual(["To keep"]);
  });

  const ARCHIVES = sentence("`true` archives the notifications, too, and those that were read before.");
  it(`${ARCHIVES} And nothing else`, async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await createNotifications(ada, yuki, 3);
    const [first] = (await yuki("GET", "/notifications?limit=1")).body.data as Body[];
    await yuki("PATCH", `/notifications/${first!.id}`, { status: "read" });
    const seen = await seenBy(yuki);
    await send(ada, ofAda, "Later");
    const archive = () => yuki("PATCH", "/notifications", { status: "read", seen, archived: true });
    expect((await archive()).body).toEqual({ updated_count: 3, unread_count: 1 });
    expect((await archive()).body).toEqual({ updated_count: 0, unread_count: 1 });
    expect((await yuki("GET", "/notifications?archived=only")).body.data).toHaveLength(3);
    expect((await yuki("GET", "/notifications")).body.data.map((it: Body) => it.body)).toEqual(["Later"]);
    // Generated clients can send false for a field that was not set: it leaves the archive as it is.
    await yuki("PATCH", "/notifications", { status: "read", seen: await seenBy(yuki), archived: false });
    expect((await yuki("GET", "/notifications?archived=only")).body.data).toHaveLength(3);
  });

  it("does not mark a notification of a message that was sent before the list but committed after it", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE", [ofAda.id]);
    const late = send(ada, ofAda, "Begun first, finished last");
    await holder.blocks(1);
    await send(tom, ofTom, "Begun last, finished first");
    const seen = await seenBy(yuki);
    await holder.release();
    await late;
    expect(await mark(yuki, seen)).toMatchObject({ body: { updated_count: 1, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["Begun first, finished last"]);
  });

  it("does not mark a notification that was inserted before the list but committed after it, and does not wait for it", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await delaySlowNotices();
    await using holder = await holdNotices(yuki);
    const slow = send(ada, ofAda, "Slow");
    await holder.blocks(1);
    // Neither a send in another conversation of the same member nor the member waits for the slow one.
    expect(await send(tom, ofTom, "Fast")).toMatchObject({ status: 201 });
    const seen = await seenBy(yuki);
    expect(await mark(yuki, seen)).toMatchObject({ body: { updated_count: 1, unread_count: 0 } });
    await send(tom, ofTom, "Fast again");
    await holder.release();
    await slow;
    expect(await mark(yuki, seen)).toMatchObject({ body: { updated_count: 0, unread_count: 2 } });
    expect((await unread(yuki)).toSorted()).toEqual(["Fast again", "Slow"]);
  });

  it("does not wait for a message that is being counted in a notification, and keeps that notification unread", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await send(ada, ofAda, "Seen");
    await createNotifications(ada, yuki, 1);
    await delaySlowNotices();
    await using holder = await holdNotices(yuki);
    const slow = send(ada, ofAda, "Slow");
    await holder.blocks(1);
    // Later than the message, so only its transaction shows that the list doesn't have it.
    const seen = await seenBy(yuki);
    expect(await mark(yuki, seen)).toMatchObject({ body: { updated_count: 1, unread_count: 1 } });
    await holder.release();
    await slow;
    expect(await mark(yuki, seen)).toMatchObject({ body: { updated_count: 0, unread_count: 1 } });
    expect(await mark(yuki, await seenBy(yuki))).toMatchObject({ body: { updated_count: 1, unread_count: 0 } });
  });

  const NEWER = sentence("Newer events stay unread, even if they were added to a notification that was in the list.");
  it(`${NEWER} While many send, and the reader marks repeatedly`, async () => {
    const [yuki, ...writers] = await Promise.all(Array.from({ length: 5 }, () => service.as()));
    const conversations = await Promise.all(writers.map((it) => openConversation(it, [yuki!])));
    await service.db.notification.deleteMany({ where: { userId: yuki!.userId } });
    // The messages that the reader has seen per conversation: those counted by the marked notifications and by the unread one.
    const marked = new Map<string, number>();
    let sending = true;
    const reading = (async () => {
      for (let last = false; !last;) {
        last = !sending;
        const { body } = await yuki!("GET", "/notifications?status=unread&limit=100");
        const answer = await mark(yuki!, body.seen);
        const after = (await yuki!("GET", "/notifications?status=unread&limit=100")).body.data as Body[];
        let gone = 0;
        for (const entry of body.data as Body[]) {
          if (after.some((it) => it.id === entry.id)) continue;
          gone++;
          const conversation = entry.resource.href.split("/")[2] as string;
          marked.set(conversation, (marked.get(conversation) ?? 0) + (entry.event_count as number));
        }
        expect(answer.body.updated_count).toBe(gone);
      }
    })();
    await Promise.all(writers.map((it, index) => sendMany(it, conversations[index]!, 15)));
    sending = false;
    await reading;
    // An event that was marked as read without being seen would be missing from these counts.
    expect(conversations.map((it) => marked.get(it.id))).toEqual(conversations.map(() => 15));
  });

  it("marks exactly the notifications in the list, even after the clock was set back", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await useIds(yuki, 1_000);
    await send(ada, ofAda, "Before");
    await service.db
      .$executeRaw`UPDATE notifications SET created_at = now() + interval '1 hour', updated_at = now() + interval '1 hour' WHERE user_id = ${yuki.userId}::uuid`;
    const seen = await seenBy(yuki);
    await send(tom, ofTom, "After");
    expect(await mark(yuki, seen)).toMatchObject({ body: { updated_count: 1, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["After"]);
  });

  it("marks notifications from another server or from before the database was distributed, whose transaction ids this one has not assigned", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await send(ada, ofAda, "From there");
    await using session = await openSession(await databaseOfUser(service.databaseUrl, yuki.userId));
    // Other tests use ids of this server meanwhile.
    const { rows } = await session.query<{ later: string }>(
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 2000 AS later",
    );
    // On a cluster, the coordinator has assigned it, and the node of the user has not.
    if (session.port !== Number(new URL(service.databaseUrl).port)) {
      await using coordinator = await openSession(service.databaseUrl);
      for (let isThere = false; !isThere;)
        isThere = (await coordinator.query("SELECT pg_current_xact_id()::text::bigint > $1 AS it", [rows[0]!.later])).rows[0].it;
    }
    await service.db
      .$executeRaw`UPDATE notifications SET xact_id = ${rows[0]!.later}::text::xid8 WHERE user_id = ${yuki.userId}::uuid`;
    // A commit can take nearly a minute.
    await age(yuki, "40 seconds");
    expect(await mark(yuki, await seenBy(yuki))).toMatchObject({ body: { updated_count: 0, unread_count: 1 } });
    await age(yuki, "21 seconds");
    expect(await mark(yuki, await seenBy(yuki))).toMatchObject({ body: { updated_count: 1, unread_count: 0 } });
  });

  it("does not archive a read notification of an event after the list, of one conversation or of any", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await send(ada, ofAda, "Seen");
    const seen = await seenBy(yuki);
    await send(tom, ofTom, "Later");
    await mark(yuki, await seenBy(yuki));
    const archive = async (of: { conversation_id?: string }) =>
      (await yuki("PATCH", "/notifications", { status: "read", archived: true, seen, ...of })).body.updated_count;
    expect([await archive({ conversation_id: ofTom.id }), await archive({})]).toEqual([0, 1]);
    const archived = (await yuki("GET", "/notifications?archived=only")).body.data as Body[];
    expect(archived.map((it) => it.body)).toEqual(["Seen"]);
  });

  it("archives only the read notifications of one conversation if it is named", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await send(ada, ofAda, "Of Ada");
    await send(tom, ofTom, "Of Tom");
    await mark(yuki, await seenBy(yuki));
    const seen = await seenBy(yuki);
    const archiving = { status: "read", archived: true, seen, conversation_id: ofAda.id };
    expect(await yuki("PATCH", "/notifications", archiving)).toMatchObject({ status: 200 });
    const bodies = async (query: string) => (await yuki("GET", `/notifications${query}`)).body.data.map((it: Body) => it.body);
    expect([await bodies(""), await bodies("?archived=only")]).toEqual([["Of Tom"], ["Of Ada"]]);
  });

  it("does not mark an event that is committed between the snapshot and the locks of the marking itself", async () => {
    const database = await createTestDatabase();
    // On a busy machine, a statement can lock long after it has read the first column: here, because of a lock.
    await onAllServers(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = public, pg_catalog`);
    await using slowed = await startTestService({ ROLE: "api" }, database);
    await slowed.db.$executeRawUnsafe(
      `CREATE FUNCTION public.pg_visible_in_snapshot(xid8, pg_snapshot) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(4242);
        RETURN pg_catalog.pg_visible_in_snapshot($1, $2); END $$`,
    );
    const [yuki, ada] = [await slowed.as(), await slowed.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "Seen");
    const seen = await seenBy(yuki);
    await using holder = await holdNotices(yuki, slowed);
    const marking = mark(yuki, seen, { conversation_id: conversation.id });
    await holder.blocks(1);
    expect(await send(ada, conversation, "Not seen")).toMatchObject({ status: 201 });
    await holder.release();
    expect(await marking).toMatchObject({ status: 200, body: { updated_count: 1, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["Not seen"]);
  });

  it("marks nothing of the last minute with a seen from before a failover, because two servers have two clocks", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await send(ada, ofAda, "Long ago");
    await age(yuki);
    await send(tom, ofTom, "A moment ago, by the clock of one of them");
    await using session = await openSession(await databaseOfUser(service.databaseUrl, yuki.userId));
    const { rows } = await session.query<{ snapshot: string }>("SELECT pg_current_snapshot()::text AS snapshot");
    const until = new Date(Date.now() + 1_000);
    const seen = encodeSeen(createCursors([SECRET]), yuki.userId, { ...rows[0]!, server: "000000FF/1", until }, []);
    expect(await mark(yuki, seen)).toMatchObject({ status: 200, body: { updated_count: 1, unread_count: 1 } });
    expect(await unread(yuki)).toEqual(["A moment ago, by the clock of one of them"]);
  });

  it("binds the seen to the timeline alone where the provider does not permit reading the identifier of the cluster", async () => {
    const identity = "SELECT server_identity() AS identity";
    const rollback = new Error("rolled back");
    await expect(
      service.db.$transaction(async (tx) => {
        const asNewSession = () => tx.$executeRawUnsafe("SELECT set_config('plumbline.cluster', '', true)");
        await asNewSession();
        for (let call = 1; call <= 2; call++)
          expect(await tx.$queryRawUnsafe(identity)).toEqual([{ identity: expect.stringMatching(/^[0-9A-F]{8}\/\d+$/) }]);
        await asNewSession();
        await tx.$executeRawUnsafe("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
        await tx.$executeRawUnsafe("CREATE ROLE a_provider_s_role");
        await tx.$executeRawUnsafe("SET LOCAL ROLE a_provider_s_role");
        for (let call = 1; call <= 2; call++)
          expect(await tx.$queryRawUnsafe(identity)).toEqual([{ identity: expect.stringMatching(/^[0-9A-F]{8}$/) }]);
        throw rollback;
      }),
    ).rejects.toBe(rollback);
  });

  it("understands the seen of release 1.0.0, and marks what had happened then", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await send(ada, ofAda, "Seen");
    await using session = await openSession(await databaseOfUser(service.databaseUrl, yuki.userId));
    const [row] = (
      await session.query<{ xmin: number; ms: number }>(
        "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int AS xmin, extract(epoch FROM clock_timestamp())::float8 * 1000 + 1 AS ms",
      )
    ).rows;
    const seen = createCursors([SECRET])
      .of({ operation: "listNotifications", seen: yuki.userId })
      .encode([Math.ceil(row!.ms) + 60_000, row!.xmin, 0]);
    await send(tom, ofTom, "Not seen");
    await send(ada, ofAda, "Not seen either");
    await send(ada, await openConversation(ada, [yuki]), "And this");
    expect(await mark(yuki, seen)).toMatchObject({ status: 200, body: { updated_count: 0, unread_count: 4 } });
    await service.db.notification.deleteMany({ where: { userId: yuki.userId, NOT: { subjectId: ofTom.id } } });
    await age(yuki);
    await service.db
      .$executeRaw`UPDATE notifications SET xact_id = ${row!.xmin - 1}::text::xid8 WHERE user_id = ${yuki.userId}::uuid`;
    expect(await mark(yuki, seen)).toMatchObject({ status: 200, body: { updated_count: 1, unread_count: 0 } });
  });

  it("marks exactly the notifications in the list, even if many transactions were open at the time", async () => {
    const { yuki, ada, tom, ofAda, ofTom } = await threeUsers();
    await send(ada, ofAda, "Committed before");
    await using stack = new AsyncDisposableStack();
    for (let count = 0; count < 40; count++) {
      stack.use(await hold(service.databaseUrl, "SELECT pg_current_xact_id()"));
      if (count % 2) await hold(service.databaseUrl, "SELECT pg_current_xact_id()").then((it) => it.release());
    }
    const seen = await seenBy(yuki);
    expect(seen.length).toBeLessThanOrEqual(512);
    await send(tom, ofTom, "Not seen");
    expect(await mark(yuki, seen)).toMatchObject({ status: 200, body: { updated_count: 1, unread_count: 1 } });
  });

  it("does not mark an event that was not committed yet, even if more than 32 transactions had begun before it", async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await delaySlowNotices();
    await using stack = new AsyncDisposableStack();
    const database = await databaseOfUser(service.databaseUrl, yuki.userId);
    for (let count = 0; count < 40; count++) stack.use(await hold(database, "SELECT pg_current_xact_id()"));
    await using holder = await holdNotices(yuki);
    const slow = send(ada, ofAda, "Slow");
    await holder.blocks(1);
    // A snapshot names running transactions only up to the last one that has ended.
    await useIds(yuki, 1);
    const seen = await seenBy(yuki);
    await holder.release();
    await slow;
    expect(await mark(yuki, seen)).toMatchObject({ status: 200, body: { updated_count: 0, unread_count: 1 } });
  });

  it(sentence("Repeating the request is safe: the second time, `updated_count` is 0."), async () => {
    const { yuki, ada, ofAda } = await threeUsers();
    await sendMany(ada, ofAda, 2);
    const seen = await seenBy(yuki);
    await mark(yuki, seen);
    const before = await yuki("GET", "/notifications");
    expect(await mark(yuki, seen)).toMatchObject({ status: 200, body: { updated_count: 0, unread_count: 0 } });
    expect((await yuki("GET", "/notifications")).body.data).toEqual(before.body.data);
  });

  it("marks only the caller's notifications", async () => {
    const { yuki, ada, tom, ofAda } = await threeUsers();
    await ada("PUT", `${ofAda.members}/${tom.userId}`);
    await send(ada, ofAda, "To both");
    expect(await mark(yuki, await seenBy(yuki))).toMatchObject({ body: { updated_count: 1 } });
    expect(await unread(tom)).toContain("To both");
  });

  const FOREIGN = sentence("or `seen` is not from a list of your notifications.");
  it(`400 ${FOREIGN} A changed token, another user's, or a cursor`, async () => {
    const { yuki, ada, tom, ofAda } = await threeUsers();
    await send(ada, ofAda, "Unread");
    await createNotifications(ada, yuki, 1);
    const { body } = await yuki("GET", "/notifications?limit=1");
    for (const seen of [tampered(body.seen), await seenBy(tom), body.page.next_cursor as string, "AAAA"])
      expect(await mark(yuki, seen)).toMatchObject(
        problem(400, "invalid_cursor", { errors: [{ in: "body", pointer: "/seen" }] }),
      );
    expect(await yuki("GET", `/notifications?after=${body.seen}`)).toMatchObject(problem(400, "invalid_cursor"));
    expect(await unread(yuki)).toHaveLength(2);
  });
});

const AT_ONCE = sentence("A request marks up to 1 000 notifications at once.");
it.each([
  [999, 300],
  [1_600, 400],
])(`${AT_ONCE} Of %d that it archives, %d are unread`, async (count, unreadCount) => {
  const ada = await service.as();
  await insertUnread(service.db, ada.userId, count, "Seen");
  await service.db.$executeRaw`UPDATE notifications SET read_at = now() WHERE id IN (
    SELECT id FROM notifications WHERE user_id = ${ada.userId}::uuid LIMIT ${count - unreadCount}::int)`;
  const body = { status: "read", archived: true, seen: await seenBy(ada) };
  const most = Math.min(count, 1_000);
  expect((await ada("PATCH", "/notifications", body)).body).toEqual({ updated_count: most, unread_count: 0 });
  expect(await service.db.notification.count({ where: { userId: ada.userId, archivedAt: { not: null } } })).toBe(most);
});

it("a job archives what one PATCH could not, also what was read before, and keeps later notifications unread", async () => {
  const ada = await service.as();
  await insertUnread(service.db, ada.userId, 2_500, "Seen");
  await service.db.$executeRaw`UPDATE notifications SET read_at = now() WHERE id IN (
    SELECT id FROM notifications WHERE user_id = ${ada.userId}::uuid LIMIT 1200)`;
  const { body } = await ada("GET", "/notifications?limit=1");
  await insertUnread(service.db, ada.userId, 3, "Later");
  expect((await ada("PATCH", "/notifications", { status: "read", archived: true, seen: body.seen })).status).toBe(200);
  await using _worker = await startWorkerOf(service);
  const listed = async () => (await ada("GET", "/notifications?limit=100")).body.data.map((it: Body) => it.title as string);
  await eventually("the end of the archiving", async () => (await listed()).length === 3, 90_000);
  expect(await listed()).toEqual(["Later", "Later", "Later"]);
  expect(await service.db.notification.count({ where: { userId: ada.userId, archivedAt: { not: null } } })).toBe(2_500);
});

const STOPS = sentence('The count stops at 1 000, which means "1 000 or more".');
it(`${STOPS} for old notifications with newer events and for young ones together, in each response with it`, async () => {
  const ada = await service.as();
  const counts = async () => {
    const lists = ["", "kind=video_upload.failed", "archived=only", "archived=only&kind=video_upload.failed"];
    const queries = lists.flatMap((it) => [it, `${it}&sort=created_at`]);
    const bodies = await Promise.all(queries.map(async (it) => (await ada("GET", `/notifications?limit=1&${it}`)).body));
    const marking = { status: "read", seen: bodies[0].seen, conversation_id: randomUUID() };
    bodies.push((await ada("PATCH", "/notifications", marking)).body);
    return [...new Set(bodies.map((it) => it.unread_count as number))];
  };
  await insertUnread(service.db, ada.userId, 600, "Old");
  await service.db.$executeRawUnsafe(
    `UPDATE notifications SET created_at = ${earlier("created_at", "100 days")} WHERE user_id = $1::uuid`,
    ada.userId,
  );
  await insertUnread(service.db, ada.userId, 399, "Young");
  expect(await counts()).toEqual([999]);
  await insertUnread(service.db, ada.userId, 600, "Younger");
  expect(await counts()).toEqual([1_000]);
});
