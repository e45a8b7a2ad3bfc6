import { beforeEach, describe, expect, it } from "@jest/globals";
import { findReferences } from "../../src/personal-data/references-store.ts";
import { DELETED_TEXT, DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import { BACKGROUND } from "../../src/jobs/queues.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { send, walk } from "../support/conversations.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { erased, presumeDead } from "../support/jobs.ts";
import { plumbline, plumblineJson, type Settings } from "../support/processes.ts";
import { sized } from "../support/size.ts";
import { storedFiles } from "../support/videos.ts";
import { liveFully, rowsWith as rowsOf } from "./someone.ts";

/** Many batches. Shares of it are a multiple of 4,000. */
const ROWS = sized(40_000, 200_000);

const deployment = prepareForEach(createDeployment);
let settings: Settings;
beforeEach(() => {
  settings = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
});

const proof = (userId: string) => plumblineJson(settings, "user", "proof", userId);
const erase = (userId: string) => plumblineJson(settings, "user", "delete", userId, "--yes");
/** The first proof without anything. */
const isClean = (userId: string) =>
  eventually(
    "a proof without anything",
    async () => {
      const found = await proof(userId);
      return found.exit === 0 ? found : null;
    },
    120_000,
    500,
  );

const rowsWith = (text: string) => rowsOf(deployment.db, text);

describe("plumbline user delete", () => {
  it("removes the user and all their words from every table and from the store, except files that a backup needs until a time that the proof names, and changes nothing of other users", async () => {
    const worker = await deployment.start("worker", { KEEP_DELETED_HOURS: "1" });
    await deployment.start("api", { KEEP_DELETED_HOURS: "1" });
    const [ada, bob] = [await deployment.as(), await deployment.as()];
    const traces = await liveFully(deployment, ada, bob);
    const subject = ["--issuer", "https://id.example.com", "--subject", `${traces.word}@example.com`];
    for (const args of [
      ["unlink", ada.userId],
      ["link", ada.userId, ...subject],
    ])
      expect(await plumbline(settings, "user", ...args)).toMatchObject({ exit: 0 });
    const before = await proof(ada.userId);
    expect(before.exit).toBe(2);
    // The user really has something in every column that refers to users.
    const references = await withSnapshot(deployment.databaseUrl, findReferences);
    expect(references.length).toBeGreaterThan(10);
    const counted = new Map(before.lines.map((it) => [`${it.table}.${it.column}`, it.rows as number]));
    const empty = references.filter((it) => !(counted.get(`${it.table}.${it.column}`)! > 0));
    expect(empty.map((it) => `${it.table}.${it.column}`)).toEqual([]);
    expect(before.lines.at(-1)).toMatchObject({ objects_of_user: expect.any(Number), objects_of_no_upload: 0 });
    expect(before.lines.at(-1)!.objects_of_user).toBeGreaterThan(3);
    const messagesBefore = await walk(bob, traces.shared.messages, "before");

    expect(await plumbline(settings, "user", "delete", ada.userId)).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/can't be undone\. Nothing was changed\. Add --yes/),
    });
    expect((await ada("GET", "/account")).status).toBe(200);
    expect((await erase(ada.userId)).exit).toBe(0);
    await erased(deployment);
    const { lines } = await isClean(ada.userId);

    // An operator must be able to show what was done to a user, but no longer who that was.
    const ofAudit = { table: "audit_entries", column: "user_id", rows: 3, ends_at: expect.any(String) };
    const found = lines.filter((it) => it.rows > 0 || it.objects_of_user > 0);
    expect(found).toEqual([ofAudit, expect.objectContaining({ table: "kept_objects", column: "owner_id" })]);
    const { lines: entries } = await plumblineJson(settings, "audit-log", "--user", ada.userId);
    expect(entries.map((it) => [it.action, it.details])).toEqual([
      ["user.unlink", {}],
      ["user.link", {}],
      ["user.delete", {}],
    ]);
    // Every file that is left is named with its end: those of the videos, the one deleted before, and the incomplete one.
    const retained = lines.filter((it) => it.kept !== undefined);
    expect(retained.length).toBeGreaterThanOrEqual(3);
    expect(retained.reduce((sum, it) => sum + it.objects, 0)).toBe((await storedFiles(deployment, "objects")).length);
    const clockMs = await deployment.clockMs();
    for (const it of retained) expect(Date.parse(it.ends_at) - clockMs).toBeLessThanOrEqual(3_600_000);
    for (const it of retained) expect(Date.parse(it.ends_at)).toBeGreaterThan(clockMs);
    const text = await plumbline(settings, "user", "proof", ada.userId);
    expect(text).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/Nothing refers to user .*, except what is kept until/),
    });
    expect(text.stdout).toContain(`objects of ${retained[0]!.kept}, kept for backups until ${retained[0]!.ends_at}`);
    // Their names and words are gone at once.
    expect((await rowsWith(traces.word)).filter((it) => !it.startsWith("public.short_urls"))).toEqual([]);
    // The schedule of a worker would remove them within a minute.
    worker.child.kill("SIGTERM");
    await worker.exited;
    await deployment.db.$executeRaw`UPDATE kept_objects SET keep_until = now() - interval '1 minute'`;
    expect((await proof(ada.userId)).exit).toBe(2);
    await deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('reconciliation')`;
    await deployment.start("worker", { KEEP_DELETED_HOURS: "1" });
    await eventually("the end of the retained objects", async () => (await deployment.db.retainedObject.count()) === 0, 90_000);
    expect((await proof(ada.userId)).lines.filter((it) => it.rows > 0 || it.objects_of_user > 0 || it.kept)).toEqual([ofAudit]);
    expect((await rowsWith(ada.userId)).filter((it) => !it.startsWith("public.audit_entries"))).toEqual([]);
    // The short code stays, because a printed link must never lead to the target of another user.
    expect((await rowsWith(traces.word)).filter((it) => !it.startsWith("public.short_urls"))).toEqual([]);
    expect(await storedFiles(deployment)).toEqual([]);
    await eventually("a refusal", async () => (await ada("GET", "/account")).status === 401, 8_000);

    const messages = await walk(bob, traces.shared.messages, "before");
    const of = (it: typeof messages) => it.map(({ id, sequence, created_at: at }) => [id, sequence, at]);
    expect(of(messages)).toEqual(of(messagesBefore));
    expect(messages.map((it) => [it.sender_id, it.body])).toEqual(
      messagesBefore.map((it) => (it.sender_id === bob.userId ? [bob.userId, it.body] : [DELETED_USER_ID, DELETED_TEXT])),
    );
    expect((await bob("GET", traces.owned.path)).body).toMatchObject({ created_by: DELETED_USER_ID, member_count: 1 });
    expect((await bob("GET", traces.owned.members)).body.data).toMatchObject([{ user_id: bob.userId, role: "owner" }]);
    expect((await send(bob, traces.owned, "And on it goes")).status).toBe(201);
    expect(JSON.stringify((await bob("GET", "/notifications")).body)).toContain("A deleted user wrote");
    // Neither the placeholder for deleted users nor a deleted user can be added.
    for (const userId of [DELETED_USER_ID, ada.userId])
      expect((await bob("PUT", `${traces.owned.members}/${userId}`)).body).toMatchObject({ code: "unknown_user" });
    expect((await bob("GET", `/u/${traces.shortCode}`)).status).toBe(410);
    expect((await bob("POST", "/urls", { target_url: "https://example.com/", id: traces.shortCode })).body.code).toBe("id_taken");
    expect(await erase(ada.userId).catch((error: Error) => error.message)).toMatch(/There is no user/);
  }, 300_000);

  it("continues after its worker was killed half way, and removes its rows in batches", async () => {
    await deployment.start("api");
    const [ada, bob] = [await deployment.as(), await deployment.as()];
    await fill(ada.userId, bob.userId);
    const left = async () =>
      (await deployment.db.post.count({ where: { authorId: ada.userId } })) +
      (await deployment.db.message.count({ where: { senderId: ada.userId } })) +
      (await deployment.db.notification.count({ where: { userId: ada.userId } }));
    const all = await left();
    expect(all).toBe(ROWS);
    await erase(ada.userId);
    const startedMs = performance.now();
    const first = await deployment.start("worker");
    await eventually("a part of the work", async () => (await left()) < all * 0.7, 120_000);
    first.child.kill("SIGKILL");
    await first.exited;
    const rest = await left();
    expect(rest).toBeGreaterThan(all * 0.1);
    await presumeDead(deployment, BACKGROUND.name);
    await deployment.start("worker");
    await erased(deployment);
    await isClean(ada.userId);
    const tookS = (performance.now() - startedMs) / 1_000;
    process.stderr.write(`${ROWS} rows were removed in ${tookS.toFixed(0)} s, with ${rest} left at a kill -9\n`);
    expect(await deployment.db.message.count({ where: { senderId: DELETED_USER_ID } })).toBe(ROWS * 0.3);
    expect(await deployment.db.message.count({ where: { senderId: bob.userId } })).toBe(1_000);
  }, 600_000);
});

/** This many rows of one user, and a few of another in the same conversation. */
async function fill(userId: string, otherId: string): Promise<void> {
  const db = deployment.db;
  const sql = (text: string, ...values: unknown[]) => db.$executeRawUnsafe(text, ...values);
  /** Runs a statement for each number, many at a time. */
  const forEach = async (count: number, text: string, ...values: unknown[]) => {
    for (let from = 1; from <= count; from += 4_000)
      await sql(`${text} FROM generate_series(${from}, ${from + 3_999}) n`, ...values);
  };
  await forEach(
    ROWS * 0.5,
    "INSERT INTO posts (id, author_id, title, body) SELECT gen_random_uuid(), $1::uuid, 'Post ' || n, 'x'",
    userId,
  );
  const conversation = await db.conversation.create({
    data: { id: "00000000-0000-7000-8000-0000000000aa", createdById: otherId, lastSequence: ROWS * 0.3 + 1_000 },
  });
  for (const member of [otherId, userId])
    await db.member.create({
      data: { conversationId: conversation.id, userId: member, role: member === otherId ? "owner" : "member" },
    });
  const messages = `INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
    SELECT gen_random_uuid(), $1::uuid, n, $2::uuid, 'x', 'key-' || n`;
  await forEach(ROWS * 0.3, messages, conversation.id, userId);
  await sql(`${messages} FROM generate_series(${ROWS * 0.3 + 1}, ${ROWS * 0.3 + 1_000}) n`, conversation.id, otherId);
  await forEach(
    ROWS * 0.2,
    `INSERT INTO notifications (id, user_id, kind, title, resource_type, resource_id, resource_href, subject_id)
      SELECT gen_random_uuid(), $1::uuid, 'video_upload.failed', 'A title', 'video_upload', 'x', '/', n::text`,
    userId,
  );
}
