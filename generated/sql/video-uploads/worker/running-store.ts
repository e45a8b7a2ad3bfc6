// Generated: do not edit, run `npm run generate`. From src/video-uploads/worker/running-store.sql.

import { affectedRows, exactlyOne } from "../../../../src/database/statement.ts";

export type AddRunningTimeParameters = {
  readonly seconds: number;
  readonly id: string;
  readonly ownerId: string;
};
/** Adds to the running time of an upload, if it is still there, and of its owner in this hour. */
export const addRunningTime = affectedRows<AddRunningTimeParameters>({
  name: "add_running_time",
  text: `WITH ran AS (UPDATE video_uploads SET ran_seconds = ran_seconds + $1::float8 WHERE id = $2)
INSERT INTO video_running_time AS mine (owner_id, hour, seconds)
SELECT id, date_trunc('hour', now()), $1 FROM users WHERE id = $3
ON CONFLICT (owner_id, hour) DO UPDATE SET seconds = mine.seconds + excluded.seconds`,
  values: (it) => [it.seconds, it.id, it.ownerId],
});

export type RanSecondsOfOwnerParameters = {
  readonly id: string;
};
export type RanSecondsOfOwnerRow = {
  readonly seconds: number;
};
/** How long jobs have worked on the videos of the owner of an upload within the last 24 hours, to the hour. */
export const ranSecondsOfOwner = exactlyOne<RanSecondsOfOwnerParameters, RanSecondsOfOwnerRow>({
  name: "ran_seconds_of_owner",
  text: `SELECT coalesce(sum(ran.seconds), 0)::float8 AS "seconds!"
FROM video_uploads upload JOIN video_running_time ran ON ran.owner_id = upload.owner_id
WHERE upload.id = $1 AND ran.hour > now() - interval '24 hours'`,
  values: (it) => [it.id],
  row: (it) => ({ seconds: it[0] }) as RanSecondsOfOwnerRow,
});

/** Removes hours that no budget counts any more. */
export const purgeRunningTime = affectedRows<void>({
  name: "purge_running_time",
  text: `DELETE FROM video_running_time WHERE hour < now() - interval '25 hours'`,
  values: () => [],
});
