import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../../database/client.ts";
import type { AnyJob } from "../../jobs/job.ts";
import { jobsOf } from "../../jobs/store.ts";
import type { VideoUploadRow } from "../store.ts";

/** An upload with the state of its job, as an operator sees it. Without a job, `jobState` is null. */
export type ObservedUpload = {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly errorCode: string | null;
  readonly createdAt: Date;
  /** Since the upload has this status. */
  readonly ageSeconds: number;
  readonly jobState: string | null;
  /** When the job can start, if it waits. */
  readonly startAfter: Date | null;
  /** The time since the worker of a running job was last heard of. */
  readonly silentSeconds: number | null;
};

type Filter = { readonly statuses: readonly string[]; readonly olderThanSeconds: number; readonly after: string | null };

/** One page of the uploads with these statuses, in the order of their ids. */
export function findObserved(
  tx: Tx,
  job: Pick<AnyJob<never>, "queue">,
  { statuses, olderThanSeconds, after }: Filter,
  take: number,
) {
  const since = Prisma.sql`coalesce(u.finished_at, CASE WHEN u.status = 'processing' THEN u.started_at END, u.created_at)`;
  return tx.$queryRaw<ObservedUpload[]>`
    SELECT u.id::text, u.owner_id::text AS "ownerId", u.name, u.status, u.attempt, u.error_code AS "errorCode", u.created_at AS "createdAt",
      floor(extract(epoch FROM clock_timestamp() - ${since}))::int AS "ageSeconds", j.state AS "jobState",
      CASE WHEN j.state IN ('created', 'retry') THEN j.start_after END AS "startAfter",
      CASE WHEN j.state = 'active' THEN floor(extract(epoch FROM clock_timestamp() - j.heard_at))::int END AS "silentSeconds"
    FROM video_uploads u LEFT JOIN ${jobsOf(job)} j ON j.id = u.id
    WHERE u.status = ANY (${[...statuses]}::text[]) AND (${after}::uuid IS NULL OR u.id > ${after}::uuid)
      AND ${since} <= clock_timestamp() - make_interval(secs => ${olderThanSeconds}::double precision)
    ORDER BY u.id LIMIT ${take}`;
}

/** One page of all uploads, in the order of their ids. */
export function findAll(tx: Tx, after: string | null, take: number): Promise<VideoUploadRow[]> {
  return tx.videoUpload.findMany({ ...(after === null ? {} : { where: { id: { gt: after } } }), orderBy: { id: "asc" }, take });
}

/** Reads an upload of any owner, and locks it until the transaction ends. */
export async function lockUpload(tx: Tx, id: string): Promise<VideoUploadRow | null> {
  await tx.$queryRaw`SELECT 1 FROM video_uploads WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.videoUpload.findUnique({ where: { id } });
}

/** Sets an unfinished upload back to `queued`. Its next attempt has a higher number, so a running one can write nothing more. */
export async function requeue(tx: Tx, id: string): Promise<void> {
  await tx.videoUpload.update({ where: { id }, data: { status: "queued", stage: null, percent: 0 } });
}
