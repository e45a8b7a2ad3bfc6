import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { DATABASE } from "../../src/embedded-postgres/cluster.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { compare, NOTHING_WRONG, openWriters, startWriting, summaryOf, type Writer } from "./support/acknowledged-writes.ts";
import { portOf, startCitus, type CitusCluster } from "../support/citus.ts";
import type { Client } from "../support/client.ts";
import { openSession } from "../support/database.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { fillWithMessages } from "./support/many-messages.ts";
import { describeNeeds } from "../support/needs.ts";
import { startPlumbline } from "../support/processes.ts";
import type { PostgresNode } from "../support/postgres-nodes.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";
import { SPLIT, splitShards } from "./support/split-shards.ts";
import { startReading } from "./support/steady-reads.ts";

const MESSAGES = sized(20_000, 1_000_000);
const [WRITERS, READERS] = sized([8, 4], [16, 8]);
/** A statement ends after this time at the latest. */
const STATEMENT_TIMEOUT_MS = 10_000;
const RETURN_MS = 40_000;
const MINUTES_MS = 1_200_000;

describeNeeds("citus", `a database with ${MESSAGES} messages`, () => {
  const random = seededRandom("distribute under load");
  const urls: string[] = [];
  const logs: (() => string)[] = [];
  const attempted = new Set<string>();
  let printed = "";
  let stack: AsyncDisposableStack;
  let cluster: CitusCluster;
  let deployment: Deployment;
  let third: PostgresNode;
  let readers: readonly Client[];
  let writers: readonly Writer[];
  /** What the readers read. */
  let lines: readonly string[];
  beforeAll(async () => {
    await using starting = new AsyncDisposableStack();
    // By default, a rebalance looks for its next task every 5 s.
    cluster = starting.use(await startCitus({ settings: { "citus.background_task_queue_interval": "1s" } }));
    await migrateDatabase(cluster.url);
    await using session = await openSession(cluster.url);
    await fillWithMessages(session, MESSAGES);
    await cluster.connect(DATABASE);
    deployment = starting.use(await createDeployment({ database: cluster }));
    // The default, as in production.
    const settings = { DATABASE_POOL_TIMEOUT_SECONDS: "3", LOG_LEVEL: "error" };
    for (let n = 0; n < 2; n++) {
      const process = await deployment.start("api", settings);
      logs.push(process.stdout);
      urls.push((await process.ready()).url);
    }
    const users = await Promise.all(Array.from({ length: READERS + WRITERS }, () => deployment.as()));
    readers = users.slice(0, READERS);
    writers = await openWriters(users.slice(READERS));
    // Readers are members of some filled conversations.
    const filled = (await cluster.ask("SELECT id FROM conversations WHERE last_sequence = 100 ORDER BY id LIMIT 3")).map(
      (it) => it["id"] as string,
    );
    for (const { userId } of readers)
      for (const id of filled)
        await cluster.ask("INSERT INTO members (conversation_id, user_id, role) VALUES ($1, $2, 'member')", [id, userId]);
    const paths = filled.flatMap((id) => ["", "/messages", "/members"].map((it) => `/conversations/${id}${it}`));
    lines = ["/account", "/posts?limit=5", "/notifications", "/conversations", "/urls", ...paths].map((it) => `GET ${it}`);
    stack = starting.move();
  }, MINUTES_MS);
  afterAll(async () => stack.disposeAsync());

  async function distribute(): Promise<string> {
    await using running = startPlumbline({ DATABASE_URL: cluster.url }, "database", "distribute", "--yes");
    let sinceMs = performance.now();
    running.child.stdout!.on("data", (text: string) => {
      process.stderr.write(`${Math.round(performance.now() - sinceMs)} ms: ${text}`);
      sinceMs = performance.now();
    });
    const code = await running.exited;
    expect({ code, stderr: running.stderr() }).toEqual({ code: 0, stderr: "" });
    return running.stdout();
  }
  const countFilled = () => cluster.ask("SELECT count(*)::int AS filled FROM messages WHERE body = 'Filled'");

  /** Some write and others read what was filled while `change` runs, and until each writer has written after it. */
  async function during<T>(name: string, change: () => Promise<T>): Promise<T> {
    await using scope = new AsyncDisposableStack();
    const writing = scope.use(await startWriting(urls, writers, random));
    const tokens = readers.map((it) => it.authorization!);
    const reading = urls.map((url) => scope.use(startReading(url, tokens, lines)));
    await writing.everyUserWrites(RETURN_MS);
    const sinceMs = performance.now();
    const result = await change();
    const tookMs = performance.now() - sinceMs;
    await writing.everyUserWrites(RETURN_MS);
    const reads = await Promise.all(reading.map((it) => it.stop()));
    const history = await writing.stop();
    for (const log of logs) for (const [line] of log().matchAll(/^.*"status":500.*$/gm)) process.stderr.write(`${line}\n`);
    for (const mark of history.attempted) attempted.add(mark);
    expect(await compare(deployment.db, { ...history, attempted })).toEqual(NOTHING_WRONG);
    const written = summaryOf(history);
    // prisma/DISTRIBUTED.md has these figures.
    process.stderr.write(
      `${name}: ${Math.round(tookMs)} ms; ${history.acknowledged.size} writes acknowledged; longest time without one ` +
        `${Math.round(written.longestGapMs)} ms; longest response to a write ${Math.round(written.slowestMs)} ms\n`,
    );
    for (const { statuses, slowestMs } of [written, ...reads]) {
      expect(statuses.filter((it) => ![200, 201, 409, 503].includes(it!))).toEqual([]);
      expect(slowestMs).toBeLessThan(STATEMENT_TIMEOUT_MS);
    }
    return result;
  }

  it(
    "is distributed under reads and writes, of which none is lost and none fails but with a clear 503",
    async () => {
      expect(await countFilled()).toEqual([{ filled: MESSAGES }]);
      printed = await during("distributed", distribute);
      // A slow writer can hold up an attempt, but not a step: then it would wait for others until none writes.
      expect((printed.match(/cannot lock/g) ?? []).length).toBeLessThan(2);
      expect(await countFilled()).toEqual([{ filled: MESSAGES }]);
    },
    MINUTES_MS,
  );

  it(
    "has twice as many shards after the statement of prisma/DISTRIBUTED.md, without a lost write",
    async () => {
      const count = "SELECT sum(shard_count)::int AS shards FROM citus_tables WHERE citus_table_type = 'distributed'";
      const shardsOf = async () => (await cluster.ask(count))[0]!["shards"] as number;
      const before = await shardsOf();
      await during("split", async () => {
        for (const table of SPLIT) await splitShards(cluster.ask, table);
      });
      expect(await shardsOf()).toBe(2 * before);
    },
    MINUTES_MS,
  );

  it(
    "spreads to a node that is added with the statements that the command prints, without a lost write",
    async () => {
      third = await cluster.prepareWorker(DATABASE);
      const statements = [...printed.matchAll(/^ {2}(SELECT .*);$/gm)].map(([, it]) => it!);
      expect(statements).toHaveLength(3);
      const [add, rebalance, status] = statements as [string, string, string];
      await during("a node added", async () => {
        await cluster.ask(add.replace("'host', 5432", `'127.0.0.1', ${portOf(third)}`));
        await distribute();
        await cluster.ask(rebalance);
        await eventually(
          "the end of the rebalance",
          async () => (await cluster.ask(status))[0]?.["state"] === "finished",
          MINUTES_MS,
        );
      });
      const shardsOnNode =
        "SELECT count(*)::int AS shards FROM citus_shards WHERE nodeport = $1 AND citus_table_type = 'distributed'";
      const [{ shards } = {}] = await cluster.ask(shardsOnNode, [portOf(third)]);
      expect(shards).toBeGreaterThan(0);
      expect(await third.ask("SHOW lock_timeout")).toEqual([{ lock_timeout: "5s" }]);
      const functions =
        "SELECT count(*)::int AS n FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = 'send_messages'";
      expect(await third.ask(functions)).toEqual([{ n: 1 }]);
    },
    MINUTES_MS,
  );
});
