import { transaction, type Db, type Tx } from "../../src/database/client.ts";

/**
 * A number that triggers maintain, so that no query has to count rows. A restore of rows without or with triggers can falsify it.
 */
export type Count = {
  readonly name: string;
  /** The table of the rows that have such a number. */
  readonly of: "conversations" | "users";
  /** The ids and numbers of some of them, in SQL: what is stored, and what is right. No row means 0. */
  readonly stored: string;
  readonly actual: string;
  /** Locks what is stored, which every trigger changes, and then stores what is right. */
  readonly lock: string;
  readonly correct: string;
};

const GIVEN = "ANY ($1::uuid[])";
/** What is right, also where there is nothing to count. */
const rightFor = (actual: string) =>
  `(SELECT given.id, coalesce(it.n, 0) AS n FROM unnest($1::uuid[]) AS given (id) LEFT JOIN (${actual}) AS it ON it.id = given.id) AS it`;

const MEMBERS = `SELECT conversation_id AS id, count(*)::int AS n FROM members WHERE conversation_id = ${GIVEN} GROUP BY 1`;

/** What counts towards the storage of its owner: the tables with triggers that maintain `storage_usage`, and their bytes. */
const STORED_IN = { video_uploads: "size_bytes + result_bytes", upload_reservations: "size_bytes", kept_objects: "size_bytes" };
const storedIn = ([table, bytes]: readonly [string, string]) =>
  `SELECT owner_id, ${bytes} AS size_bytes FROM ${table} WHERE owner_id = ${GIVEN}`;
const BYTES = `SELECT owner_id AS id, sum(size_bytes)::bigint AS n
  FROM (${Object.entries(STORED_IN).map(storedIn).join(" UNION ALL ")}) AS stored
  GROUP BY 1`;

export const COUNTS: readonly Count[] = [
  {
    name: "member_count",
    of: "conversations",
    stored: `SELECT id, member_count AS n FROM conversations WHERE id = ${GIVEN}`,
    actual: MEMBERS,
    // Citus refuses FOR UPDATE over several nodes.
    lock: `UPDATE conversations SET member_count = member_count WHERE id = ${GIVEN}`,
    correct: `UPDATE conversations AS c SET member_count = it.n FROM ${rightFor(MEMBERS)} WHERE c.id = it.id`,
  },
  {
    name: "storage_usage",
    of: "users",
    stored: `SELECT user_id AS id, size_bytes AS n FROM storage_usage WHERE user_id = ${GIVEN}`,
    actual: BYTES,
    // A row that is missing must be there to be locked.
    lock: `INSERT INTO storage_usage AS kept (user_id, size_bytes) SELECT id, 0 FROM users WHERE id = ${GIVEN} ORDER BY id
      ON CONFLICT (user_id) DO UPDATE SET size_bytes = kept.size_bytes`,
    correct: `UPDATE storage_usage AS s SET size_bytes = it.n FROM ${rightFor(BYTES)} WHERE s.user_id = it.id`,
  },
];

const BATCH_SIZE = 1_000;

/** Of these ids, those with a wrong number. One statement, so that a change that is in progress is no fault. */
export async function findWrong(tx: Tx, { stored, actual }: Count, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id FROM (${stored}) AS stored FULL JOIN (${actual}) AS actual USING (id) WHERE coalesce(stored.n, 0) <> coalesce(actual.n, 0)`,
    ids,
  );
  return rows.map((it) => it.id);
}

/** The newest rows that have this number: enough to notice a restore that has falsified all of them. */
export async function findNewest(tx: Tx, { of }: Count, take: number): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(`SELECT id FROM ${of} ORDER BY id DESC LIMIT ${take}`);
  return rows.map((it) => it.id);
}

/**
 * Compares all of these numbers with the rows, and corrects those that are wrong, in batches. Requests can run at the same time:
 * they wait for one batch at most. Returns how many were compared and how many were wrong.
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
    // A later statement sees what was committed while the first one waited.
    await tx.$executeRawUnsafe(correct, ids);
  });
}
