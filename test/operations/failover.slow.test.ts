import { expect, it } from "@jest/globals";
import { compare, NOTHING_WRONG, openWriters, startWriting } from "./support/acknowledged-writes.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, sendPersistently, type Conversation } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { startPrimary } from "../support/postgres-nodes.ts";
import { seededRandom } from "../support/seed.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

const WRITERS = 32;
/** Acknowledged writes before the fault, and again after it. */
const WRITES = 2_000;
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
  const deployment = stack.use(await createDeployment({ database: { url: address.url, drop: async () => {} } }));
  const urls: string[] = [];
  for (let n = 0; n < 2; n++) urls.push((await (await deployment.start("api")).ready()).url);
  await deployment.start("worker");
  const [owner, ...users] = await Promise.all(Array.from({ length: WRITERS + 1 }, () => deployment.as()));
  const doomed = await openConversation(owner!, [owner!]);
  await send(owner!, doomed, "Its messages are removed by a job.");

  const writing = stack.use(await startWriting(urls, await openWriters(users), seededRandom("failover")));
  await eventually("writes before the fault", () => writing.acknowledged() > WRITES, 120_000);
  const video = await upload(owner!, await smallClip());
  const killed = await primary.kill();
  const downMs = performance.now();
  await standby.promote();
  address.lead(standby.url);
  const takenOverMs = performance.now() - downMs;
  const before = writing.acknowledged();
  await eventually("writes after the fault", () => writing.acknowledged() > before + WRITES, 120_000);
  const history = await writing.stop();

  // Jobs from before and after the fault end, although both the queue and its notifications were on the dead server.
  expect(await finished(owner!, video)).toMatchObject({ status: "succeeded" });
  expect(await owner!("DELETE", `${doomed.members}/${owner!.userId}`)).toMatchObject({ status: 204 });
  // The row of the conversation is the last that the job removes: without its messages, it would count as one with gaps.
  const left = () => deployment.db.conversation.count({ where: { id: doomed.id } });
  await eventually("the end of a leftover job", async () => (await left()) === 0);

  const result = await compare(deployment.db, history);
  const { acknowledged, answers, longestGapMs } = history;
  process.stderr.write(
    `failover: ${killed} processes killed, taken over in ${Math.round(takenOverMs)} ms; ${acknowledged.size} writes acknowledged ` +
      `in ${answers.length} attempts, ${before} of them before; longest time without one ${Math.round(longestGapMs)} ms; ` +
      `${result.lost.length} lost, ${result.duplicate.length} duplicate, ${result.phantom.length} phantom\n`,
  );
  expect(result).toEqual(NOTHING_WRONG);
  expect(killed).toBeGreaterThan(1);
  expect(answers.length).toBeGreaterThan(acknowledged.size);
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

const CONVERSATIONS = 12;

it("a seen from before a failover marks nothing that happened after it, although transaction ids have gone back", async () => {
  const random = seededRandom("seen");
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await startPrimary());
  const proxy = stack.use(await startTcpProxy(primary.url));
  const standby = stack.use(await primary.addStandby("standby", { through: proxy.url }));
  const address = stack.use(await startTcpProxy(primary.url));
  const deployment = stack.use(await createDeployment({ database: { url: address.url, drop: async () => {} } }));
  await deployment.start("api");
  const [yuki, ...writers] = (await Promise.all(Array.from({ length: CONVERSATIONS + 1 }, () => deployment.as()))) as [
    Client,
    ...Client[],
  ];
  const conversations: Conversation[] = [];
  for (const it of writers) conversations.push(await openConversation(it, [yuki]));
  const write = async (index: number, body: string) =>
    expect(await sendPersistently(writers[index]!, conversations[index]!, body)).toMatchObject({ status: 201 });
  for (const index of writers.keys()) await write(index, "Seen before");
  // Two of them happened long ago, and are marked even with a token from the other server.
  const aged = conversations.slice(0, 2).map((it) => it.id);
  await primary.ask(
    "UPDATE notifications SET created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour' WHERE subject_id = ANY ($1)",
    [aged],
  );
  await primary.ask("DELETE FROM notifications WHERE kind <> 'message.created'");
  const replayed = "SELECT 1 FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()";
  await eventually("a standby that has everything", async () => (await primary.ask(replayed)).length === 1);

  // From now on, the standby receives nothing. What the primary commits is lost, and its transaction ids are used again.
  await proxy.cut();
  const tokens: string[] = [];
  for (let lost = 0; lost < 100; lost++) {
    await write(2 + random(CONVERSATIONS - 2), "Lost");
    if (lost % 10 === 9) tokens.push((await yuki("GET", "/notifications?limit=1")).body.seen as string);
  }
  const nextId = async (node: typeof primary) =>
    Number((await node.ask("SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id"))[0]!["id"]);
  const idBefore = await nextId(primary);
  await primary.kill();
  await standby.promote();
  address.lead(standby.url);

  for (const index of writers.keys()) if (index >= 2) await write(index, "After");
  const idAfter = await nextId(standby);
  const unread = async () => (await yuki("GET", "/notifications?status=unread&limit=100")).body.data as Body[];
  const after = (await unread()).filter((it) => it.body === "After").map((it) => it.id);
  process.stderr.write(`failover: the next transaction was ${idBefore}, and is ${idAfter}\n`);
  expect(idAfter).toBeLessThan(idBefore);
  expect(after).toHaveLength(CONVERSATIONS - 2);
  for (const [index, seen] of tokens.entries()) {
    const marked = await yuki("PATCH", "/notifications", { status: "read", seen });
    expect(marked).toMatchObject({ status: 200, body: { updated_count: index === 0 ? aged.length : 0 } });
    const one = await yuki("PATCH", `/notifications/${after[random(after.length)]}`, { status: "read", seen });
    expect(one).toMatchObject({ status: 200, body: { status: "unread" } });
  }
  expect((await unread()).map((it) => it.body)).toEqual(after.map(() => "After"));
  const { seen } = (await yuki("GET", "/notifications")).body;
  expect(await yuki("PATCH", "/notifications", { status: "read", seen })).toMatchObject({
    body: { updated_count: after.length, unread_count: 0 },
  });
}, 300_000);
