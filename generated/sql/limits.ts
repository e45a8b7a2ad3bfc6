// Generated: do not edit, run `npm run generate`. From src/limits/store.sql.

import { affectedRows, many } from "../../src/database/statement.ts";

export type CountRequestsParameters = {
  readonly keys: readonly string[];
  readonly points: readonly number[];
  readonly windowsSeconds: readonly number[];
};
export type CountRequestsRow = {
  readonly key: string;
  readonly points: number;
  readonly leftMs: number;
};
/** In SQL because every write waits for it. The order of the keys keeps two processes from a deadlock. */
export const countRequests = many<CountRequestsParameters, CountRequestsRow>({
  name: "count_requests",
  text: `INSERT INTO rate_limits AS r (key, points, expire)
SELECT key, points, (extract(epoch FROM statement_timestamp()) * 1000)::bigint + window_seconds * 1000::bigint
FROM unnest((SELECT $1::text[]), (SELECT $2::int[]), (SELECT $3::int[])) AS input (key, points, window_seconds)
ORDER BY key
ON CONFLICT (key) DO UPDATE SET
  points = excluded.points
    + CASE WHEN r.expire > (extract(epoch FROM statement_timestamp()) * 1000)::bigint THEN r.points ELSE 0 END,
  expire = CASE WHEN r.expire > (extract(epoch FROM statement_timestamp()) * 1000)::bigint THEN r.expire ELSE excluded.expire END
RETURNING key, points, expire - (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS "left_ms!"`,
  values: (it) => [it.keys, it.points, it.windowsSeconds],
  columns: ["varchar", "int4", "int8"],
  row: (it) => ({ key: it[0], points: it[1], leftMs: it[2] }) as CountRequestsRow,
});

export type PurgeRateLimitsParameters = {
  readonly nowMs: number;
  readonly batch: number;
};
/** In batches, because the library would use one long statement. */
export const purgeRateLimits = affectedRows<PurgeRateLimitsParameters>({
  name: "purge_rate_limits",
  text: `DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM rate_limits WHERE expire < $1 ORDER BY expire LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.nowMs, it.batch],
});
