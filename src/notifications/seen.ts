/**
 * What a list could show when it was made: the transactions that had been committed by then (`pg_snapshot`), and an
 * instant that nothing of it is later than. An event that is committed afterwards is not in it, however early it began.
 */
export type Seen = { readonly snapshot: string; readonly until: Date };

/** A token of 512 characters holds so many transactions under way; what began after that many counts as not seen. */
const UNDER_WAY_MAX = 32;
/** A clock that is set back while the service runs is no reason to leave an entry out. */
const CLOCK_TOLERANCE_MS = 60_000;

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
