import { transaction, type Db, type Tx } from "../../src/database/client.ts";

/** A count that triggers maintain. It can be wrong after a restore that ran without triggers, or ran them twice. */
export type Count = {
  readonly name: string;
  /** The table whose rows have the count. */
  readonly of: "conversations" | "users";
  /** SQL for the stored and for the actual counts of some ids. No row means 0. */
  readonly stored: string;
  readonly actual: string;
  /** SQL that locks the stored counts, which every trigger updates, and SQL that corrects them. */
  readonly lock: string;
  readonly correct: string;
};

const IDS = "ANY ($1::uuid[])";
/** The actual counts, including 0 for ids without rows. */
const rightFor = (actual: string) =>
  `(SELECT requested.id, coalesce(it.n, 0) AS n FROM unnest($1::uuid[]) AS requested (id) LEFT JOIN (${actual}) AS it ON it.id = requested.id) AS it`;

const MEMBERS = `SELECT conversation_id AS id, count(*)::int AS n FROM members WHERE conversation_id = ${IDS} GROUP BY 1`;

/** The tables that count towards `storage_usage`, with the SQL for their bytes. */
const STORED_IN = { video_uploads: "size_bytes + result_bytes", upload_reservations: "size_bytes", kept_objects: "size_bytes" };
const storedIn = ([table, bytes]: readonly [string, string]) =>
  `SELECT owner_id, ${bytes} AS size_bytes FROM ${table} WHERE owner_id = ${IDS}`;
const BYTES = `SELECT owner_id AS id, sum(size_bytes)::bigint AS n
  FROM (${Object.entries(STORED_IN).map(storedIn).join(" UNION ALL ")}) AS stored
  GROUP BY 1`;

export const COUNTS: readonly Count[] = [
  {
    name: "member_count",
    of: "conversations",
    stored: `SELECT id, member_count AS n FROM conversations WHERE id = ${IDS}`,
    actual: MEMBERS,
    // Citus refuses FOR UPDATE over several nodes.
    lock: `UPDATE conversations SET member_count = member_count WHERE id = ${IDS}`,
    correct: `UPDATE conversations AS c SET member_count = it.n FROM ${rightFor(MEMBERS)} WHERE c.id = it.id`,
  },
  {
    name: "storage_usage",
    of: "users",
    stored: `SELECT user_id AS id, size_bytes AS n FROM storage_usage WHERE user_id = ${IDS}`,
    actual: BYTES,
    // Inserts missing rows, so that they can be locked.
    lock: `INSERT INTO storage_usage AS s (user_id, size_bytes) SELECT id, 0 FROM users WHERE id = ${IDS} ORDER BY id
      ON CONFLICT (user_id) DO UPDATE SET size_bytes = s.size_bytes`,
    correct: `UPDATE storage_usage AS s SET size_bytes = it.n FROM ${rightFor(BYTES)} WHERE s.user_id = it.id`,
  },
];

const BATCH_SIZE = 1_000;

/** The ids with a wrong count. Uses one statement, so that a concurrent change is no fault. */
export async function findWrong(tx: Tx, { stored, actual }: Count, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id FROM (${stored}) AS stored FULL JOIN (${actual}) AS actual USING (id) WHERE coalesce(stored.n, 0) <> coalesce(actual.n, 0)`,
    ids,
  );
  return rows.map((it) => it.id);
}

/** The newest ids with this count: enough to notice a restore that has made all of them wrong. */
export async function findNewest(tx: Tx, { of }: Count, take: number): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(`SELECT id FROM ${of} ORDER BY id DESC LIMIT ${take}`);
  return rows.map((it) => it.id);
}

/**
 * Compares all counts with the rows, and optionally corrects them, in batches, so that concurrent requests wait only for one
 * batch.
 */
export async function checkAll(db: Db, count: Count, { corrects }: { readonly corrects: boolean }) {
  let [checked, wrong, last] = [0, 0, "00000000-0000-0000-0000-000000000000"];
  for (;;) {
    const page = await db.$queryRawUnsafe<{ id: string }[]>(
      `SELECT id FROM ${count.of} WHERE id > $1::uuid ORDER BY id LIMIT ${BATCH_SIZE}`,
      last,
    );
    if (page.length === 0) return { checked, wrong };
    last = page.at(-1)!.id;
    const ids = page.map((it) => it.id);
    const found = await findWrong(db, count, ids);
    if (corrects && found.length > 0) await correct(db, count, found);
    checked += ids.length;
    wrong += found.length;
  }
}

function correct(db: Db, { lock, correct }: Count, ids: readonly string[]): Promise<void> {
  return transaction(db, async (tx) => {
    await tx.$executeRawUnsafe(lock, ids);
    // A second statement, which sees rows that were committed while the first one waited.
    await tx.$executeRawUnsafe(correct, ids);
  });
}
