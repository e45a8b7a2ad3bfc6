import type { JobRow, MessageRow, Notice, Observation, Read, Row, Write } from "./history.ts";

/** A broken promise, in words. Its first word says which promise. */
export type Violation =
  `${"lost" | "duplicate" | "phantom" | "different" | "order" | "gap" | "stale" | "read" | "job" | "notice"}: ${string}`;

/**
 * Acknowledged writes are a subset of the rows, and the rows of the attempted writes. Each row exists once and has the id that
 * was acknowledged, and all responses to one idempotency key are equal, byte for byte.
 */
export function checkWrites(writes: readonly Write[], rows: readonly Row[]): Violation[] {
  const found: Violation[] = [];
  const attempted = new Set(writes.map((it) => it.mark));
  const stored = new Map<string, string[]>();
  for (const { mark, id } of rows) {
    if (!attempted.has(mark)) found.push(`phantom: ${mark} was never sent, but is stored as ${id}`);
    stored.set(mark, [...(stored.get(mark) ?? []), id]);
  }
  for (const [mark, ids] of stored) if (ids.length > 1) found.push(`duplicate: ${mark} is stored as ${ids.join(" and ")}`);
  for (const { mark, acknowledgements } of writes) {
    const [first, ...others] = acknowledgements;
    if (first === undefined) continue;
    const ids = stored.get(mark);
    if (ids === undefined) found.push(`lost: ${mark} was acknowledged as ${first.id}, but is not stored`);
    else if (!ids.includes(first.id))
      found.push(`different: ${mark} was acknowledged as ${first.id}, but is stored as ${ids.join(" and ")}`);
    for (const { status, text } of others)
      if (status !== first.status || text !== first.text)
        found.push(`different: ${mark} was answered with ${first.status} ${first.text}, and then with ${status} ${text}`);
  }
  return found;
}

/**
 * The messages of one conversation are a list to which writes append. In addition to `checkWrites`, its sequences are 1, 2, 3 and
 * so on. A message that is sent after another was acknowledged comes after it. Each read shows a prefix of the list, with
 * everything that was acknowledged or read before the read began.
 */
export function checkMessages(writes: readonly Write[], rows: readonly MessageRow[], reads: readonly Read[]): Violation[] {
  const list = rows.toSorted((one, other) => one.sequence - other.sequence);
  const found = checkWrites(writes, list);
  for (const [index, { sequence, mark }] of list.entries())
    if (sequence !== index + 1) found.push(`gap: ${mark} is number ${sequence}, but message ${index + 1} of the conversation`);
  const sequenceOf = new Map(list.map((it) => [it.mark, it.sequence]));
  const idAt = new Map(list.map((it) => [it.sequence, it.id]));
  const numbered = writes.flatMap((it) => (sequenceOf.has(it.mark) ? [{ ...it, sequence: sequenceOf.get(it.mark)! }] : []));
  const acknowledged = numbered.map((it) => ({ atMs: it.acknowledgedMs ?? Infinity, sequence: it.sequence }));
  const known = highestBefore(acknowledged);
  for (const { mark, startedMs, sequence } of numbered.toSorted(byStart))
    if (known(startedMs) > sequence)
      found.push(`order: ${mark} is number ${sequence}, but number ${known(startedMs)} was acknowledged before it was sent`);
  return [...found, ...checkReads(reads, acknowledged, idAt)];
}

type Known = { readonly atMs: number; readonly sequence: number };

function checkReads(reads: readonly Read[], acknowledged: readonly Known[], idAt: ReadonlyMap<number, string>): Violation[] {
  const found: Violation[] = [];
  const known = highestBefore([...acknowledged, ...reads.map((it) => ({ atMs: it.endedMs, sequence: newestOf(it) }))]);
  for (const read of reads.toSorted(byStart)) {
    const { after, items, reachesEnd, startedMs } = read;
    let previous = after ?? (items[0]?.sequence ?? 1) - 1;
    for (const { sequence, id } of items) {
      if (sequence !== previous + 1) found.push(`read: number ${sequence} came after number ${previous}`);
      if (idAt.get(sequence) !== id) found.push(`read: number ${sequence} was ${id}, but is ${idAt.get(sequence) ?? "nothing"}`);
      previous = sequence;
    }
    if (reachesEnd && newestOf(read) < known(startedMs))
      found.push(`stale: a read ended with number ${newestOf(read)}, but number ${known(startedMs)} was known before`);
  }
  return found;
}

const newestOf = ({ items, after }: Read) => items.at(-1)?.sequence ?? after ?? 0;
const byStart = (one: { readonly startedMs: number }, other: { readonly startedMs: number }) => one.startedMs - other.startedMs;

/** The highest sequence that was known before an instant. Ask for instants in ascending order. */
function highestBefore(all: readonly Known[]): (instantMs: number) => number {
  const waiting = all.toSorted((one, other) => one.atMs - other.atMs);
  let [next, highest] = [0, 0];
  return (instantMs) => {
    for (; next < waiting.length && waiting[next]!.atMs < instantMs; next++) highest = Math.max(highest, waiting[next]!.sequence);
    return highest;
  };
}

const ENDED = ["succeeded", "failed"];

/**
 * In addition to `checkWrites`: each job ends in exactly one terminal state, and no attempt follows an end. Its progress never
 * decreases within an attempt, and its owner has exactly one notification, which names this end.
 */
export function checkJobs(
  uploads: readonly Write[],
  rows: readonly JobRow[],
  observations: readonly Observation[],
  notices: readonly Notice[],
): Violation[] {
  const found = checkWrites(uploads, rows);
  const seen = Map.groupBy(observations, (it) => it.id);
  const noticesOf = Map.groupBy(notices, (it) => it.resource);
  for (const { id, mark, status } of rows) {
    if (!ENDED.includes(status)) found.push(`job: ${mark} has not ended, but is ${status}`);
    const states = seen.get(id) ?? [];
    for (const [index, now] of states.entries()) {
      const before = states[index - 1];
      if (ENDED.includes(now.status) && now.status !== status)
        found.push(`job: ${mark} had ${now.status}, but then has ${status}`);
      if (before === undefined) continue;
      const { attempt, percent } = before;
      if (ENDED.includes(before.status) && now.status !== before.status)
        found.push(`job: ${mark} was ${now.status} after it had ${before.status}`);
      // A job that is queued again begins a new attempt, whose progress starts at zero.
      if (now.status !== "queued" && (now.attempt < attempt || (now.attempt === attempt && now.percent < percent)))
        found.push(`job: ${mark} fell from ${percent} % of attempt ${attempt} to ${now.percent} % of attempt ${now.attempt}`);
    }
    const kinds = (noticesOf.get(id) ?? []).map((it) => `${it.kind} × ${it.count}`).join(", ");
    const expected = `video_upload.${status} × 1`;
    if (ENDED.includes(status) && kinds !== expected) found.push(`notice: ${mark} had "${kinds}" instead of "${expected}"`);
  }
  return found;
}

/**
 * A member who has not sent the newest message has one notification of the messages after their own. It shows the newest one, and
 * counts all of them unless the member has marked notifications as read. Nothing is unread for the sender of the newest message.
 */
export function checkNotices(
  conversation: string,
  rows: readonly MessageRow[],
  notices: readonly Notice[],
  members: readonly { readonly userId: string; readonly marksAsRead: boolean }[],
): Violation[] {
  const found: Violation[] = [];
  for (const { userId, marksAsRead } of members) {
    const position = Math.max(0, ...rows.filter((it) => it.senderId === userId).map((it) => it.sequence));
    const unread = rows.filter((it) => it.sequence > position);
    const newest = unread.toSorted((one, other) => one.sequence - other.sequence).at(-1);
    const own = notices.filter((it) => it.userId === userId && it.subject === conversation && it.kind === "message.created");
    const who = `${userId} in ${conversation}`;
    if (own.length > 1 || (own.length === 0 && newest !== undefined))
      found.push(`notice: ${who} has ${own.length} notifications of messages`);
    const [notice] = own;
    if (notice === undefined) continue;
    if (newest === undefined) {
      if (!notice.isRead) found.push(`notice: ${who} was notified of ${notice.resource}, not of nothing`);
      continue;
    }
    if (notice.resource !== newest.id) found.push(`notice: ${who} was notified of ${notice.resource}, not of ${newest.id}`);
    const isWrong = marksAsRead ? notice.count > unread.length : notice.count !== unread.length || notice.isRead;
    if (isWrong) found.push(`notice: ${who} was notified of ${notice.count} messages, and ${unread.length} are unread`);
  }
  return found;
}
