import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, it } from "@jest/globals";
import type { Writer } from "./support/acknowledged-writes.ts";
import { interrupt, PHASE_MS, portIn, rateOf, startClusterUnderLoad, type ClusterUnderLoad } from "./support/citus-under-load.ts";
import { describeNeeds } from "../support/needs.ts";
import type { PostgresNode } from "../support/postgres-nodes.ts";
import { prepare } from "../support/prepare.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** With the full size, each fault is repeated until there are so many acknowledged writes over all of them. */
const WRITES = sized(0, 20_000);
const FAULTS = 7;
const writes = Math.ceil(WRITES / FAULTS);

/** While a node is away, for requests that need it. */
const REFUSED_WITHIN_MS = 5_000;
/** The share of writes that users without rows on a lost worker still make. */
const GO_ON = 0.4;
/** How much later a slow node gets and sends each packet. */
const SLOW_MS = 50;
/** The longest time for which a statement waits for a worker. */
const STATEMENT_MS = 2_000;
/** How long a worker hangs: until its sessions have lost it, and for a while after that. */
const HANG_MS = STATEMENT_MS + 3 * PHASE_MS;
/** A request waits in the fair queue, for a connection, and for its statement, which the service ends. */
const LONGEST_MS = 1_000 + 1_000 + STATEMENT_MS + 2_000;
/** The share of responses that arrive in time while a worker hangs. An unused session waits longer for it, once. */
const IN_TIME = 0.95;

describeNeeds("citus", "a distributed database under load", () => {
  const load = prepare(() => startClusterUnderLoad(seededRandom("citus-faults")));
  let lost: PostgresNode;
  let left: PostgresNode;
  beforeAll(() => {
    [lost, left] = load.cluster.workers as [PostgresNode, PostgresNode];
  });

  type During = Awaited<ReturnType<ClusterUnderLoad["writeDuring"]>>;
  type Period = During["before"];

  /** Prints how many of their earlier writes some users make in some periods (prisma/DISTRIBUTED.md), and returns it. */
  function shareOf(who: string, ids: ReadonlySet<string>, { history, before }: During, periods: readonly Period[]): number {
    const share = rateOf(history, ids, ...periods) / rateOf(history, ids, before);
    process.stderr.write(`  ${ids.size} ${who} wrote ${Math.round(share * 100)} % of their earlier writes\n`);
    return share;
  }
  const idsOf = (writers: readonly Writer[]) => new Set(writers.map((it) => it.user.userId));

  it("loses no acknowledged write if a process of the service dies, and then the other one", async () => {
    const replaceBoth = async () => {
      for (const n of [0, 1]) await load.replaceProcess(n);
    };
    const during = await load.writeDuring("processes killed", replaceBoth, { writes });
    expect(shareOf("users", idsOf(load.writers), during, during.faults)).toBeGreaterThan(0);
    expect(during.history.answers.filter((it) => it.status === null)).not.toEqual([]);
    expect(during.longestRefusalMs).toBeLessThan(REFUSED_WITHIN_MS);
  });

  it("loses no acknowledged write if the coordinator dies", async () => {
    const { history, faults, longestRefusalMs } = await load.writeDuring(
      "coordinator killed",
      () => interrupt(load.cluster.coordinator),
      { writes },
    );
    for (const { result } of faults) expect(result.killed).toBeGreaterThan(1);
    expect(history.answers.length).toBeGreaterThan(history.acknowledged.size);
    expect(longestRefusalMs).toBeLessThan(REFUSED_WITHIN_MS);
  });

  it("loses no acknowledged write if a worker answers late", async () => {
    const [elsewhere, there] = [await load.usersElsewhere(lost, load.senders), await load.usersElsewhere(left, load.senders)];
    await using proxy = await startTcpProxy(lost.url);
    const [direct, late] = [portIn(lost), portIn(proxy)];
    await load.readdress(direct, late);
    try {
      const slowDown = async () => {
        proxy.delay(SLOW_MS);
        await delay(PHASE_MS);
        await proxy.mend();
      };
      const during = await load.writeDuring("worker slow", slowDown, { writes });
      expect(shareOf("senders of the other worker", elsewhere, during, during.faults)).toBeGreaterThan(0);
      expect(shareOf("senders of the slow worker", there, during, during.faults)).toBeGreaterThan(0);
      expect(during.longestRefusalMs).toBeLessThan(REFUSED_WITHIN_MS);
      expect(proxy.drop()).toBeGreaterThan(0);
    } finally {
      await load.readdress(late, direct);
    }
  });

  const AT_ONCE = ["who try again at once", false] as const;
  const LATER = ["who wait as Retry-After says", true] as const;
  it.each(sized([AT_ONCE], [AT_ONCE, LATER]))(
    "loses no acknowledged write of users %s if a worker hangs, and refuses within 5 s",
    async (_, isPatient) => {
      const elsewhere = await load.usersElsewhere(lost, load.senders);
      const hang = async () => {
        await lost.halt();
        try {
          await delay(HANG_MS);
        } finally {
          await lost.resume();
        }
      };
      const during = await load.writeDuring("worker hangs", hang, { writes, isPatient });
      const { history, faults, longestRefusalMs } = during;
      // With any status, because a request that still waits when the worker is back is not refused.
      const asked = history.answers.filter((it) => faults.some(({ fromMs, toMs }) => it.askedMs > fromMs && it.askedMs < toMs));
      const inTime = asked.filter((it) => it.tookMs < REFUSED_WITHIN_MS).length / asked.length;
      expect(shareOf("senders of the other worker", elsewhere, during, faults)).toBeGreaterThan(isPatient ? GO_ON : 0);
      expect(inTime).toBeGreaterThan(IN_TIME);
      expect(longestRefusalMs).toBeLessThan(LONGEST_MS);
    },
  );

  it("loses no acknowledged write if a worker dies, and users with rows on the other one continue to write", async () => {
    const elsewhere = await load.usersElsewhere(lost, load.senders);
    const others = (await load.usersElsewhere(lost)).difference(idsOf(load.senders));
    const during = await load.writeDuring("worker killed", () => interrupt(lost), { writes });
    const { history, faults, longestRefusalMs } = during;
    const away = faults.map((it) => it.result);
    for (const { killed } of away) expect(killed).toBeGreaterThan(1);
    expect(history.answers.length).toBeGreaterThan(history.acknowledged.size);
    expect(shareOf("senders of the other worker", elsewhere, during, away)).toBeGreaterThan(GO_ON);
    expect(shareOf("writers of all kinds of the other worker", others, during, away)).toBeGreaterThan(0);
    expect(longestRefusalMs).toBeLessThan(REFUSED_WITHIN_MS);
  });

  // The last one, because some senders then have rows on both workers.
  it("loses no acknowledged write if shards move to another node, and back when the cluster is rebalanced", async () => {
    const during = await load.writeDuring(
      "shards moved and rebalanced",
      async () => {
        for (const table of ["conversations", "listed_conversations"]) await load.moveShard(table, lost, left);
        const movedMs = performance.now();
        await load.cluster.ask("SELECT citus_rebalance_start('by_shard_count', shard_transfer_mode => 'force_logical')");
        const shards = async () => [await load.shardsOf(lost), await load.shardsOf(left)] as const;
        const [fewer, more] = await shards();
        await load.cluster.ask("SELECT citus_rebalance_wait()");
        expect([fewer < more, ...(await shards())]).toEqual([true, (fewer + more) / 2, (fewer + more) / 2]);
        return { movedMs };
      },
      { writes },
    );
    const everyone = idsOf(load.writers);
    const moves = during.faults.map(({ fromMs, result }) => ({ fromMs, toMs: result.movedMs }));
    const rebalances = during.faults.map(({ toMs, result }) => ({ fromMs: result.movedMs, toMs }));
    expect(shareOf("users, while shards moved,", everyone, during, moves)).toBeGreaterThan(0);
    expect(shareOf("users, while the cluster was rebalanced,", everyone, during, rebalances)).toBeGreaterThan(0);
    expect(during.longestRefusalMs).toBeLessThan(REFUSED_WITHIN_MS);
  });
});
