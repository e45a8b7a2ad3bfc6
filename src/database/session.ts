import pg from "pg";
import { StartupError } from "../startup-error.ts";

/** The settings that every session must have, as PostgreSQL shows them. */
const SETTINGS: Readonly<Record<string, string>> = {
  // In any other time zone the driver adapter misreads timestamps.
  TimeZone: "UTC",
  statement_timeout: "10s",
  lock_timeout: "5s",
  // A host that vanishes in a transaction must not keep its locks until TCP notices.
  idle_in_transaction_session_timeout: "10s",
  default_transaction_isolation: "read committed",
};

const literal = pg.escapeLiteral;
const READ = `SELECT pg_backend_pid() AS pid, current_database() AS database, ${Object.keys(SETTINGS)
  .map((name) => `current_setting(${literal(name)}) AS "${name}"`)
  .join(", ")}`;
const WRITE = `SELECT ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, false) AS "${name}"`)
  .join(", ")}`;

/** Whether statements are prepared under names; `auto`: on direct connections only. */
export type NamedStatements = "auto" | "on" | "off";

type Row = Readonly<Record<string, string>>;

/**
 * Gives a new session its settings, and checks that it has them. Start-up options would not do: a pooler refuses or loses
 * them. Behind a pooler each transaction may get another session, so the settings must come with the database, and the
 * error says how; statements are not prepared under names there unless `named` is `on`.
 */
export async function prepareSession(client: pg.ClientBase, named: NamedStatements, timeoutMs: number): Promise<void> {
  const ask = async (text: string) => (await client.query<Row>({ text, query_timeout: timeoutMs } as pg.QueryConfig)).rows[0]!;
  const found = await ask(READ);
  const isPooled = Number(found["pid"]) !== backendPidOf(client);
  if (client instanceof SessionClient) client.namesStatements = named === "on" || (named === "auto" && !isPooled);
  const missing = differencesOf(found);
  if (missing.length === 0) return;
  if (isPooled) throw missingBehindPooler(found["database"]!, missing);
  const differences = differencesOf(await ask(WRITE));
  if (differences.length > 0) throw new StartupError(`The database does not let us set ${differences.join(", ")}.`);
}

const differencesOf = (row: Row) => Object.keys(SETTINGS).filter((name) => row[name] !== SETTINGS[name]);

function missingBehindPooler(database: string, missing: readonly string[]): StartupError {
  const alter = `ALTER DATABASE ${pg.escapeIdentifier(database)} SET`;
  const statements = missing.map((name) => `${alter} ${name} = ${literal(SETTINGS[name]!)};`);
  return new StartupError(
    `The sessions behind the pooler of DATABASE_URL lack settings; run this and have it reconnect: ${statements.join(" ")}`,
  );
}

/** Whether a connection leads to PostgreSQL itself: a pooler tells a client a process id of its own making. */
export async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid === backendPidOf(client);
}

function backendPidOf(client: pg.ClientBase): number | null {
  return (client as unknown as { processID: number | null }).processID;
}

/** A client that can omit the names of prepared statements, because the next session behind a pooler may not know them. */
export class SessionClient extends pg.Client {
  namesStatements = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((config: unknown, ...rest: unknown[]) => {
      const isNamed = typeof config === "object" && config !== null && "name" in config && !("submit" in config);
      return query(isNamed && !this.namesStatements ? { ...config, name: undefined } : config, ...rest);
    }) as pg.Client["query"];
  }
}
