/** A limited number of places. Who finds none waits, in the order of arrival. */
export type Places = {
  /** Takes a place, and returns the function that leaves it. Rejects with the reason of the signal if it aborts before. */
  enter(signal: AbortSignal): Promise<() => void>;
  /** Resolves when every place is free and nobody waits. */
  emptied(): Promise<void>;
};

export function createPlaces(count: number): Places {
  let free = count;
  /** A set keeps the order, and one who gives up leaves it without a search. */
  const waiting = new Set<() => void>();
  let onEmpty: (() => void)[] = [];

  function leave(): void {
    const [next] = waiting;
    if (next !== undefined) return next();
    free++;
    if (free < count) return;
    for (const resolve of onEmpty) resolve();
    onEmpty = [];
  }

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) free--;
      else
        await new Promise<void>((resolve, reject) => {
          const give = () => {
            waiting.delete(give);
            signal.removeEventListener("abort", giveUp);
            resolve();
          };
          const giveUp = () => {
            waiting.delete(give);
            reject(signal.reason as Error);
          };
          waiting.add(give);
          signal.addEventListener("abort", giveUp, { once: true });
        });
      return leave;
    },
    emptied: () => (free === count ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve))),
  };
}
