import { setTimeout as delay } from "node:timers/promises";
import { expect } from "@jest/globals";
import { connect } from "../../../src/database/client.ts";
import {
  compare,
  NOTHING_WRONG,
  KINDS,
  openWriters,
  startWriting,
  summaryOf,
  type Acknowledged,
  type History,
  type Writer,
} from "./acknowledged-writes.ts";
import { openConversation } from "../../support/conversations.ts";
import { createDeployment } from "../../support/deployment.ts";
import { startDistributedCluster } from "../../support/distributed-cluster.ts";
import { eventually } from "../../support/eventually.ts";
import type { PostgresNode } from "../../support/postgres-nodes.ts";
import type { Running } from "../../support/processes.ts";
import { sized } from "../../support/size.ts";

/** For each worker, users with all their rows on it: those who only send messages, and those who write everything. */
const [SENDERS, WRITERS] = sized([4, 4], [8, 4]);
/** Users who write everything, with rows on any node. */
const ANYWHERE = sized(4, 8);
const PROCESSES = 2;
/** How long clients write before a fault, between two of them, and how long a node is away. */
export const PHASE_MS = sized(1_000, 3_000);
const RETURN_MS = 60_000;
/** How long a user waits before the next write. */
const PAUSE_MS = sized(150, 0);

/** As prisma/DISTRIBUTED.md recommends. */
const STATEMENT_TIMEOUT_SECONDS = 2;
const SETTINGS = {
  // By default once a minute. Until then, what is left of a transaction holds its locks.
  "citus.recover_2pc_interval": "1s",
  // By default, a rebalance begins after up to 5 s.
  "citus.background_task_queue_interval": "1s",
};

export type ClusterUnderLoad = Awaited<ReturnType<typeof startClusterUnderLoad>>;
type Period = { readonly fromMs: number; readonly toMs: number };

/** A cluster of Citus, two processes of the service, and users who write to them. */
export async function startClusterUnderLoad(random: (below: number) => number) {
  await using starting = new AsyncDisposableStack();
  const cluster = starting.use(
    await startDistributedCluster({ settings: SETTINGS }, { statementTimeoutSeconds: STATEMENT_TIMEOUT_SECONDS }),
  );
  const deployment = starting.use(await createDeployment({ database: cluster }));
  const [processes, urls, logs]: [Running[], string[], (() => string)[]] = [[], [], []];

  /** Starts one of the processes, with the settings that prisma/DISTRIBUTED.md recommends on a cluster. */
  async function startProcess(n: number): Promise<void> {
    const started = await deployment.start("api", {
      DATABASE_POOL_TIMEOUT_SECONDS: "1",
      DATABASE_STATEMENT_TIMEOUT_SECONDS: String(STATEMENT_TIMEOUT_SECONDS),
      LOG_LEVEL: "error",
    });
    processes[n] = started;
    logs.push(started.stdout);
    urls[n] = (await started.ready()).url;
  }
  for (let n = 0; n < PROCESSES; n++) await startProcess(n);

  /** The port of the node that has the rows of each value. */
  async function portsOf(table: string, values: readonly string[]): Promise<number[]> {
    const rows = await cluster.ask(
      `SELECT nodeport FROM unnest($2::uuid[]) WITH ORDINALITY AS input (value, n)
        JOIN pg_dist_shard_placement ON shardid = get_shard_id_for_distribution_column($1::regclass, value) ORDER BY n`,
      [table, values],
    );
    return rows.map((row) => row["nodeport"] as number);
  }

  /** A new user with a conversation, who has all rows on one worker. The users and conversations before it are not used. */
  async function openWriterOn(worker: PostgresNode, kinds: Writer["kinds"] = KINDS): Promise<Writer> {
    const isThere = async (table: string, id: string) => (await portsOf(table, [id]))[0] === portIn(worker);
    let user = await deployment.as();
    while (!(await isThere("listed_conversations", user.userId))) user = await deployment.as();
    let conversation = await openConversation(user, [user]);
    while (!(await isThere("conversations", conversation.id))) conversation = await openConversation(user, [user]);
    return { user, conversation, kinds };
  }

  const [senders, writers]: [Writer[], Writer[]] = [[], []];
  for (const worker of cluster.workers) {
    for (let n = 0; n < SENDERS; n++) senders.push(await openWriterOn(worker, ["message"]));
    for (let n = 0; n < WRITERS; n++) writers.push(await openWriterOn(worker));
  }
  const users = await Promise.all(Array.from({ length: ANYWHERE }, () => deployment.as()));
  writers.push(...senders, ...(await openWriters(users)));

  /** The users who have all their rows on other nodes. */
  async function usersElsewhere({ url }: PostgresNode, of = writers): Promise<Set<string>> {
    const port = portIn({ url });
    const ports = [
      await portsOf(
        "listed_conversations",
        of.map((it) => it.user.userId),
      ),
      await portsOf(
        "conversations",
        of.map((it) => it.conversation.id),
      ),
    ];
    return new Set(of.filter((_, n) => ports.every((it) => it[n] !== port)).map((it) => it.user.userId));
  }

  const attempted = new Set<string>();
  const acknowledged = new Map<string, Acknowledged>();

  /**
   * Clients write while `fault` runs, again and again until there are `writes`, and until each of them has written after it.
   * Nothing of this or of an earlier fault may be missing or there twice.
   */
  async function writeDuring<T>(name: string, fault: () => Promise<T>, { writes = 0, isPatient = false } = {}) {
    await using scope = new AsyncDisposableStack();
    const writing = scope.use(await startWriting(urls, writers, random, { isPatient, pauseMs: PAUSE_MS }));
    const startedMs = performance.now();
    const faults: (Period & { readonly result: T })[] = [];
    do {
      await delay(PHASE_MS);
      const fromMs = performance.now();
      const result = await fault();
      faults.push({ result, fromMs, toMs: performance.now() });
      await writing.everyUserWrites(RETURN_MS);
    } while (writing.acknowledged() < writes);
    // A client sees no more of it than a 500.
    for (const log of logs) for (const [line] of log().matchAll(/^.*"status":500.*$/gm)) process.stderr.write(`${line}\n`);
    const history = await writing.stop();
    for (const mark of history.attempted) attempted.add(mark);
    for (const [mark, it] of history.acknowledged) acknowledged.set(mark, it);
    // A prepared transaction is neither committed nor rolled back until its node learns its end.
    const isOpen = "SELECT 1 FROM pg_prepared_xacts";
    const open = async () => (await Promise.all(cluster.nodes.map((node) => node.ask(isOpen)))).flat().length;
    await eventually("the end of prepared transactions", async () => (await open()) === 0);
    // Sessions from before the fault have connections to the node that died.
    const { db } = scope.adopt(await connect(cluster.url, { DATABASE_POOL_SIZE: 2 }, () => undefined), (it) => it.close());
    const longestMs = (isMeant: (it: (typeof history.answers)[0]) => boolean) =>
      Math.max(0, ...history.answers.filter(isMeant).map((it) => it.tookMs));
    const compared = await compare(db, { attempted, acknowledged });
    // prisma/DISTRIBUTED.md has these figures.
    process.stderr.write(
      `${name}, ${faults.length} times: ${history.acknowledged.size} writes acknowledged; longest time without one ` +
        `${Math.round(summaryOf(history).longestGapMs)} ms; longest response ${Math.round(longestMs(() => true))} ms; ${JSON.stringify(compared)}\n`,
    );
    expect(compared).toEqual(NOTHING_WRONG);
    // A busy machine answers late in any case.
    const usualMs = longestMs((it) => it.askedMs < faults[0]!.fromMs);
    const longestRefusalMs = longestMs((it) => it.status === 503) - usualMs;
    const isExpected = (status: number | null) => status === null || [201, 409, 503].includes(status);
    expect(history.answers.filter((it) => !isExpected(it.status))).toEqual([]);
    return { history, faults, longestRefusalMs, before: { fromMs: startedMs, toMs: faults[0]!.fromMs } };
  }

  const owned = starting.move();
  return {
    ...{ cluster, senders, writers, usersElsewhere, writeDuring },
    /** The number of shards on a node. */
    async shardsOf(node: PostgresNode): Promise<number> {
      const count = "SELECT count(*)::int AS n FROM citus_shards WHERE citus_table_type = 'distributed' AND nodeport = $1";
      return (await cluster.ask(count, [portIn(node)]))[0]!["n"] as number;
    },
    /** Moves a shard of a table, with those of its group, while it is written. */
    async moveShard(table: string, from: PostgresNode, to: PostgresNode) {
      const first = `SELECT min(shardid) AS id FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
        WHERE logicalrelid = $1::regclass AND nodeport = $2`;
      const [shard] = await cluster.ask(first, [table, portIn(from)]);
      const move = "SELECT citus_move_shard_placement($1, '127.0.0.1', $2::int, '127.0.0.1', $3::int, 'force_logical')";
      await cluster.ask(move, [shard!["id"], portIn(from), portIn(to)]);
    },
    /** Makes the nodes find one of them at another port. */
    async readdress(from: number, to: number) {
      await cluster.ask("SELECT citus_update_node(nodeid, '127.0.0.1', $2) FROM pg_dist_node WHERE nodeport = $1", [from, to]);
    },
    /** Kills a process of the service, and starts it again. */
    async replaceProcess(n: number) {
      processes[n]!.child.kill("SIGKILL");
      await processes[n]!.exited;
      await startProcess(n);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export const portIn = ({ url }: { readonly url: string }): number => Number(new URL(url).port);

/** Kills a node, and starts it again. */
export async function interrupt(node: PostgresNode) {
  const fromMs = performance.now();
  const killed = await node.kill();
  await delay(PHASE_MS);
  const toMs = performance.now();
  await node.start();
  return { killed, fromMs, toMs };
}

/** Writes per second of some users, in some periods. */
export function rateOf({ acknowledged }: History, userIds: ReadonlySet<string>, ...periods: readonly Period[]): number {
  const writes = [...acknowledged.values()].filter(
    (it) => userIds.has(it.userId) && periods.some(({ fromMs, toMs }) => it.atMs > fromMs && it.atMs < toMs),
  );
  return writes.length / (periods.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1_000);
}
