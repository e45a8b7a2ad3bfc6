import { setTimeout as delay } from "node:timers/promises";
import { expect } from "@jest/globals";
import { connect } from "../../src/database/client.ts";
import { compare, NOTHING_WRONG, openWriters, startWriting } from "./support/acknowledged-writes.ts";
import { portOf } from "../support/citus.ts";
import { createDeployment } from "../support/deployment.ts";
import { startDistributedCluster } from "../support/distributed-cluster.ts";
import { examine } from "./support/doctor.ts";
import { itNeeds } from "../support/needs.ts";
import { ARCHIVING } from "../support/postgres-nodes.ts";
import { publish } from "../support/posts.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";

/** How many users write, and how long before the backups, before the restore point and after it. */
const WRITERS = sized(8, 32);
const PHASE_MS = sized(1_000, 10_000);
const POINT = "rehearsal";
/**
 * Until its nodes have their new addresses, a restored coordinator must not end transactions of the nodes at the old addresses.
 */
const NO_RECOVERY = { "citus.recover_2pc_interval": "-1" };

itNeeds(
  "citus",
  "every node of a cluster is restored to one restore point under load: it has each write acknowledged before, and none sent after",
  async () => {
    await using scope = new AsyncDisposableStack();
    const cluster = scope.use(await startDistributedCluster({ settings: ARCHIVING }));
    const deployment = scope.use(await createDeployment({ database: cluster }));
    const { url } = await (await deployment.start("api")).ready();
    const users = await Promise.all(Array.from({ length: WRITERS }, () => deployment.as()));
    const writing = scope.use(await startWriting([url], await openWriters(users), seededRandom("citus-backup")));
    await delay(PHASE_MS);

    const copies = await Promise.all(cluster.nodes.map(async (it) => scope.use(await it.backUp())));
    await writing.everyUserWrites(30_000);
    await delay(PHASE_MS);
    const fromMs = performance.now();
    await cluster.ask("SELECT citus_create_restore_point($1)", [POINT]);
    const toMs = performance.now();
    await writing.everyUserWrites(30_000);
    await delay(PHASE_MS);
    const history = await writing.stop();
    await Promise.all(cluster.nodes.map((node) => node.archiveAll()));
    for (const node of cluster.nodes) await node.kill();

    // The copies still have the old addresses.
    const target = { recovery_target_name: POINT, ...NO_RECOVERY };
    const restored = await Promise.all(copies.map(async (it) => scope.use(await it.restore(target))));
    const [coordinator] = restored as [(typeof restored)[0]];
    for (const [n, node] of restored.entries())
      await coordinator.ask("SELECT citus_update_node(nodeid, '127.0.0.1', $1) FROM pg_dist_node WHERE nodeport = $2", [
        portOf(node),
        portOf(cluster.nodes[n]!),
      ]);
    await coordinator.ask("SELECT start_metadata_sync_to_all_nodes()");
    for (const node of restored) await node.ask("SELECT recover_prepared_transactions()");

    const { db } = scope.adopt(await connect(coordinator.url, { DATABASE_POOL_SIZE: 2 }, () => undefined), (it) => it.close());
    const all = [...history.acknowledged];
    const before = new Map(all.filter(([, it]) => it.atMs < fromMs));
    const after = all.filter(([, it]) => it.sinceMs > toMs);
    const attempted = history.attempted.difference(new Set(after.map(([mark]) => mark)));
    expect(Math.min(before.size, after.length)).toBeGreaterThan(WRITERS);
    expect(await compare(db, { ...history, attempted, acknowledged: before })).toEqual(NOTHING_WRONG);

    const again = scope.use(await createDeployment({ database: coordinator, dataDir: deployment.dataDir }));
    await again.start("api");
    for (const user of users) await publish(again.asAgain(user));
    const { findings } = await examine({ NODE_ENV: "test", DATABASE_URL: coordinator.url, DATA_DIR: deployment.dataDir });
    // The servers of tests keep nothing in a crash.
    expect(findings.filter(({ level, check }) => level === "fault" && check !== "durability")).toEqual([]);
    expect(findings.filter(({ check, level }) => check.startsWith("cluster_") && level === "good")).toHaveLength(5);
  },
);
