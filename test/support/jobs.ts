import { DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import type { Db } from "../../src/database/client.ts";
import { BACKGROUND } from "../../src/jobs/queues.ts";
import { eventually } from "./eventually.ts";

type WithDb = { readonly db: Db };

/**
 * Simulates a heartbeat timeout: the worker of this job, or of the jobs in this queue, was killed or frozen, and pg-boss
 * presumes it dead. The next attempt begins without a delay.
 */
export const presumeDead = ({ db }: WithDb, jobOrQueue: string) => db.$executeRaw`
  UPDATE pgboss.job SET heartbeat_on = heartbeat_on - interval '1 minute', retry_delay = 0, retry_backoff = false
  WHERE ${jobOrQueue} IN (id::text, name) AND state = 'active'`;

/** Ends the delays between attempts in a queue, by default at videos, for jobs with fewer than `attemptsMax` attempts. */
export async function endPauses({ db }: WithDb, attemptsMax = 1_000, queue = "video-uploads"): Promise<void> {
  await db.$executeRaw`
    UPDATE pgboss.job SET start_after = now()
    WHERE name = ${queue} AND state < 'active' AND retry_count + 1 < ${attemptsMax}`;
  // As pg-boss notifies its workers about a job that can begin. Without this, they find the job only when they poll.
  await db.$executeRaw`SELECT pg_notify('pgboss_' || left(encode(sha224('pgboss'::bytea), 'hex'), 24), ${queue})`;
}

/** Waits until all deleted users are erased. Of the 40 s in which their earlier requests can still end, most or all pass at once. */
export async function erased(deployment: WithDb, skippedSeconds = 40): Promise<void> {
  const { db } = deployment;
  await db.$executeRaw`UPDATE users SET deleted_at = deleted_at - make_interval(secs => ${skippedSeconds}::int)
    WHERE deleted_at IS NOT NULL AND id <> ${DELETED_USER_ID}::uuid`;
  await eventually(
    "the end of all deleted users",
    async () => {
      await endPauses(deployment, undefined, BACKGROUND.name);
      return (await db.user.count({ where: { deletedAt: { not: null }, id: { not: DELETED_USER_ID } } })) === 0;
    },
    400_000,
    250,
  );
}
