/** How long a queue may be longer than usual, so that a burst is served. */
const BURST_MS = 100;
/** Over how long the requests that have ended are counted: at least one of these windows, and at most two. */
const WINDOW_MS = 500;

type Options = {
  /** How many requests wait now. */
  readonly length: () => number;
  /** A queue of this length is not worth a refusal. */
  readonly usualLength: number;
  /** How long a request may wait in a queue that stands. */
  readonly maxWaitMs: number;
  /** For tests. */
  readonly nowMs?: () => number;
};

/**
 * Tells a queue that stands from a burst, as CoDel does (RFC 8289): a burst is gone soon, but a queue that stands only delays
 * every request. By Little's law, requests wait as long as the service takes for all those in front of them.
 */
export function createStandingQueue({ length, usualLength, maxWaitMs, nowMs = () => performance.now() }: Options) {
  let usualMs = nowMs();
  let [windowMs, ended, endedBefore, lengthOfBeforeMs] = [nowMs(), 0, 0, WINDOW_MS];

  function turnWindow(now: number): void {
    const elapsedMs = now - windowMs;
    if (elapsedMs < WINDOW_MS) return;
    [windowMs, endedBefore, ended, lengthOfBeforeMs] = [now, ended, 0, elapsedMs];
  }

  return {
    /** Counts a request that has ended. */
    onEnded(): void {
      ended++;
    },
    /** How many requests may wait; null if no queue stands. Call it for each request. */
    limit(): { readonly waiting: number; readonly most: number } | null {
      const [now, waiting] = [nowMs(), length()];
      turnWindow(now);
      if (waiting <= usualLength) usualMs = now;
      if (now - usualMs < BURST_MS) return null;
      const endedPerMs = (endedBefore + ended) / (lengthOfBeforeMs + now - windowMs);
      return { waiting, most: Math.max(usualLength, endedPerMs * maxWaitMs) };
    },
  };
}
