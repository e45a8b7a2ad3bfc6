import { expect, it } from "@jest/globals";
import { compare, NOTHING_WRONG, openWriters, startWriting } from "./support/acknowledged-writes.ts";
import { openConversation, send } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { startPrimary } from "../support/postgres-nodes.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

const WRITERS = 32;
/** Acknowledged writes before the fault, and again after it. */
const WRITES = sized(250, 2_000);
/** How long a packet takes to the standby. */
const PACKET_MS = 25;

it("a primary that dies under load loses no acknowledged write if its synchronous standby takes over, and jobs continue", async () => {
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await startPrimary());
  // The standby is in another building: without waiting for it, the primary acknowledges what only it has.
  const proxy = stack.use(await startTcpProxy(primary.url));
  proxy.delay(PACKET_MS);
  const standby = stack.use(await primary.addStandby("standby", { through: proxy.url }));
  await primary.setSynchronous("standby");
  // The address of the database, as a virtual IP address or a DNS name is in production.
  const address = stack.use(await startTcpProxy(primary.url));
  const service = stack.use(await startTestService({ ROLE: "api" }, { url: address.url }));
  const other = stack.use(await startTestService({ ROLE: "api", DATA_DIR: service.dataDir }, { url: address.url }));
  stack.use(await startWorkerOf(service));
  const [owner, reader, ...users] = await Promise.all(Array.from({ length: WRITERS + 2 }, () => service.as()));
  const doomed = await openConversation(owner!, [owner!]);
  await send(owner!, doomed, "Its messages are removed by a job.");

  const writing = stack.use(await startWriting([service.url, other.url], await openWriters(users), seededRandom("failover")));
  await eventually("writes before the fault", () => writing.acknowledged() > WRITES, 120_000);
  const video = await upload(owner!, await smallClip());
  const { seen } = (await reader!("GET", "/notifications")).body;
  const killed = await primary.kill();
  await standby.promote();
  address.lead(standby.url);
  const before = writing.acknowledged();
  await eventually("writes after the fault", () => writing.acknowledged() > before + WRITES, 120_000);
  const history = await writing.stop();

  // Jobs from before and after the fault end, although both the queue and its notifications were on the dead server.
  expect(await finished(owner!, video)).toMatchObject({ status: "succeeded" });
  expect(await owner!("DELETE", `${doomed.members}/${owner!.userId}`)).toMatchObject({ status: 204 });
  // The row of the conversation is the last that the job removes: without its messages, it would count as one with gaps.
  const left = () => service.db.conversation.count({ where: { id: doomed.id } });
  await eventually("the end of a leftover job", async () => (await left()) === 0);

  // What happens after it was not seen before it, although the other server has other transaction ids and another clock.
  await openConversation(owner!, [reader!]);
  expect(await reader!("PATCH", "/notifications", { status: "read", seen })).toMatchObject({
    body: { updated_count: 0, unread_count: 1 },
  });

  expect(await compare(service.db, history)).toEqual(NOTHING_WRONG);
  expect(killed).toBeGreaterThan(1);
  expect(history.answers.length).toBeGreaterThan(history.acknowledged.size);
  expect((await standby.ask("SELECT pg_is_in_recovery() AS is_standby"))[0]).toEqual({ is_standby: false });

  // The old primary has no standby any more. If it returns, it can't acknowledge a write, not even for a client that still
  // reaches it.
  await primary.start();
  const written = primary.ask("UPDATE users SET display_name = 'Two primaries'").then(
    () => "acknowledged",
    () => "never",
  );
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await eventually("a write that waits for the standby", async () => (await primary.ask(waits)).length === 1);
  await primary.kill();
  expect(await written).toBe("never");
}, 600_000);
