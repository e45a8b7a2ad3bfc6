/**
 * The health check of the container: whether the process responds, not whether it is ready, because a restart doesn't repair the
 * database.
 */
const { ROLE = "all", PORT = "3000", METRICS_PORT } = process.env;
const TIMEOUT_MS = 4_000;

const url = ROLE === "worker" ? `http://127.0.0.1:${METRICS_PORT}/metrics` : `http://127.0.0.1:${PORT}/health/live`;
if (ROLE !== "worker" || METRICS_PORT) {
  const outcome = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  if (outcome !== 200) {
    console.error(`GET ${url}: ${outcome}`);
    process.exitCode = 1;
  }
}
