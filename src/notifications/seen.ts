import { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "../db/client.ts";
import { keptSince } from "./rows.ts";

/**
 * What a list could show when it was made: the transactions that had been committed by then (`pg_snapshot`), and an
 * instant that nothing of it is later than. An event that is committed afterwards is not in it, however early it began.
 */
export type Seen = { readonly snapshot: string; readonly until: Date };

/** How many entries one statement marks. */
export const MARKED_AT_ONCE_MAX = 1_000;
/** A token of 512 characters holds so many transactions under way; what began after that many counts as not seen. */
const UNDER_WAY_MAX = 32;
/** A clock that is set back while the service runs is no reason to leave an entry out. */
const CLOCK_TOLERANCE_MS = 60_000;

/** What is to be seen now; asked before the list is read, so that a list shows at least as much. */
export async function seeNow(tx: Tx): Promise<Seen> {
  const [now] = await tx.$queryRaw<Seen[]>`SELECT pg_current_snapshot()::text AS snapshot, clock_timestamp() AS until`;
  return now!;
}

/** As the numbers of a token: the instant, where the snapshot begins and ends, and what is under way in between. */
export function seenToNumbers({ snapshot, until }: Seen, newest: Date | undefined): number[] {
  const [min = 0, max = 0, ...underWay] = snapshot.split(/[:,]/).filter(Boolean).map(Number);
  const cut = underWay[UNDER_WAY_MAX];
  const latestMs = Math.max(until.getTime(), newest?.getTime() ?? 0) + CLOCK_TOLERANCE_MS;
  return [latestMs, min, (cut ?? max) - min, ...underWay.slice(0, UNDER_WAY_MAX).map((it) => it - min)];
}

export function seenFromNumbers([untilMs = 0, min = 0, length = 0, ...underWay]: readonly number[]): Seen {
  return { snapshot: `${min}:${min + length}:${underWay.map((it) => min + it).join(",")}`, until: new Date(untilMs) };
}

/**
 * The condition of an entry that says nothing but what was seen. One of a transaction that has not begun yet was written
 * by another server, before its database was moved here.
 */
export const wasSeen = ({ snapshot, until }: Seen) => Prisma.sql`(created_at <= ${until}::timestamptz
  AND (pg_visible_in_snapshot(xact_id, ${snapshot}::pg_snapshot) OR xact_id >= pg_snapshot_xmax(pg_current_snapshot())))`;

/**
 * Marks at most a batch of what was seen, of one subject or of all, the oldest first, and says how many. Nobody waits: an
 * entry that somebody holds is just being counted on, so what it will say was not seen.
 */
export function markSeen(tx: Tx, userId: string, seen: Seen, subjectId?: string): Promise<number> {
  const ofSubject = subjectId === undefined ? Prisma.empty : Prisma.sql`AND subject_id = ${subjectId}`;
  return tx.$executeRaw`
    UPDATE notifications SET read_at = greatest(now(), updated_at) WHERE id IN (
      SELECT id FROM notifications
      WHERE user_id = ${userId}::uuid ${ofSubject} AND read_at IS NULL
        AND created_at > ${keptSince()}::timestamptz AND ${wasSeen(seen)}
      ORDER BY created_at, id LIMIT ${MARKED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED)`;
}
