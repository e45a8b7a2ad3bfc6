import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "../../support/eventually.ts";
import { run, temporaryDataDir } from "../../support/processes.ts";
import { freePorts } from "../../support/tcp-proxy.ts";
import { readHere } from "./compose.ts";

/** PgBouncer with the configuration of the deployment in front of a database, with so few connections that clients must share them. */
export async function startPgBouncer(databaseUrl: string, poolSize = 2) {
  await using starting = new AsyncDisposableStack();
  // It refuses to run as root, and the user that it runs as must be able to read its configuration.
  const folder = starting.use(await temporaryDataDir()).path;
  const target = new URL(databaseUrl);
  const [port] = (await freePorts(1)) as [number];
  const configuration = join(folder, "pgbouncer.ini");
  const shipped = readHere("scripts/deploy/pgbouncer.ini")
    .replace(
      /^plumbline = .*$/m,
      `* = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}`,
    )
    .replace("listen_addr = 0.0.0.0", "listen_addr = 127.0.0.1")
    .replace("listen_port = 6432", `listen_port = ${port}`)
    .replace("auth_type = scram-sha-256", "auth_type = any\nadmin_users = operator")
    .replace(/^auth_file = .*$/m, "")
    .replace("default_pool_size = 40", `default_pool_size = ${poolSize}`)
    // Each of so few connections has many clients.
    .replace("query_wait_timeout = 10", "query_wait_timeout = 60");
  await writeFile(configuration, shipped);
  const isRoot = process.getuid?.() === 0;
  starting.use(run({}, [...(isRoot ? ["--user", "nobody"] : []), "--quiet", configuration], [], "pgbouncer"));
  const administer = async (command: string) => {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "operator", database: "pgbouncer" });
    await client.connect();
    await client.query(command).finally(() => client.end());
    return true;
  };
  await eventually("a PgBouncer that answers", () => administer("SHOW VERSION").catch(() => false));
  const url = new URL(databaseUrl);
  url.port = String(port);
  const started = starting.move();
  return {
    url: url.href,
    /** Makes it reconnect to the database, as an operator does after a change of settings. */
    reconnect: async () => void (await administer("RECONNECT")),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
