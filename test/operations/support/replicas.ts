import type { Answer } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import type { PostgresNode } from "../../support/postgres-nodes.ts";

export const tokenOf = (answer: Answer) => answer.headers.get("consistency-token")!;
export const withToken = (token: string) => ({ headers: { "Consistency-Token": token } });

/** Waits until a standby has all that the primary has now. */
export async function caughtUp(primary: PostgresNode, standby: PostgresNode): Promise<void> {
  const [row] = await primary.ask("SELECT pg_current_wal_insert_lsn()::text AS position");
  const replayed = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_there";
  await eventually("a standby that has caught up", async () => (await standby.ask(replayed, [row!["position"]]))[0]!["is_there"]);
}

/** How many times replicas have read posts. PostgreSQL publishes the counts of a session a little later. */
export async function readsOf(...replicas: readonly PostgresNode[]): Promise<number> {
  const count = "SELECT coalesce(sum(seq_scan + idx_scan), 0)::int AS count FROM pg_stat_user_tables WHERE relname = 'posts'";
  const counts = await Promise.all(replicas.map(async (it) => Number((await it.ask(count))[0]!["count"])));
  return counts.reduce((sum, it) => sum + it, 0);
}
