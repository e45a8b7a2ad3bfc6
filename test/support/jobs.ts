import type { Db } from "../../src/database/client.ts";

type WithDb = { readonly db: Db };

/**
 * What a heartbeat's time-out would bring: the worker at this job, or at those of this queue, was killed or frozen, and is
 * taken for dead when another one looks. The next attempt has no pause before it.
 */
export const presumeDead = ({ db }: WithDb, jobOrQueue: string) => db.$executeRaw`
  UPDATE pgboss.job SET heartbeat_on = heartbeat_on - interval '1 minute', retry_delay = 0, retry_backoff = false
  WHERE ${jobOrQueue} IN (id::text, name) AND state = 'active'`;

/** What the pauses between attempts at videos would bring, for jobs that have begun fewer attempts than these. */
export async function endPauses({ db }: WithDb, attemptsMax = 1_000): Promise<void> {
  await db.$executeRaw`
    UPDATE pgboss.job SET start_after = now()
    WHERE name = 'video-uploads' AND state < 'active' AND retry_count + 1 < ${attemptsMax}`;
  // As pg-boss tells its workers of a job that can begin. Without it they find the job at their next poll.
  await db.$executeRaw`SELECT pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), 'video-uploads')`;
}
