/**
 * Shares one result of `fn`, success or failure, for `ttlMs` after it settles. Calls during `fn` wait for the same result. After `clear`,
 * the next call runs `fn` again.
 */
export function cached<Result>(fn: () => Promise<Result>, ttlMs: number) {
  let latest: Promise<Result>;
  let validUntilMs = 0;
  const clear = (): void => void (validUntilMs = 0);
  const get = (): Promise<Result> => {
    if (performance.now() < validUntilMs) return latest;
    validUntilMs = Infinity;
    latest = fn().finally(() => (validUntilMs = performance.now() + ttlMs));
    // Callers may have stopped waiting for a rejection.
    latest.catch(() => undefined);
    return latest;
  };
  return { get, clear };
}
