import { readConfig } from "./config.ts";
import { demoGreeting, openDemo } from "./demo/demo.ts";
import { startServer, type Server } from "./server.ts";
import { StartupError } from "./startup-error.ts";

// The only file with side effects, and the only one that reads the environment.

/** Stops everything on SIGTERM or Ctrl-C, also while it is still starting; a second signal does not wait. */
function stopOnSignal(starting: Promise<Server>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      starting.then((server) => server.close()).then(() => process.exit(0), (error: unknown) => fail(error));
    });
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
  if (server.url === null) console.log("Plumbline works on jobs. Ctrl-C stops it.");
  else console.log(demoGreeting(server.url, server.isEmbedded && config.NODE_ENV === "development" ? await openDemo(server.url, server.db, config.DATA_DIR) : null));
} catch (error) {
  fail(error);
}
