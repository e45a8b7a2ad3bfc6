import type pg from "pg";
import { prepareSession, withClient } from "./session.ts";

/** Reads rows in one snapshot. `rows` fetches them in batches, so that memory does not depend on their number. */
export type Snapshot = ReturnType<typeof snapshotOf>;

const CONNECT_TIMEOUT_MS = 10_000;
const BATCH_SIZE = 500;

/** Runs `work` with one snapshot of the database, on its own connection, without the timeouts of requests. */
export async function withSnapshot<T>(databaseUrl: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const connectionTimeoutMillis = CONNECT_TIMEOUT_MS;
  const config = { connectionString: databaseUrl, connectionTimeoutMillis, application_name: "plumbline snapshot" };
  return withClient(config, async (client) => {
    await prepareSession(client, { named: "off", timeoutMs: CONNECT_TIMEOUT_MS });
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0");
    return work(snapshotOf(client));
  });
}

function snapshotOf(client: pg.Client) {
  let cursors = 0;
  return {
    async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      return (await client.query(text, [...values])).rows as Row[];
    },
    async *rows<Row>(text: string, values: readonly unknown[] = []): AsyncGenerator<Row> {
      const name = `rows_${++cursors}`;
      await client.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, [...values]);
      for (;;) {
        const { rows } = await client.query(`FETCH ${BATCH_SIZE} FROM ${name}`);
        yield* rows as Row[];
        if (rows.length < BATCH_SIZE) break;
      }
      await client.query(`CLOSE ${name}`);
    },
  };
}
