import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createCluster, DATABASE, ENVIRONMENT, openCluster } from "../../src/embedded-postgres/cluster.ts";
import { freePorts } from "../support/tcp-proxy.ts";

/** A PostgreSQL server that a test can kill. If it ends, it starts again, as a service manager would start it. */
export type OwnPostgres = AsyncDisposable & {
  readonly url: string;
  /** Sends a signal to the first process of the server, and waits until it has ended. Returns how it ended. */
  end(signal: NodeJS.Signals): Promise<number | string>;
  /** Waits until the server accepts a connection that isn't one of the service, and returns the instant. */
  accepts(): Promise<number>;
  /** Runs a statement on such a connection. */
  run(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** What the server has logged. */
  log(): string;
};

/** Small, so that a disk in memory is large enough. */
const SETTINGS = { max_wal_size: "96MB", min_wal_size: "32MB", max_connections: "100" };
const RESTART_MS = 300;
const PROBE_MS = 5;
const TIMEOUT_MS = 60_000;

/** Creates a cluster in a folder, and starts its server as a child of this process, so that the kernel keeps no zombie of it. */
export async function startOwnPostgres(folder: string): Promise<OwnPostgres> {
  const cluster = openCluster(folder, SETTINGS, () => undefined);
  await createCluster(cluster);
  const [port = 0] = await freePorts(1);
  const settings = {
    ...SETTINGS,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    timezone: "UTC",
    log_min_messages: "log",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const url = `postgresql://postgres:${readFileSync(cluster.passwordFile, "utf8").trim()}@127.0.0.1:${port}/${DATABASE}`;
  let log = "";
  let isWanted = true;
  let server: ChildProcess;
  const start = () => {
    server = spawn(join(cluster.binaries.dir, "bin", "postgres"), ["-D", cluster.dir, "-p", String(port), ...args], {
      cwd: "/",
      env: ENVIRONMENT,
      stdio: ["ignore", "ignore", "pipe"],
      ...cluster.user,
    });
    server.stderr!.setEncoding("utf8").on("data", (text: string) => (log += text));
    server.once("exit", () => setTimeout(() => isWanted && start(), RESTART_MS));
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(server, "exit") as Promise<[number | null, string | null]>;
    server.kill(signal);
    const [code, name] = await ended;
    return code ?? name!;
  };
  const run = async (text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const accepts = async () => {
    for (const sinceMs = performance.now(); ; await delay(PROBE_MS)) {
      const isReady = await run("SELECT 1").then(
        () => true,
        () => false,
      );
      if (isReady) return performance.now();
      if (performance.now() - sinceMs > TIMEOUT_MS) throw new Error(`PostgreSQL accepts no connection: ${log.slice(-2_000)}`);
    }
  };
  start();
  await accepts();
  return {
    url,
    end,
    accepts,
    run,
    log: () => log,
    async [Symbol.asyncDispose]() {
      isWanted = false;
      if (server.exitCode === null && server.signalCode === null) await end("SIGQUIT");
    },
  };
}
