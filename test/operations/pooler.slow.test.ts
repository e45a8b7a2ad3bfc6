import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { withKey } from "../support/conversations.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { describeNeeds } from "../support/needs.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";
import { run, temporaryDataDir } from "../support/running.ts";
import { startTestService } from "../support/service.ts";

describeNeeds("pgbouncer", "behind a pooler in transaction mode", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const ask = async (url: string, ...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const rows: Record<string, unknown>[] = [];
      for (const statement of statements) rows.push(...(await client.query<Record<string, unknown>>(statement)).rows);
      return rows;
    } finally {
      await client.end();
    }
  };
  const refusal = async (settings: Readonly<Record<string, string>>) => {
    await using dataDir = await temporaryDataDir();
    await using service = run({ DATA_DIR: dataDir.path, NODE_ENV: "test", ...settings });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toMatch(/^[^\n]+\n$/);
    return service.stderr().trim();
  };
  const giveSettings = (sentence: string) => ask(database.url, ...sentence.match(/ALTER DATABASE [^;]+;/g)!);

  it("a start without the settings fails with the statements that fix it, and they do", async () => {
    await ask(database.url, `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET timezone = 'Europe/Lisbon'`);
    await using pooler = await startPgBouncer(database.url);
    const sentence = await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url });
    for (const name of ["TimeZone", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
      expect(sentence).toContain(` SET ${name} = '`);
    await giveSettings(sentence);
    await pooler.reconnect();

    const service = await startTestService(
      { DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url, RATE_LIMITS: "writes=1000/60", DATABASE_POOL_SIZE: "8" },
      { ...database, drop: async () => {} },
    );
    try {
      const author = await service.as();
      // More requests than the pooler has connections, so that transactions run in changing sessions.
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => author("POST", "/posts", { title: `Post ${n}`, body: "x" }, withKey())),
      );
      expect(answers.map((it) => it.status)).toEqual(answers.map(() => 201));
      const pages = await Promise.all(answers.map(() => author("GET", "/posts?limit=100")));
      for (const page of pages) expect(page.body.data).toHaveLength(60);
      const created = Date.parse(pages[0]!.body.data[0].created_at as string);
      expect(Math.abs(created - Date.now())).toBeLessThan(600_000);
      // No session has a lock or other settings when the next client gets it.
      const locks = await ask(
        database.url,
        "SELECT pid FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database()",
      );
      expect(locks).toEqual([]);
      const sessions = await ask(pooler.url, "SHOW statement_timeout", "SHOW lock_timeout", "SHOW TimeZone");
      expect(Object.assign({}, ...sessions)).toEqual({ statement_timeout: "10s", lock_timeout: "5s", TimeZone: "UTC" });
    } finally {
      await service.close();
    }
  });

  it("a start fails without a direct URL, and if the two URLs lead to different databases", async () => {
    await using pooler = await startPgBouncer(database.url);
    const sentence = await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url });
    await giveSettings(sentence);
    await pooler.reconnect();
    expect(await refusal({ DATABASE_URL: pooler.url })).toMatch(/is behind a pooler, .*set DIRECT_DATABASE_URL/);
    expect(await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: pooler.url })).toMatch(/is behind a pooler/);
    const other = await createTestDatabase();
    try {
      expect(await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: other.url })).toBe(
        "DATABASE_URL and DIRECT_DATABASE_URL lead to different databases.",
      );
    } finally {
      await other.drop();
    }
  });
});
