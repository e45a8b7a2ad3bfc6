import { runCommand } from "./util/command.ts";
import { describeMisspelt, readConfig, type Config } from "./config.ts";
import { openDemo } from "./demo/demo.ts";
import { createLog, logWarnings } from "./telemetry/log.ts";
import { startServer, type Server } from "./server.ts";
import { publishUrl, withdrawUrl } from "./util/service-url.ts";
import { StartupError } from "./util/startup-error.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

const USAGE = `Starts the service. Press Ctrl-C to stop it. Its settings are environment variables; scripts/deploy/SETTINGS.md lists them.

Usage:
  npm start                start on port 3000, with an embedded database in .data
  PORT=8080 npm start      start with another setting`;

/** Signals within this time count as one, because both the terminal and npm send the signal of Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;
let stoppedMs: number | null = null;

/** Stops the service on a signal, even during the start. A second signal exits at once. */
function stopOnSignal(starting: Promise<Server>, { DATA_DIR }: Config): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (stoppedMs !== null && performance.now() - stoppedMs > SAME_SIGNAL_MS) process.exit(1);
      if (stoppedMs !== null) return;
      stoppedMs = performance.now();
      starting
        .then(async (server) => {
          if (server.url !== null) await withdrawUrl(DATA_DIR, server.url);
          await server.close(signal);
        })
        .then(() => process.exit(0), fail);
    });
  }
}

/** Creates the demo data and returns a request of a demo user, or null. An error doesn't stop the service. */
async function openDemoRequest({ url, db }: Server, config: Config): Promise<string | null> {
  if (url === null || config.DATABASE_URL !== undefined || config.NODE_ENV !== "development") return null;
  try {
    return await openDemo(url, db, config.DATA_DIR);
  } catch (error) {
    if (stoppedMs === null)
      console.error(`The demo data was not created; the next start tries again. ${(error as Error).message}`);
    return null;
  }
}

/** Prints that the service is ready: text on a terminal, otherwise a log line. */
function greet(url: string | null, demo: string | null): void {
  const msg = url === null ? "Plumbline is running jobs." : `Plumbline is running at ${url}`;
  const hint = demo === null ? { key: 'npm run -s plumbline -- user add "Your Name"' } : { try: demo };
  const rows: Readonly<Record<string, string>> =
    url === null ? {} : { documentation: `${url}/docs`, contract: `${url}/openapi.json`, ...hint };
  if (!process.stdout.isTTY) return console.log(JSON.stringify({ level: 30, time: Date.now(), msg, ...rows }));
  const lines = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(14)} ${value}`);
  console.log(["", msg, ...lines, "", "Press Ctrl-C to stop it."].join("\n"));
}

function fail(error: unknown): never {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}

/** Runs `npm start` with the settings in `environment`. */
export const start = (environment: NodeJS.ProcessEnv, telemetry: Telemetry | null): Promise<void> =>
  runCommand({ usage: USAGE }, async () => {
    try {
      const config = readConfig(environment);
      if (process.stdout.isTTY) console.log("Starting Plumbline. The first start takes a few seconds longer.");
      const log = createLog(config.LOG_LEVEL);
      logWarnings(log);
      for (const sentence of describeMisspelt(environment)) log.warn(sentence);
      const starting = startServer(config, telemetry, log);
      stopOnSignal(starting, config);
      const server = await starting;
      if (stoppedMs !== null) return;
      // Not in production, where several processes can share a data directory.
      if (server.url !== null && config.NODE_ENV === "development") await publishUrl(config.DATA_DIR, server.url);
      const demo = await openDemoRequest(server, config);
      if (demo !== null) server.showDemo(demo);
      if (stoppedMs === null) greet(server.url, demo);
    } catch (error) {
      fail(error);
    }
  });
