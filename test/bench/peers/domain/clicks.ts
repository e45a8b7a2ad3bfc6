import type { Click, Store } from "./store.ts";

const FLUSH_MS = 1_000;

/** Counts clicks in memory and writes them once a second, in one statement, as the service does it. */
export function createClickCounter(addClicks: Store["addClicks"]): (id: string) => void {
  let pending = new Map<string, Click>();
  setInterval(() => {
    if (pending.size === 0) return;
    const batch = [...pending.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    pending = new Map();
    addClicks(batch).catch((error: unknown) => console.error("clicks could not be written", error));
  }, FLUSH_MS).unref();
  return (id) => {
    pending.set(id, { id, count: (pending.get(id)?.count ?? 0) + 1, lastAt: new Date() });
  };
}
