import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { connect } from "../../src/database/client.ts";
import { compare, startWriting, type History } from "../support/acknowledged-writes.ts";
import type { CitusCluster } from "../support/citus.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { databaseOf, startDistributedCluster } from "../support/distributed-cluster.ts";
import { eventually } from "../support/eventually.ts";
import { describeNeeds } from "../support/needs.ts";
import type { PostgresNode } from "../support/postgres-nodes.ts";
import { seededRandom } from "../support/seed.ts";

/** Enough that some have all their rows on one worker. */
const WRITERS = 32;
/** How long clients write before the fault, and how long a killed node is away. */
const PHASE_MS = 3_000;
/** A statement ends after this time at the latest. */
const STATEMENT_TIMEOUT_MS = 10_000;
const RETURN_MS = 40_000;

describeNeeds("citus", "a distributed database under load", () => {
  const random = seededRandom("citus-faults");
  const urls: string[] = [];
  const logs: (() => string)[] = [];
  const attempted = new Set<string>();
  let stack: AsyncDisposableStack;
  let cluster: CitusCluster;
  let deployment: Deployment;
  beforeAll(async () => {
    await using starting = new AsyncDisposableStack();
    // The service checks it once a minute. Until then, what is left of a transaction holds its locks.
    cluster = starting.use(await startDistributedCluster({ settings: { "citus.recover_2pc_interval": "1s" } }));
    deployment = starting.use(await createDeployment({ database: databaseOf(cluster) }));
    // The default, as in production.
    const settings = { DATABASE_POOL_TIMEOUT_SECONDS: "3", LOG_LEVEL: "error" };
    for (let n = 0; n < 2; n++) {
      const process = await deployment.start("api", settings);
      logs.push(process.stdout);
      urls.push((await process.ready()).url);
    }
    stack = starting.move();
  });
  afterAll(async () => stack.disposeAsync());

  /** Clients write while `fault` runs, and until each of them has written after it. Nothing may be missing or there twice. */
  async function writeDuring<T>(name: string, fault: (writing: Awaited<ReturnType<typeof startWriting>>) => Promise<T>) {
    await using scope = new AsyncDisposableStack();
    const users = await Promise.all(Array.from({ length: WRITERS }, () => deployment.as()));
    const writing = scope.use(await startWriting(urls, users, random));
    const startedMs = performance.now();
    await delay(PHASE_MS);
    const faultMs = performance.now();
    const before = writing.acknowledged();
    const result = await fault(writing);
    const overMs = performance.now();
    await writing.everyUserWrites(RETURN_MS);
    // A client sees no more of it than a 500.
    for (const log of logs) for (const [line] of log().matchAll(/^.*"status":500.*$/gm)) process.stderr.write(`${line}\n`);
    const everyoneMs = performance.now() - overMs;
    const history = await writing.stop();
    for (const mark of history.attempted) attempted.add(mark);
    // What a node has prepared and not heard the end of is neither written nor gone.
    const isOpen = "SELECT 1 FROM pg_prepared_xacts";
    const open = async () => (await Promise.all(cluster.nodes.map((node) => node.ask(isOpen)))).flat().length;
    await eventually("the end of prepared transactions", async () => (await open()) === 0);
    // Sessions from before the fault have connections to the node that died.
    const { db } = scope.adopt(await connect(cluster.url, { DATABASE_POOL_SIZE: 2 }, () => undefined), (it) => it.close());
    const compared = await compare(db, { ...history, attempted });
    process.stderr.write(
      `${name}: ${history.acknowledged.size} writes acknowledged in ${history.attempts} attempts, ${before} of them before; ` +
        `every user writes ${Math.round(everyoneMs)} ms after it; longest answer ${Math.round(history.longestAnswerMs)} ms; ` +
        `longest time without a write ${Math.round(history.longestGapMs)} ms; ` +
        `${compared.lost.length} lost, ${compared.duplicate.length} duplicate, ${compared.phantom.length} phantom\n`,
    );
    expect(compared).toEqual({ lost: [], duplicate: [], phantom: [], conversationsWithGaps: [] });
    expect(history.longestAnswerMs).toBeLessThan(STATEMENT_TIMEOUT_MS);
    return { history, result, startedMs, faultMs, overMs };
  }

  /** Kills a node, and starts it again. */
  async function interrupt(node: PostgresNode) {
    const killedMs = performance.now();
    const killed = await node.kill();
    await delay(PHASE_MS);
    const backMs = performance.now();
    await node.start();
    return { killed, killedMs, backMs };
  }

  /** The port of the node that has the rows of each value. */
  async function portsOf(table: string, values: readonly string[]): Promise<number[]> {
    const rows = await cluster.ask(
      `SELECT nodeport FROM unnest($2::uuid[]) WITH ORDINALITY AS given (value, n)
        JOIN pg_dist_shard_placement ON shardid = get_shard_id_for_distribution_column($1::regclass, value) ORDER BY n`,
      [table, values],
    );
    return rows.map((row) => row["nodeport"] as number);
  }
  const portIn = ({ url }: PostgresNode) => Number(new URL(url).port);

  /** Writes per second of some users. */
  const rateOf = ({ acknowledged }: History, userIds: ReadonlySet<string>, fromMs: number, toMs: number) =>
    [...acknowledged.values()].filter((it) => userIds.has(it.userId) && it.atMs > fromMs && it.atMs < toMs).length /
    ((toMs - fromMs) / 1_000);

  // The worker is the last to die. After that, a session of the service fails once, and a new user would see it.
  it("loses no acknowledged write if shards move to another node", async () => {
    const [from, to] = cluster.workers.map(portIn);
    const { history, faultMs, overMs } = await writeDuring("shards moved", async () => {
      for (const table of ["conversations", "listed_conversations"]) {
        const [shard] = await cluster.ask(
          "SELECT shardid FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid) WHERE logicalrelid = $1::regclass AND nodeport = $2 LIMIT 1",
          [table, from],
        );
        const move = "SELECT citus_move_shard_placement($1, '127.0.0.1', $2::int, '127.0.0.1', $3::int, 'force_logical')";
        await cluster.ask(move, [shard!["shardid"], from, to]);
      }
    });
    const everyone = new Set([...history.acknowledged.values()].map((it) => it.userId));
    const meanwhile = rateOf(history, everyone, faultMs, overMs);
    process.stderr.write(
      `shards moved: one of conversations and one of users in ${Math.round(overMs - faultMs)} ms, with ${meanwhile.toFixed(1)} writes a second meanwhile\n`,
    );
    expect(meanwhile).toBeGreaterThan(0);
  });

  it("loses no acknowledged write if the coordinator dies", async () => {
    const { history, result } = await writeDuring("coordinator killed", () => interrupt(cluster.coordinator));
    expect(result.killed).toBeGreaterThan(1);
    expect(history.attempts).toBeGreaterThan(history.acknowledged.size);
  });

  it("loses no acknowledged write if a worker dies, and users with rows on the other one write on", async () => {
    const [lost] = cluster.workers as [PostgresNode];
    const elsewhere = new Set<string>();
    const { history, result, startedMs } = await writeDuring("worker killed", async ({ conversations }) => {
      const userIds = [...conversations.keys()].map((it) => it.userId);
      const ids = [...conversations.values()].map((it) => it.id);
      const ports = [await portsOf("listed_conversations", userIds), await portsOf("conversations", ids)];
      for (const [n, userId] of userIds.entries()) if (ports.every((it) => it[n] !== portIn(lost))) elsewhere.add(userId);
      return interrupt(lost);
    });
    const [before, meanwhile] = [
      rateOf(history, elsewhere, startedMs, result.killedMs),
      rateOf(history, elsewhere, result.killedMs, result.backMs),
    ];
    process.stderr.write(
      `worker killed: ${elsewhere.size} of ${WRITERS} users have their rows on the other worker; they wrote ` +
        `${before.toFixed(1)} a second before, ${meanwhile.toFixed(1)} without it, ${Math.round((meanwhile / before) * 100)} %\n`,
    );
    expect(result.killed).toBeGreaterThan(1);
    expect(history.attempts).toBeGreaterThan(history.acknowledged.size);
    expect(meanwhile).toBeGreaterThan(0);
  });
});
