import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "../../support/eventually.ts";
import { freePorts } from "../../support/ports.ts";

export type Pooler = AsyncDisposable & {
  /** The database's URL with the address of the connection pooler. */
  readonly url: string;
  /** Makes it reconnect to the database, as an operator does after a change of settings. */
  reconnect(): Promise<void>;
};

/** PgBouncer in transaction mode in front of a database, with so few connections that clients must share them. */
export async function startPgBouncer(databaseUrl: string, poolSize = 2): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-pgbouncer-"));
  const target = new URL(databaseUrl);
  const [port] = (await freePorts(1)) as [number];
  const configuration = join(folder, "pgbouncer.ini");
  await writeFile(
    configuration,
    [
      "[databases]",
      `* = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      "admin_users = operator",
      "pool_mode = transaction",
      `default_pool_size = ${poolSize}`,
      "",
    ].join("\n"),
  );
  // It refuses to run as root, and the user that it runs as must be able to read its configuration.
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const child = spawn("pgbouncer", [...(isRoot ? ["--user", "nobody"] : []), "--quiet", configuration], { stdio: "ignore" });
  const exited = once(child, "exit");
  const administer = async (command: string) => {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "operator", database: "pgbouncer" });
    await client.connect();
    await client.query(command).finally(() => client.end());
    return true;
  };
  await eventually("a PgBouncer that answers", () => administer("SHOW VERSION").catch(() => false));
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    reconnect: async () => void (await administer("RECONNECT")),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
