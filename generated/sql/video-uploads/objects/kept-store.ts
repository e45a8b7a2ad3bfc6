// Generated: do not edit, run `npm run generate`. From src/video-uploads/objects/kept-store.sql.

import { affectedRows, many } from "../../../../src/database/statement.ts";

export type InsertKeptParameters = {
  readonly key: string;
  readonly ownerId: string;
  readonly sizeBytes: number;
  readonly keepSeconds: number;
};
/** Keeps an object for some time, by the clock of the database. If it is kept already, the later end holds. */
export const insertKept = affectedRows<InsertKeptParameters>({
  name: "insert_kept",
  text: `INSERT INTO kept_objects (key, owner_id, size_bytes, keep_until)
VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (key) DO UPDATE SET keep_until = greatest(kept_objects.keep_until, excluded.keep_until)`,
  values: (it) => [it.key, it.ownerId, it.sizeBytes, it.keepSeconds],
});

export type FindEndedParameters = {
  readonly limit: number;
};
export type FindEndedRow = {
  readonly key: string;
};
/** Some of the keys whose time has ended. In random order, so that none that can't be removed holds up the others. */
export const findEnded = many<FindEndedParameters, FindEndedRow>({
  name: "find_ended",
  text: `SELECT key FROM kept_objects WHERE keep_until <= now() ORDER BY random() LIMIT $1`,
  values: (it) => [it.limit],
  row: (it) => ({ key: it[0] }) as FindEndedRow,
});
