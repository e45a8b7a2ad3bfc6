import { dayOf, type Day } from "./days.ts";
import type { Clicks } from "./store.ts";

/** Limits the memory while the database is unavailable. Clicks on further short URLs are dropped and logged. */
const PENDING_MAX = 100_000;

/** Unwritten clicks by day (UTC), because a statement writes the clicks of one day. */
export function createPendingClicks(onDropped: (id: string) => void) {
  const days = new Map<Day, Map<string, Clicks>>();
  const size = () => days.values().reduce((sum, ofDay) => sum + ofDay.size, 0);
  return {
    add({ id, count, lastAt }: Clicks): void {
      const day = dayOf(lastAt);
      const ofDay = days.get(day) ?? new Map<string, Clicks>();
      const known = ofDay.get(id);
      if (known === undefined && size() >= PENDING_MAX) return onDropped(id);
      days.set(day, ofDay);
      const isLater = known === undefined || known.lastAt < lastAt;
      ofDay.set(id, { id, count: count + (known?.count ?? 0), lastAt: isLater ? lastAt : known.lastAt });
    },
    days: (): readonly Day[] => [...days.keys()],
    /** Removes the clicks of a day, in the order of the ids, so that two processes can't deadlock. */
    take(day: Day): readonly Clicks[] {
      const taken = [...(days.get(day)?.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
      days.delete(day);
      return taken;
    },
  };
}
