import type { Db } from "../../src/database/client.ts";

type WithDb = { readonly db: Db };

/**
 * Simulates a heartbeat timeout: the worker of this job, or of the jobs in this queue, was killed or frozen, and pg-boss
 * presumes it dead. The next attempt begins without a delay.
 */
export const presumeDead = ({ db }: WithDb, jobOrQueue: string) => db.$executeRaw`
  UPDATE pgboss.job SET heartbeat_on = heartbeat_on - interval '1 minute', retry_delay = 0, retry_backoff = false
  WHERE ${jobOrQueue} IN (id::text, name) AND state = 'active'`;

/** Ends the delays between attempts at videos, for jobs with fewer than `attemptsMax` attempts. */
export async function endPauses({ db }: WithDb, attemptsMax = 1_000): Promise<void> {
  await db.$executeRaw`
    UPDATE pgboss.job SET start_after = now()
    WHERE name = 'video-uploads' AND state < 'active' AND retry_count + 1 < ${attemptsMax}`;
  // As pg-boss notifies its workers about a job that can begin. Without this, they find the job only when they poll.
  await db.$executeRaw`SELECT pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), 'video-uploads')`;
}
