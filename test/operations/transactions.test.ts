import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { openDatabase, transaction, type Tx } from "../../src/database/client.ts";
import { databaseFailure, sqlState } from "../../src/database/database-failure.ts";
import { createSharedCounts } from "../../src/limits/store.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { eventuallyWaiting, hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { forward, startTcpProxy, type Carry } from "../support/tcp-proxy.ts";

const POOL = { DATABASE_POOL_SIZE: 4, DATABASE_POOL_TIMEOUT_SECONDS: 20 } as const;
const [LOW, HIGH] = ["0198aaaa-0000-7000-8000-000000000001", "0198aaaa-0000-7000-8000-000000000002"] as const;

/** Clients of a database, which end with the scope. */
function open(url: string, settings: Partial<Parameters<typeof openDatabase>[1]> = {}) {
  const opened = openDatabase(url, { ...POOL, ...settings }, () => undefined);
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
}

const empty = prepare(createTestDatabase);
const other = prepare(() => openSession(empty.url));
const database = prepare(async () => {
  const opened = open(empty.url);
  for (const id of [LOW, HIGH]) await opened.db.user.create({ data: { id, displayName: "Ada" } });
  return opened;
});

const rename = (tx: Tx, id: string) => tx.user.update({ where: { id }, data: { displayName: "Yuki" } });
const renameInSql = (tx: Tx, id: string) => tx.$executeRaw`UPDATE users SET display_name = 'Yuki' WHERE id = ${id}::uuid`;
const fail = (state: string) => `DO $$ BEGIN RAISE EXCEPTION 'a test' USING ERRCODE = '${state}'; END $$`;

describe.each([
  ["Prisma", rename],
  ["SQL", renameInSql],
])("a transaction with %s", (_what, change) => {
  it("is tried again after a deadlock (40P01), and has its effect once", async () => {
    let attempts = 0;
    await using holder = await hold(empty.url, "SELECT FROM users WHERE id = $1 FOR UPDATE", [HIGH]);
    await holder.query("SET LOCAL deadlock_timeout = '1h'");
    await transaction(database.db, async (tx) => {
      await change(tx, LOW);
      if (++attempts > 1) return;
      // The other session waits for this one, which closes the circle.
      const waiting = holder.query("SELECT FROM users WHERE id = $1 FOR UPDATE", [LOW]);
      await eventuallyWaiting(empty.url, 1);
      await tx.$executeRaw`SET LOCAL deadlock_timeout = '1ms'`;
      await change(tx, HIGH).finally(() => void waiting.then(() => holder.release()));
    });
    expect(attempts).toBe(2);
  });

  it("is tried again if it can't be serialized (40001)", async () => {
    let attempts = 0;
    await transaction(database.db, async (tx) => {
      await tx.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`;
      await tx.user.count();
      if (++attempts === 1) await other.query("UPDATE users SET display_name = 'Tom' WHERE id = $1", [LOW]);
      await change(tx, LOW);
    });
    expect(attempts).toBe(2);
  });
});

it("a transaction that conflicts each time is tried four times, and then the service is unavailable", async () => {
  let attempts = 0;
  const work = async (tx: Tx) => {
    if (++attempts > 4) throw new Error("It is tried too often.");
    await tx.$executeRawUnsafe(fail("40001"));
  };
  const error = await transaction(database.db, work).catch((thrown: unknown) => thrown);
  expect([attempts, databaseFailure(error)?.code]).toEqual([4, "unavailable"]);
});

/** Messages of internal errors (XX000) of Citus, after which a retry helps. */
const AWAY = [
  "failure on connection marked as essential: node:5432",
  "could not find valid entry for shard 102054",
  "postmaster was shut down, exiting",
  "terminating connection due to unexpected postmaster exit",
  "server closed the connection unexpectedly",
  "could not receive data from server: Connection reset by peer",
];

it.each<[string, string, string | null]>([
  ...["40001", "40P01", "25006", "25P03", "25P04", "53300", "55P03", "57014", "57P01", "58030", "08006"].map(
    (state): [string, string, string] => [state, "a test", "unavailable"],
  ),
  ...AWAY.map((message): [string, string, string] => ["XX000", message, "unavailable"]),
  ["0A000", "complex joins are only supported when all distributed tables are co-located", "unavailable"],
  ["0A000", "another feature", null],
  ["XX000", "another internal error", null],
  ["22021", "a test", "validation_failed"],
  ["22012", "a test", null],
])("an error with the SQLSTATE %s, %s, is %s to the client, from the pool and from Prisma", async (state, message, code) => {
  const statement = fail(state).replace("a test", message);
  const thrownBy = (failing: Promise<unknown>) => failing.catch((error: unknown) => databaseFailure(error)?.code ?? null);
  expect(await thrownBy(database.pool.query(statement))).toBe(code);
  expect(await thrownBy(database.db.$executeRawUnsafe(statement))).toBe(code);
});

it.each(
  ["BEGIN", "UPDATE", "COMMIT"].flatMap((text) => (["destroy", "resetAndDestroy"] as const).map((end) => [text, end] as const)),
)("the service is unavailable to the client if the connection is lost at %s (%s)", async (text, end) => {
  let losses = 0;
  const lose: Carry = (client, server) => {
    forward(server, client);
    client.on("data", (bytes: Buffer) => {
      if (!bytes.includes(text)) return void server.write(bytes);
      losses++;
      client[end]();
    });
  };
  await using proxy = await startTcpProxy(empty.url, lose);
  await using lossy = open(proxy.url);
  const error = await transaction(lossy.db, (tx) => rename(tx, LOW)).catch((thrown: unknown) => thrown);
  expect([losses, databaseFailure(error)?.code]).toEqual([1, "unavailable"]);
});

describe("a session", () => {
  it("has a limit on statements, on locks and on transactions that do nothing, and a time zone", async () => {
    const { rows } = await database.pool.query(
      `SELECT name || '=' || current_setting(name) AS set FROM unnest($1::text[]) AS name`,
      [["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "TimeZone"]],
    );
    expect(rows.map((it) => (it as { set: string }).set)).toEqual([
      "statement_timeout=10s",
      "lock_timeout=5s",
      "idle_in_transaction_session_timeout=10s",
      "TimeZone=UTC",
    ]);
  });

  it("has the limit on statements that is set, and waits for a lock half as long", async () => {
    await using short = open(empty.url, { DATABASE_STATEMENT_TIMEOUT_SECONDS: 1 });
    const stateOf = async (statement: string) => sqlState(await short.pool.query(statement).catch((it: unknown) => it));
    expect(await stateOf("SELECT pg_sleep(20)")).toBe("57014");
    await using _holder = await hold(empty.url, "SELECT pg_advisory_xact_lock(1)");
    expect(await stateOf("SELECT pg_advisory_xact_lock(1)")).toBe("55P03");
  });

  it("caches the plans of at most 100 statements of Prisma, even if all texts differ", async () => {
    await using one = open(empty.url, { DATABASE_POOL_SIZE: 1 });
    for (let n = 0; n < 120; n++) await one.db.$queryRawUnsafe(`SELECT $1::int AS c${n}`, n);
    const { rows } = await one.pool.query("SELECT FROM pg_prepared_statements WHERE name LIKE 'prisma%'");
    expect(rows).toHaveLength(100);
  });

  it.each([
    ["the same", "a worker that can't be reached", fail("08006")],
    ["another", "any other error", fail("XX000")],
    ["another", "its own end", "SELECT pg_terminate_backend(pg_backend_pid())"],
  ])("is %s after %s", async (which, _error, statement) => {
    await using one = open(empty.url, { DATABASE_POOL_SIZE: 1 });
    const pid = async () => (await one.pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]!.pid;
    for (const failing of [() => one.pool.query(statement), () => one.db.$executeRawUnsafe(statement)]) {
      const before = await pid();
      await expect(failing()).rejects.toThrow();
      expect((await pid()) === before ? "the same" : "another").toBe(which);
    }
  });

  it("waits for a silent server 2 s longer than the server lets a statement run, and not while nothing is asked", async () => {
    await using proxy = await startTcpProxy(empty.url);
    await using silent = open(proxy.url, { DATABASE_POOL_SIZE: 1, DATABASE_STATEMENT_TIMEOUT_SECONDS: 1 });
    const client = await silent.pool.connect();
    await once((client as unknown as { connection: { stream: Socket } }).connection.stream, "timeout");
    await client.query("SELECT 1");
    client.release();

    proxy.freeze();
    const startedMs = performance.now();
    await expect(silent.pool.query("SELECT 1")).rejects.toThrow("Query read timeout");
    expect(performance.now() - startedMs).toBeGreaterThan(2_900);
  });
});

/** What locks several rows for many requests at once, with the higher id first. */
const WRITERS: Readonly<Record<string, { readonly table: string; readonly key: string; write(): Promise<unknown> }>> = {
  "requests of rate limits": {
    table: "rate_limits",
    key: "key",
    async write() {
      const count = createSharedCounts(database.pool);
      // The first call is a batch of its own, and the others are the next one.
      const first = count({ key: "another", windowSeconds: 60 });
      await Promise.all([first, ...[HIGH, LOW].map((key) => count({ key, windowSeconds: 60 }))]);
    },
  },
  notifications: {
    table: "notifications",
    key: "user_id::text",
    write: () =>
      database.pool.query("SELECT notify_users($1, 'message.created', 'A title', NULL, NULL, 'subject', 'message', 'x', '/x')", [
        [HIGH, LOW],
      ]),
  },
};

it.each(Object.entries(WRITERS))(
  "two processes that write %s lock them in one order, so that they don't deadlock",
  async (_what, { table, key, write }) => {
    await write();
    await using holder = await hold(empty.url, `SELECT FROM ${table} WHERE ${key} = $1 FOR UPDATE`, [HIGH]);
    const writing = write();
    await holder.blocks(1);
    const free = await other.query(`SELECT FROM ${table} WHERE ${key} = $1 FOR UPDATE SKIP LOCKED`, [LOW]);
    expect(free.rows).toHaveLength(0);
    await holder.release();
    await writing;
  },
);
