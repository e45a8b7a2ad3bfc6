import { afterAll, describe, it } from "@jest/globals";
import { openSession, withDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { makeTemplate } from "../jest/global-setup.ts";
import { startPrimary } from "../support/postgres-nodes.ts";
import { sized } from "../support/size.ts";

// The tests of these files run again. Here, their services have a replica, and their clients send the tokens of responses.
const READS = ["success-examples", "lists", "reading"];
const FILES = sized(READS, [...READS, "authorization", "problem-examples"]);

const stack = new AsyncDisposableStack();
const limits = { max_connections: "300" };
const primary = stack.use(await startPrimary(limits));
const replica = stack.use(await primary.addStandby("replica", { settings: { ...limits, recovery_min_apply_delay: "20ms" } }));
await makeTemplate(primary.url);
process.env["TEST_SERVER_URL"] = primary.url;
process.env["TEST_REPLICA_URL"] = replica.url;
for (const file of FILES) await import(`./${file}.test.ts`);
afterAll(() => stack.disposeAsync());

/** How often requests have read a table of a database of the replica. */
async function readsOf(database: string): Promise<number> {
  await using client = await openSession(withDatabase(replica.url, database));
  const { rows } = await client.query<{ reads: number }>(
    "SELECT coalesce(sum(seq_scan + idx_scan), 0)::int AS reads FROM pg_stat_user_tables WHERE relname <> 'log_histories'",
  );
  return rows[0]!.reads;
}

describe("the replica of these tests", () => {
  it("has served many of their reads", async () => {
    const databases = await replica.ask("SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'");
    // PostgreSQL publishes the counts of a session a little later.
    await eventually("more than 50 reads", async () => {
      let reads = 0;
      for (const it of databases) reads += await readsOf(String(it["name"]));
      return reads > 50;
    });
  });
});
