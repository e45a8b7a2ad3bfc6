import { expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { presumeDead } from "../support/jobs.ts";
import { insertUnread } from "../support/notifications.ts";
import { run } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";

const COUNT = sized(10_000, 40_000);

const service = prepare(() => startTestService({ ROLE: "api" }));

it("a job marks what one PATCH could not, even if a worker is killed, and keeps later notifications unread", async () => {
  const yuki = await service.as();
  const unread = () => service.db.notification.count({ where: { userId: yuki.userId, readAt: null } });
  await insertUnread(service.db, yuki.userId, COUNT, "Seen");
  const { body } = await yuki("GET", "/notifications?limit=1");
  await insertUnread(service.db, yuki.userId, 3, "Later");
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
