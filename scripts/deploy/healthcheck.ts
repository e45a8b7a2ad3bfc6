/**
 * The health check of the container. It asks whether the process answers and not whether it is ready: a restart doesn't bring
 * back a database. A worker has no port; it ends if it can't work, and the container engine restarts it.
 */
const { ROLE = "all", PORT = "3000" } = process.env;
const TIMEOUT_MS = 4_000;

if (ROLE !== "worker") {
  const url = `http://127.0.0.1:${PORT}/health/live`;
  const status = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    (it) => it.status,
    (error: Error) => error.message,
  );
  if (status !== 200) {
    console.error(`GET ${url}: ${status}`);
    process.exitCode = 1;
  }
}
