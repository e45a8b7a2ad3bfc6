import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { interrupt, PHASE_MS, rateOf, startClusterUnderLoad, type ClusterUnderLoad } from "../support/citus-under-load.ts";
import { eventually } from "../support/eventually.ts";
import { describeNeeds } from "../support/needs.ts";
import type { PostgresNode } from "../support/postgres-nodes.ts";
import { seededRandom } from "../support/seed.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** WRITES=20000 repeats the faults until there are so many acknowledged writes over all of them. */
const WRITES = Number(process.env["WRITES"] ?? 0);
const FAULTS = 8;
const writes = Math.ceil(WRITES / FAULTS);
/** How much later a slow node gets and sends each packet. */
const SLOW_MS = 20;

const portIn = ({ url }: PostgresNode) => Number(new URL(url).port);

describeNeeds("citus", "a distributed database under load", () => {
  let load: ClusterUnderLoad;
  beforeAll(async () => {
    load = await startClusterUnderLoad(seededRandom("citus-faults"));
  });
  afterAll(async () => load[Symbol.asyncDispose]());

  const everyone = () => new Set([...load.senders].map((it) => it.user.userId));

  it("loses no acknowledged write if shards move to another node", async () => {
    const [from, to] = load.cluster.workers.map(portIn);
    const { history, faults } = await load.writeDuring("shards moved", async () => {
      for (const table of ["conversations", "listed_conversations"]) {
        const [shard] = await load.cluster.ask(
          "SELECT shardid FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid) WHERE logicalrelid = $1::regclass AND nodeport = $2 LIMIT 1",
          [table, from],
        );
        const move = "SELECT citus_move_shard_placement($1, '127.0.0.1', $2::int, '127.0.0.1', $3::int, 'force_logical')";
        await load.cluster.ask(move, [shard!["shardid"], from, to]);
      }
    });
    const ids = new Set([...history.acknowledged.values()].map((it) => it.userId));
    const meanwhile = rateOf(history, ids, ...faults);
    process.stderr.write(`shards moved: ${meanwhile.toFixed(1)} writes a second meanwhile\n`);
    expect(meanwhile).toBeGreaterThan(0);
  });

  it("loses no acknowledged write if the cluster is rebalanced", async () => {
    const { history, faults } = await load.writeDuring("cluster rebalanced", async () => {
      const [before] = await load.cluster.ask("SELECT count(*)::int AS n FROM pg_dist_shard_placement GROUP BY nodeport ORDER BY 1");
      await load.cluster.ask("SELECT citus_rebalance_start('by_shard_count', shard_transfer_mode => 'force_logical')");
      await eventually("the end of the rebalance", async () => {
        const rows = await load.cluster.ask("SELECT state::text, details FROM citus_rebalance_status()");
        process.stderr.write(JSON.stringify(rows)+"\n");
        return rows.every((it) => it["state"] === "finished");
      }, undefined, 1000);
    });
    const ids = new Set([...history.acknowledged.values()].map((it) => it.userId));
    process.stderr.write(`rebalanced: ${rateOf(history, ids, ...faults).toFixed(1)} writes a second meanwhile\n`);
  });

  it("loses no acknowledged write if a process of the service dies, and then the other one", async () => {
    await load.writeDuring("processes killed", async () => {
      for (const n of [0, 1]) await load.replaceProcess(n);
    });
  });

  it("loses no acknowledged write if the coordinator dies", async () => {
    await load.writeDuring("coordinator killed", () => interrupt(load.cluster.coordinator), { writes });
  });

  it("loses no acknowledged write if a worker answers late", async () => {
    const [slow] = load.cluster.workers as [PostgresNode];
    await using proxy = await startTcpProxy(slow.url);
    const readdress = (from: number, to: number) => load.cluster.ask("SELECT citus_update_node(nodeid, '127.0.0.1', $2) FROM pg_dist_node WHERE nodeport = $1", [from, to]);
    const elsewhere = await load.usersElsewhere(slow, load.senders);
    await readdress(portIn(slow), Number(new URL(proxy.url).port));
    const { history, faults, before } = await load.writeDuring("worker slow", async () => {
      proxy.delay(SLOW_MS);
      await delay(2 * PHASE_MS);
      await proxy.mend();
    });
    await readdress(Number(new URL(proxy.url).port), portIn(slow));
    process.stderr.write(`worker slow: ${elsewhere.size} senders elsewhere ${rateOf(history, elsewhere, before).toFixed(1)} before, ${rateOf(history, elsewhere, ...faults).toFixed(1)} meanwhile\n`);
  });

  it.each([["mixed", true], ["messages", false]])("loses no acknowledged write if a worker dies, and users with rows on the other one write on %s", async (_, all) => {
    const [lost] = load.cluster.workers as [PostgresNode];
    const [senders, elsewhere] = [await load.usersElsewhere(lost, load.senders), await load.usersElsewhere(lost)];
    const { history, faults, before } = await load.writeDuring("worker killed", () => interrupt(lost), all ? {} : { by: load.senders });
    for (const ids of [senders, elsewhere]) {
      const [a, b] = [rateOf(history, ids, before), rateOf(history, ids, ...faults.map((it) => it.result))];
      process.stderr.write(`worker killed: ${ids.size} users: ${a.toFixed(1)} before, ${b.toFixed(1)} without it, ${Math.round(b / a * 100)} %\n`);
    }
  });

  it("loses no acknowledged write if a worker hangs", async () => {
    const [lost] = load.cluster.workers as [PostgresNode];
    const [senders] = [await load.usersElsewhere(lost, load.senders)];
    const { history, faults, before } = await load.writeDuring("worker halted", async () => {
      await lost.halt();
      try { await delay(12_000); } finally { await lost.resume(); }
    });
    for (const ids of [senders]) {
      const [a, b] = [rateOf(history, ids, before), rateOf(history, ids, ...faults)];
      process.stderr.write(`worker halted: ${ids.size} users: ${a.toFixed(1)} before, ${b.toFixed(1)} without it, ${Math.round(b / a * 100)} %\n`);
    }
  });
});
