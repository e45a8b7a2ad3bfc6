// Generated: do not edit, run `npm run generate`. From src/video-uploads/objects/retained-store.sql.

import { affectedRows, many } from "../../../../src/database/statement.ts";

export type InsertRetainedParameters = {
  readonly key: string;
  readonly ownerId: string;
  readonly sizeBytes: number;
  readonly keepSeconds: number;
};
/** Retains an object for some time, by the clock of the database. Of two ends, the later one holds. */
export const insertRetained = affectedRows<InsertRetainedParameters>({
  name: "insert_retained",
  text: `INSERT INTO kept_objects (key, owner_id, size_bytes, keep_until)
VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (key) DO UPDATE SET keep_until = greatest(kept_objects.keep_until, excluded.keep_until)`,
  values: (it) => [it.key, it.ownerId, it.sizeBytes, it.keepSeconds],
});

export type FindExpiredParameters = {
  readonly limit: number;
};
export type FindExpiredRow = {
  readonly key: string;
};
/** Some of the keys whose retention has ended. The order is random, so that a key that can't be removed does not delay the others. */
export const findExpired = many<FindExpiredParameters, FindExpiredRow>({
  name: "find_expired",
  text: `SELECT key FROM kept_objects WHERE keep_until <= now() ORDER BY random() LIMIT $1`,
  values: (it) => [it.limit],
  columns: ["varchar"],
  row: (it) => ({ key: it[0] }) as FindExpiredRow,
});
