import type { Tx } from "../../database/client.ts";

type Upload = { readonly id: string; readonly ownerId: string };

/** Adds to the running time of an upload, if it is still there, and of its owner in this hour. */
export async function addRunningTime(tx: Tx, { id, ownerId }: Upload, seconds: number): Promise<void> {
  await tx.$executeRaw`
    WITH ran AS (UPDATE video_uploads SET ran_seconds = ran_seconds + ${seconds}::float8 WHERE id = ${id}::uuid)
    INSERT INTO video_running_time AS mine (owner_id, hour, seconds)
    SELECT id, date_trunc('hour', now()), ${seconds}::float8 FROM users WHERE id = ${ownerId}::uuid
    ON CONFLICT (owner_id, hour) DO UPDATE SET seconds = mine.seconds + excluded.seconds`;
}

/** How long jobs have worked on the videos of the owner of an upload within the last 24 hours, to the hour. */
export async function ranSecondsOfOwner(tx: Tx, videoUploadId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ seconds: number }[]>`
    SELECT coalesce(sum(ran.seconds), 0)::float8 AS seconds
    FROM video_uploads upload JOIN video_running_time ran ON ran.owner_id = upload.owner_id
    WHERE upload.id = ${videoUploadId}::uuid AND ran.hour > now() - interval '24 hours'`;
  return row!.seconds;
}

/** Removes hours that no budget counts any more, and returns their number. */
export const purgeRunningTime = (tx: Tx): Promise<number> =>
  tx.$executeRaw`DELETE FROM video_running_time WHERE hour < now() - interval '25 hours'`;
