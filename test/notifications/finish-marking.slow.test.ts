import { expect, it } from "@jest/globals";
import type { Body } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { presumeDead } from "../support/jobs.ts";
import { run } from "../support/running.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";

const COUNT = 40_000;

const service = prepare(() => startTestService({ ROLE: "api" }));

/** Gives a user this many unread notifications. */
const insertUnread = (userId: string, count: number, what: string) => service.db.$executeRaw`
  INSERT INTO notifications (id, user_id, subject_id, kind, title, resource_type, resource_id, resource_href)
  SELECT gen_random_uuid(), ${userId}::uuid, ${what} || n, 'video_upload.failed', ${what}, 'video_upload', 'x', '/x'
  FROM generate_series(1, ${count}::int) n`;

it("a job marks what one PATCH could not, even if a worker is killed, and keeps later notifications unread", async () => {
  const yuki = await service.as();
  const unread = () => service.db.notification.count({ where: { userId: yuki.userId, readAt: null } });
  await insertUnread(yuki.userId, COUNT, "Seen");
  const { body } = await yuki("GET", "/notifications?limit=1");
  await insertUnread(yuki.userId, 3, "Later");
  expect(await yuki("PATCH", "/notifications", { status: "read", seen: body.seen })).toMatchObject({
    status: 200,
    body: { updated_count: 1_000, unread_count: 1_000 },
  });
  // So slowly that the worker is killed half way.
  await service.db
    .$executeRaw`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END'`;
  await service.db.$executeRaw`CREATE TRIGGER slowly BEFORE UPDATE ON notifications EXECUTE FUNCTION slowly()`;
  const settings = { NODE_ENV: "test", ROLE: "worker", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
  await using killed = run(settings);
  await killed.ready();
  await eventually("a job that has begun", async () => (await unread()) < COUNT - 1_000);
  killed.child.kill("SIGKILL");
  await killed.exited;
  const left = await unread();
  process.stderr.write(`killed with ${left} of ${COUNT} left to mark\n`);
  expect(left).toBeGreaterThan(3);
  await service.db.$executeRaw`DROP TRIGGER slowly ON notifications`;
  await presumeDead(service, "leftovers");
  await using worker = run(settings);
  await worker.ready();
  await eventually("the end of the marking", async () => (await unread()) === 3, 90_000);
  expect(await yuki("GET", "/notifications?status=unread")).toMatchObject({
    body: { unread_count: 3, data: [{ title: "Later" }, { title: "Later" }, { title: "Later" }] },
  });
}, 180_000);

it("a job archives what one PATCH could not, also what was read before, and keeps later notifications unread", async () => {
  const ada = await service.as();
  await insertUnread(ada.userId, 2_500, "Seen");
  await service.db.$executeRaw`UPDATE notifications SET read_at = now() WHERE id IN (
    SELECT id FROM notifications WHERE user_id = ${ada.userId}::uuid LIMIT 1200)`;
  const { body } = await ada("GET", "/notifications?limit=1");
  await insertUnread(ada.userId, 3, "Later");
  expect((await ada("PATCH", "/notifications", { status: "read", archived: true, seen: body.seen })).status).toBe(200);
  await using _worker = await startWorkerOf(service);
  const listed = async () => (await ada("GET", "/notifications?limit=100")).body.data.map((it: Body) => it.title as string);
  await eventually("the end of the archiving", async () => (await listed()).length === 3, 90_000);
  expect(await listed()).toEqual(["Later", "Later", "Later"]);
  expect(await service.db.notification.count({ where: { userId: ada.userId, archivedAt: { not: null } } })).toBe(2_500);
}, 180_000);
