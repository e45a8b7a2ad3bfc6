/**
 * Combines lookups into one query at a time. Keys that arrive during a query wait for the next one, which takes at most
 * `max` of them, oldest first. Therefore all lookups together use only one connection.
 */
export function askTogether<K, V>(ask: (keys: readonly K[]) => Promise<readonly V[]>, max: number): (key: K) => Promise<V> {
  let waiting: ({ readonly key: K } & PromiseWithResolvers<V>)[] = [];
  let isAsking = false;

  async function askAll(): Promise<void> {
    isAsking = true;
    while (waiting.length > 0) {
      const asked = waiting.slice(0, max);
      waiting = waiting.slice(max);
      try {
        const answers = await ask(asked.map((it) => it.key));
        for (const [index, it] of asked.entries()) it.resolve(answers[index]!);
      } catch (error) {
        for (const it of asked) it.reject(error);
      }
    }
    isAsking = false;
  }

  return (key) => {
    const answer = Promise.withResolvers<V>();
    waiting.push({ key, ...answer });
    if (!isAsking) void askAll();
    return answer.promise;
  };
}
