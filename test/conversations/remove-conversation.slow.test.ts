import { expect, it } from "@jest/globals";
import { openConversation, send } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { presumeDead } from "../support/jobs.ts";
import { hold } from "../support/locks.ts";
import { run } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";

const MESSAGES = sized(200_000, 1_000_000);

const service = prepare(() => startTestService({ ROLE: "api" }));

it(`a conversation of ${MESSAGES} messages returns 404 when the last member leaves; a restarted job deletes its rows`, async () => {
  const [ada, yuki] = [await service.as(), await service.as()];
  const [long, short] = [await openConversation(ada, [yuki]), await openConversation(ada, [ada])];
  await send(ada, short, "This one stays");
  await service.db.$executeRawUnsafe("ALTER TABLE messages DISABLE TRIGGER ALL");
  for (let sent = 0; sent < MESSAGES; sent += 20_000) {
    await service.db.$executeRaw`
      INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
      SELECT gen_random_uuid(), ${long.id}::uuid, n, ${ada.userId}::uuid, 'Hello', 'key-' || n
      FROM generate_series(${sent}::int + 1, ${sent}::int + 20000) n`;
  }
  await service.db.$executeRawUnsafe("ALTER TABLE messages ENABLE TRIGGER ALL");
  await service.db.$executeRaw`UPDATE conversations SET last_sequence = ${MESSAGES} WHERE id = ${long.id}::uuid`;
  const left = () => service.db.message.count({ where: { conversationId: long.id } });

  // More than a batch of notifications, of users who were members once.
  await service.db.$executeRawUnsafe("ALTER TABLE notifications DISABLE TRIGGER ALL");
  await service.db.$executeRaw`
    INSERT INTO notifications (id, user_id, subject_id, kind, title, resource_type, resource_id, resource_href)
    SELECT gen_random_uuid(), gen_random_uuid(), ${long.id}, 'message.created', 'Ada wrote to you', 'message', 'x', '/x' FROM generate_series(1, 2500)`;
  await service.db.$executeRawUnsafe("ALTER TABLE notifications ENABLE TRIGGER ALL");
  const about = (id: string) => service.db.notification.count({ where: { subjectId: id } });
  const other = await openConversation(yuki, [await service.as()]);
  expect([await about(long.id), await about(other.id)]).toEqual([2_501, 1]);

  await ada("DELETE", `${long.members}/${yuki.userId}`);
  const beganMs = performance.now();
  expect(await ada("DELETE", `${long.members}/${ada.userId}`)).toMatchObject({ status: 204 });
  process.stderr.write(`the last member has left after ${(performance.now() - beganMs).toFixed(0)} ms\n`);
  for (const it of [ada, yuki]) {
    for (const path of [long.path, long.members, long.messages])
      expect(await it("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await send(it, long, "Is anybody there?")).toMatchObject({ status: 404 });
    expect(await it("PUT", `${long.members}/${yuki.userId}`)).toMatchObject({ status: 404 });
  }
  expect((await ada("GET", "/conversations")).body.data).toMatchObject([{ id: short.id }]);
  expect(await left()).toBe(MESSAGES);

  // The job ends with the first message, so that it can't end before its process is killed.
  const lock = "SELECT FROM messages WHERE conversation_id = $1 AND sequence = 1 FOR UPDATE";
  await using first = await hold(service.databaseUrl, lock, [long.id]);
  const settings = { NODE_ENV: "test", ROLE: "worker", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
  await using killed = run(settings);
  await killed.ready();
  await eventually("a removal that has begun", async () => (await left()) < MESSAGES);
  killed.child.kill("SIGKILL");
  await killed.exited;
  await first.release();
  expect(await left()).toBeGreaterThan(0);
  await presumeDead(service, "leftovers");
  await using worker = run(settings);
  await worker.ready();
  const isGone = async () => (await service.db.conversation.findUnique({ where: { id: long.id } })) === null;
  await eventually("the end of the removal", isGone, 120_000);
  expect(await left()).toBe(0);
  expect([await about(long.id), await about(other.id)]).toEqual([0, 1]);
  expect((await yuki("GET", "/notifications")).body).toMatchObject({ data: [], unread_count: 0 });
  expect((await ada("GET", short.messages)).body.data).toMatchObject([{ body: "This one stays" }]);
}, 300_000);
