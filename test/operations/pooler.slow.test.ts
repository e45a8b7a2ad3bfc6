import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "@jest/globals";
import { openConversation, sendPersistently, walk, withKey } from "../support/conversations.ts";
import { crowding } from "../support/processes.ts";
import { createTestDatabase } from "../support/database.ts";
import { describeNeeds } from "../support/needs.ts";
import { ask } from "./support/ask.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { finished, upload } from "../support/videos.ts";

describeNeeds("pgbouncer", "behind a pooler in transaction mode", () => {
  const database = prepare(createTestDatabase);
  const pooler = prepare(() => startPgBouncer(database.url));
  let firstRefusal: string;
  beforeAll(async () => {
    await ask(database.url, `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET timezone = 'Europe/Lisbon'`);
    firstRefusal = await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url });
    await ask(database.url, ...firstRefusal.match(/ALTER DATABASE [^;]+;/g)!);
    await pooler.reconnect();
  });

  /** The reason of a start that fails. It is one sentence. */
  const refusal = async (settings: Readonly<Record<string, string>>) => {
    const reason = await startTestService(settings, { url: database.url }).catch((error: unknown) => error);
    expect(reason).toMatchObject({ name: "StartupError", message: expect.stringMatching(/^[^\n]+$/) });
    return (reason as Error).message;
  };

  it("a start without the settings fails with the statements that fix it, and they do", async () => {
    for (const name of ["TimeZone", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
      expect(firstRefusal).toContain(` SET ${name} = '`);
    await using service = await startTestService(
      { DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url, RATE_LIMITS: "writes=1000/60", DATABASE_POOL_SIZE: "8" },
      { url: database.url },
    );
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
  });

  it("two API processes and a worker share it, and the worker is notified of a video at once, because its queue has a direct URL", async () => {
    await using stack = new AsyncDisposableStack();
    const settings = { DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url };
    const start = async (more: Readonly<Record<string, string>>) =>
      stack.use(await startTestService({ ...settings, ...more }, { url: database.url }));
    const first = await start({ ROLE: "api" });
    const second = await start({ ROLE: "api", DATA_DIR: first.dataDir });
    await start({ ROLE: "worker", DATA_DIR: first.dataDir });
    const [ada, yuki] = [await first.as(), await second.as()];
    const users = [ada, yuki];
    const conversation = await openConversation(ada, [yuki]);
    // Both processes take the next number of one conversation, each message twice, in sessions that they share.
    const keys = Array.from({ length: 60 }, () => randomUUID());
    const answers = await Promise.all(
      [...keys, ...keys].map((key, n) => sendPersistently(users[Math.floor(n / 30) % 2]!, conversation, key, key)),
    );
    expect(new Set(answers.map((it) => it.status))).toEqual(new Set([201]));
    const messages = await walk(ada, conversation.messages, "before");
    expect(messages.map((it) => it.sequence)).toEqual(Array.from(keys, (_, n) => keys.length - n));

    // A worker that only polls finds a job after 1 s on average, and one that listens within milliseconds.
    const [waits, slowdowns]: [number[], number[]] = [[], []];
    for (let n = 0; n < 5; n++) {
      slowdowns.push(crowding());
      const job = await finished(ada, await upload(ada, Buffer.from("not a video")));
      waits.push(Date.parse(job.started_at) - Date.parse(job.created_at));
    }
    expect(waits.sort((a, b) => a - b)[2]).toBeLessThan(500 * Math.max(...slowdowns));
  }, 120_000);

  it("a start fails without a direct URL, and if the two URLs lead to different databases", async () => {
    expect(await refusal({ DATABASE_URL: pooler.url })).toMatch(/is behind a pooler, .*set DIRECT_DATABASE_URL/);
    expect(await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: pooler.url })).toMatch(/is behind a pooler/);
    await using other = await createTestDatabase();
    expect(await refusal({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: other.url })).toBe(
      "DATABASE_URL and DIRECT_DATABASE_URL lead to different databases.",
    );
  });
});
