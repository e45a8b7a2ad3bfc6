import pg from "pg";
import { StartupError } from "../util/startup-error.ts";
import { isOfAnotherNode } from "./database-failure.ts";

/** The default. No longer time is allowed, because a transaction ends after it. */
export const STATEMENT_TIMEOUT_MAX_SECONDS = 10;

/**
 * How long a statement waits for a lock, in the form that PostgreSQL reports. Half of the time that the statement has, so that a
 * request ends because of the lock, and can say what it waited for.
 */
export function lockTimeoutOf(statementTimeoutSeconds = STATEMENT_TIMEOUT_MAX_SECONDS): string {
  const seconds = statementTimeoutSeconds / 2;
  return Number.isInteger(seconds) ? `${seconds}s` : `${seconds * 1_000}ms`;
}

type Settings = Readonly<Record<string, string>>;

/** The settings that every session must have, in the form that PostgreSQL reports. */
const settingsOf = (statementTimeoutSeconds: number): Settings => ({
  // The driver adapter misreads timestamps in any other time zone.
  TimeZone: "UTC",
  statement_timeout: `${statementTimeoutSeconds}s`,
  lock_timeout: lockTimeoutOf(statementTimeoutSeconds),
  // A client host that disappears during a transaction must not hold its locks until TCP times out.
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
 * Checks the settings of a new session, and sets those that differ. Start-up options are no alternative, because a pooler
 * refuses or drops them. Behind a pooler, each transaction may run in another session: the settings must be those of the
 * database, as the error explains, and prepared statements have no names unless `named` is `on`.
 */
export async function prepareSession(client: pg.ClientBase, preparation: Preparation): Promise<void> {
  const { named, timeoutMs, statementTimeoutSeconds = STATEMENT_TIMEOUT_MAX_SECONDS } = preparation;
  const settings = settingsOf(statementTimeoutSeconds);
  const ask = async (text: string) => (await client.query<Row>({ text, query_timeout: timeoutMs } as pg.QueryConfig)).rows[0]!;
  const differencesOf = (row: Row) => Object.keys(settings).filter((name) => row[name] !== settings[name]);
  const found = await ask(readOf(settings));
  const isPooled = Number(found["pid"]) !== backendPidOf(client);
  if (client instanceof SessionClient) client.namesStatements = named === "on" || (named === "auto" && !isPooled);
  const missing = differencesOf(found);
  if (missing.length === 0) return;
  if (isPooled) throw missingBehindPooler(found["database"]!, settings, missing);
  const differences = differencesOf(await ask(writeOf(settings)));
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
  // The query that runs fails, too.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether a connection leads directly to PostgreSQL. A pooler sends the client a process id that is not the server's. */
export async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid === backendPidOf(client);
}

function backendPidOf(client: pg.ClientBase): number | null {
  return (client as unknown as { processID: number | null }).processID;
}

type Release = (error?: Error | boolean) => void;

/**
 * A client that can omit the names of prepared statements, because the next session behind a pooler may lack them. It stays in
 * the pool after an error of another node: the pool would close it, and while a worker is away, new sessions would take most of
 * the time that the other nodes have.
 */
export class SessionClient extends pg.Client {
  namesStatements = false;
  #release: Release = () => undefined;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((config: unknown, ...rest: unknown[]) => {
      const isNamed = typeof config === "object" && config !== null && "name" in config && !("submit" in config);
      return query(isNamed && !this.namesStatements ? Object.create(config, { name: {} }) : config, ...rest);
    }) as pg.Client["query"];
  }

  get release(): Release {
    return this.#release;
  }

  /** The pool sets it each time that it hands out the client. */
  set release(release: Release) {
    this.#release = (error) => release(isOfAnotherNode(error) ? undefined : error);
  }
}
