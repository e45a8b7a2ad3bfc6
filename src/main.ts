import { readConfig, type Config } from "./config.ts";
import { demoGreeting, openDemo, type Demo } from "./demo/demo.ts";
import { startServer, type Server } from "./server.ts";
import { StartupError } from "./startup-error.ts";

// The only file with side effects, and the only one that reads the environment.

/** `npm start` passes on the Ctrl-C that the terminal sends by itself: the same wish, twice. */
const SAME_SIGNAL_MS = 1_000;
let stoppedMs: number | null = null;

/** Stops everything on SIGTERM or Ctrl-C, also while it is still starting; a second one does not wait. */
function stopOnSignal(starting: Promise<Server>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (stoppedMs !== null && performance.now() - stoppedMs > SAME_SIGNAL_MS) process.exit(1);
      if (stoppedMs !== null) return;
      stoppedMs = performance.now();
      starting
        .then((server) => server.close())
        .then(
          () => process.exit(0),
          (error: unknown) => fail(error),
        );
    });
  }
}

/** The demo, where there is to be one. It is nothing that the service should fail for. */
async function demoOf({ url, db, isEmbedded }: Server, config: Config): Promise<Demo | null> {
  if (url === null || !isEmbedded || config.NODE_ENV !== "development") return null;
  try {
    return await openDemo(url, db, config.DATA_DIR);
  } catch (error) {
    if (stoppedMs === null)
      console.error(`The demo data could not be made; the next start tries again. ${(error as Error).message}`);
    return null;
  }
}

function fail(error: unknown): never {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}

try {
  const config = readConfig(process.env);
  const starting = startServer(config);
  stopOnSignal(starting);
  const server = await starting;
  const demo = await demoOf(server, config);
  if (stoppedMs === null)
    console.log(server.url === null ? "Plumbline works on jobs. Ctrl-C stops it." : demoGreeting(server.url, demo));
} catch (error) {
  fail(error);
}
