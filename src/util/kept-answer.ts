/**
 * Asks at most once in `keptMs`, and gives all who ask meanwhile the same answer, success or failure. They also share a question
 * that has no answer yet. After `forget`, the next one asks again.
 */
export function keepAnswer<Answer>(ask: () => Promise<Answer>, keptMs: number) {
  let latest: Promise<Answer>;
  let keptUntilMs = 0;
  const forget = (): void => void (keptUntilMs = 0);
  const answer = (): Promise<Answer> => {
    if (performance.now() < keptUntilMs) return latest;
    keptUntilMs = Infinity;
    latest = ask().finally(() => (keptUntilMs = performance.now() + keptMs));
    // Who asks may have stopped waiting.
    latest.catch(() => undefined);
    return latest;
  };
  return { answer, forget };
}
