import { Prisma } from "#generated/prisma/client.ts";
import { statement } from "../database/statement.ts";
import type { AnyJob } from "./job.ts";

/** The unfinished jobs of a queue (waiting or running) as a FROM item: their `id`, `state` and `retry_count`. */
export const unfinishedJobs = ({ queue }: AnyJob<never>): Prisma.Sql => Prisma.sql`(
  SELECT id, state, retry_count FROM pgboss.job WHERE name = ${queue.name} AND state IN ('created', 'retry', 'active'))`;

/**
 * Counts the jobs of each queue. It reads at most 10,000 waiting jobs of a queue, by an index; a worker has counted the others
 * a few seconds ago. `oldestSeconds` is how long a job that could start has waited.
 */
export const countJobs = statement({
  name: "count_jobs",
  takes: [],
  gives: { queue: "text", waiting: "int", deferred: "int", active: "int", failed: "int", oldestSeconds: "int" },
  text: `SELECT q.name AS queue, w.waiting, w.deferred, q.active_count AS active, q.failed_count AS failed, w.oldest_seconds
    FROM pgboss.queue q, LATERAL (
      SELECT count(*) FILTER (WHERE start_after <= now())::int AS waiting, count(*) FILTER (WHERE start_after > now())::int AS deferred,
        coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE start_after <= now())), 0)::int AS oldest_seconds
      FROM (SELECT start_after FROM pgboss.job WHERE name = q.name AND state < 'active' AND NOT blocked LIMIT 10000) AS looked_at
    ) w`,
});
