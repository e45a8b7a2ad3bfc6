import type { Socket } from "node:net";
import pg from "pg";
import { StartupError } from "../util/startup-error.ts";
import { isWorkerConnectionError } from "./database-failure.ts";
import { parseRows } from "./row-parser.ts";
import { StatementQuery } from "./statement-query.ts";

/** The default and the maximum, because a transaction ends after the same time. */
export const STATEMENT_TIMEOUT_MAX_SECONDS = 10;

/** The lock timeout, in the form that PostgreSQL reports. Half of the statement timeout, so that an error names the lock. */
export function lockTimeoutOf(statementTimeoutSeconds = STATEMENT_TIMEOUT_MAX_SECONDS): string {
  const seconds = statementTimeoutSeconds / 2;
  return Number.isInteger(seconds) ? `${seconds}s` : `${seconds * 1_000}ms`;
}

type Settings = Readonly<Record<string, string>>;

/** The settings of every session, in the form that PostgreSQL reports. */
const settingsOf = (statementTimeoutSeconds: number): Settings => ({
  // The driver adapter misreads timestamps in any other time zone.
  TimeZone: "UTC",
  statement_timeout: `${statementTimeoutSeconds}s`,
  lock_timeout: lockTimeoutOf(statementTimeoutSeconds),
  // After the crash of a client host, its transaction must not hold locks until TCP times out.
  idle_in_transaction_session_timeout: "10s",
  default_transaction_isolation: "read committed",
});

const literal = pg.escapeLiteral;
const readOf = (settings: Settings) =>
  `SELECT pg_backend_pid() AS pid, current_database() AS database, ${Object.keys(settings)
    .map((name) => `current_setting(${literal(name)}) AS "${name}"`)
    .join(", ")}`;
const writeOf = (settings: Settings) =>
  `SELECT ${Object.entries(settings)
    .map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, false) AS "${name}"`)
    .join(", ")}`;

/** Whether prepared statements have names. `auto` names them only on direct connections. */
export type NamedStatements = "auto" | "on" | "off";
type Preparation = { readonly named: NamedStatements; readonly timeoutMs: number; readonly statementTimeoutSeconds?: number };

type Row = Readonly<Record<string, string>>;

/**
 * Checks the settings of a new session, and sets those that differ, because a pooler refuses or drops start-up options. Behind a pooler, each
 * transaction can run in another session: the database must have the settings, and statements have no names unless `named` is `on`.
 */
export async function prepareSession(client: pg.ClientBase, preparation: Preparation): Promise<void> {
  const { named, timeoutMs, statementTimeoutSeconds = STATEMENT_TIMEOUT_MAX_SECONDS } = preparation;
  const settings = settingsOf(statementTimeoutSeconds);
  const read = async (text: string) => (await client.query<Row>({ text, query_timeout: timeoutMs } as pg.QueryConfig)).rows[0]!;
  const differencesOf = (row: Row) => Object.keys(settings).filter((name) => row[name] !== settings[name]);
  const found = await read(readOf(settings));
  const isPooled = Number(found["pid"]) !== backendPidOf(client);
  if (client instanceof SessionClient) client.namesStatements = named === "on" || (named === "auto" && !isPooled);
  const missing = differencesOf(found);
  if (missing.length === 0) return;
  if (isPooled) throw missingBehindPooler(found["database"]!, settings, missing);
  const differences = differencesOf(await read(writeOf(settings)));
  if (differences.length > 0) throw new StartupError(`PostgreSQL did not apply the settings ${differences.join(", ")}.`);
}

function missingBehindPooler(database: string, settings: Settings, missing: readonly string[]): StartupError {
  const alter = `ALTER DATABASE ${pg.escapeIdentifier(database)} SET`;
  const statements = missing.map((name) => `${alter} ${name} = ${literal(settings[name]!)};`);
  return new StartupError(
    `The sessions behind the pooler of DATABASE_URL lack settings; run these statements, and then make the pooler reconnect: ${statements.join(" ")}`,
  );
}

/** Runs `work` on a connection of its own, outside the pool, and closes it. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // The current query also fails.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether a connection is direct. A pooler sends the client another process id than that of the server. */
export async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid === backendPidOf(client);
}

function backendPidOf(client: pg.ClientBase): number | null {
  return (client as unknown as { processID: number | null }).processID;
}

type Release = (error?: Error | boolean) => void;
/** What the types of a client lack. */
type Internals = { readonly connection: pg.Connection & { readonly stream: Socket }; readonly readyForQuery: boolean };

/**
 * A client that can omit the names of prepared statements, because the next session behind a pooler may lack them. It stays in the pool
 * after an error of a Citus worker: while that is unavailable, new sessions would delay requests to other workers.
 */
export class SessionClient extends pg.Client {
  namesStatements = false;
  #release: Release = () => undefined;

  constructor(config?: pg.ClientConfig) {
    super(config);
    parseRows((this as unknown as Internals).connection);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((config: unknown, ...rest: unknown[]) => {
      if (config instanceof StatementQuery) {
        if (!this.namesStatements) config.name = "";
        return query(config, ...rest);
      }
      const isNamed = typeof config === "object" && config !== null && "name" in config && !("submit" in config);
      return query(isNamed && !this.namesStatements ? Object.create(config, { name: {} }) : config, ...rest);
    }) as pg.Client["query"];
  }

  /**
   * Closes the connection when the server sends nothing for this time during a query. pg's `query_timeout` is a timer for each query, and
   * rows of ended queries then survive until a major garbage collection.
   */
  limitReads(readTimeoutMs: number): void {
    const internals = this as unknown as Internals;
    const { stream } = internals.connection;
    stream.setTimeout(readTimeoutMs);
    stream.on("timeout", () => {
      if (!internals.readyForQuery) stream.destroy(new Error("Query read timeout"));
    });
  }

  get release(): Release {
    return this.#release;
  }

  /** The pool sets it at each checkout. */
  set release(release: Release) {
    this.#release = (error) => release(isWorkerConnectionError(error) ? undefined : error);
  }
}
