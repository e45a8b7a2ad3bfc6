const KEPT_MS = 1_000;

/** Asks the database at most once a second whether it answers, as the service does it for `/health`. */
export function createProbe(ping: () => Promise<void>): () => Promise<void> {
  let latest: Promise<void> | undefined;
  return () => {
    if (latest !== undefined) return latest;
    latest = ping();
    const forget = () => {
      setTimeout(() => (latest = undefined), KEPT_MS).unref();
    };
    latest.then(forget, forget);
    return latest;
  };
}
