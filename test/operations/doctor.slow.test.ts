import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readMigrations } from "../../src/database/migrate.ts";
import { findEmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { createTestDatabase, withDatabase } from "../support/database.ts";
import { itNeeds } from "../support/needs.ts";
import { run, temporaryDataDir, type Settings } from "../support/processes.ts";
import { freePorts } from "../support/tcp-proxy.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint } from "../support/receiver.ts";
import { s3rver } from "../support/s3-server.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";
import { smallClip, upload } from "../support/videos.ts";
import { ask } from "./support/ask.ts";
import { examine, finding, found } from "./support/doctor.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";

const PRODUCTION = {
  NODE_ENV: "production",
  CURSOR_SECRETS: "J4x0vN8mQz2rTb6yLw9eKs3uHd5gPc7a",
  PUBLIC_URL: "https://plumb.example.com",
  TRUST_PROXY: "1",
  SHUTDOWN_DELAY_SECONDS: "5",
  RATE_LIMITS: "default=600/60",
};

describe("plumbline doctor", () => {
  it("checks the embedded database only while it runs, finds nothing wrong in a healthy deployment, and changes nothing", async () => {
    await using dataDir = await temporaryDataDir();
    await using issuer = await createIssuer();
    const embedded = { DATA_DIR: join(dataDir.path, "embedded") };
    expect(await finding("database", embedded)).toEqual(found("fault", /embedded database doesn't run/));
    expect(existsSync(embedded.DATA_DIR)).toBe(false);
    await using first = run({ ...embedded, NODE_ENV: "test" });
    await first.ready();
    const own = await examine(embedded);
    expect([own.findings.filter(({ level }) => level === "fault"), own.of("migrations")?.level]).toEqual([[], "good"]);

    // The server of the tests keeps nothing in a crash, but the embedded one does.
    const server = findEmbeddedPostgres(embedded.DATA_DIR)!;
    await ask(server, "CREATE DATABASE production", "CREATE DATABASE empty");
    const settings = { ...PRODUCTION, ...issuer.settings, DATA_DIR: join(dataDir.path, "production"), MEDIA_ENGINE: "wasm" };
    const [full, empty] = ["production", "empty"].map((name) => ({ ...settings, DATABASE_URL: withDatabase(server, name) }));
    await using service = run(full!);
    await service.ready();
    const { findings } = await examine(full!);
    expect(findings.filter(({ level, check }) => level !== "good" && check !== "media_engine")).toEqual([]);
    const checks =
      "environment cursor_secrets public_url trust_proxy cors rate_limits shutdown_delay webhook_addresses data_folder disk_space media_engine settings jwt_keys migrations indexes job_queue connections durability clock object_store schedules";
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(checks.split(" ")));

    const nothing = await examine({ ...empty!, DATA_DIR: join(dataDir.path, "new") });
    expect(nothing.of("migrations")).toEqual(found("fault", /lacks (\d+) of \1 migrations/));
    expect(nothing.of("schedules")?.level).toBe("warning");
    const isEmpty = "NOT EXISTS (SELECT FROM pg_tables WHERE schemaname IN ('public', 'pgboss'))";
    await ask(empty!.DATABASE_URL, `DO $$ BEGIN ASSERT ${isEmpty}; END $$`);
    expect(existsSync(join(dataDir.path, "new"))).toBe(false);
    // It stops its PostgreSQL.
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
  });
});

const database = prepare(createTestDatabase);
const dataDir = prepare(temporaryDataDir);
/** An API, because to look for the media engine of a worker takes the most time. */
const base = () => ({ NODE_ENV: "test", ROLE: "api", DATABASE_URL: database.url, DATA_DIR: dataDir.path });

describe("plumbline doctor finds what is wrong in", () => {
  it.each<[string, Settings, Record<string, ReturnType<typeof found>>]>([
    [
      "settings that are missing",
      { NODE_ENV: "production", DATABASE_URL: "" },
      { settings: found("fault", /DATABASE_URL.*CURSOR_SECRETS/) },
    ],
    ["settings that are not valid", { PORT: "x", ROLE: "x" }, { settings: found("fault", /ROLE.*PORT/) }],
    ["a server that keeps nothing in a crash", PRODUCTION, { durability: found("fault", /fsync=off/) }],
    ["the number of connections", { DATABASE_POOL_SIZE: "200" }, { connections: found("fault", /not even one process fits/) }],
    [
      "the address of the database",
      { DATABASE_URL: "postgresql://plumb:canary-9@127.0.0.1:1/plumb" },
      { database: found("fault", /ECONNREFUSED/) },
    ],
  ])("%s", async (_what, settings, expected) => {
    const { findings } = await examine({ ...base(), ...settings });
    expect(Object.fromEntries(findings.map((it) => [it.check, it]))).toMatchObject(expected);
    if ("settings" in expected) expect(findings).toHaveLength(1);
  });

  it("the password of the database, without showing it", async () => {
    const DATABASE_URL = database.url.replace(/:[^:@/]+@/, ":wrong-password@");
    expect(await finding("database", { ...base(), DATABASE_URL })).toEqual(found("fault", /password authentication failed/));
  });

  itNeeds("faketime", "the clock of this machine", async () => {
    expect(await finding("clock", base(), ["faketime", "-f", "+1h"])).toEqual(found("fault", /differ by 3[56]\d{5} ms/));
  });

  itNeeds("ordinary user", "the rights on DATA_DIR", async () => {
    const closed = join(dataDir.path, "closed");
    await mkdir(closed, { mode: 0o555 });
    expect(await finding("data_folder", { ...base(), DATA_DIR: closed })).toMatchObject({ level: "fault" });
  });

  it("the database: migrations, functions, indexes and the job queue that are missing, unfinished, or of a newer version", async () => {
    await using own = await createTestDatabase();
    const { name, checksum } = readMigrations().at(-1)!;
    const forget = `DELETE FROM _prisma_migrations WHERE migration_name = '${name}'`;
    const add = (migration: string, finishedAt: string, sum = "") => `
      INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at)
      VALUES ('${migration.slice(0, 14)}', '${migration}', '${sum}', ${finishedAt})`;
    const twoPosts = `INSERT INTO users (id, display_name) VALUES (gen_random_uuid(), 'Ada');
      INSERT INTO posts (id, author_id, title, body) SELECT gen_random_uuid(), id, 'Twice', '' FROM users, generate_series(1, 2)`;
    await ask(own.url, twoPosts);
    // The second title is refused, and leaves the index behind.
    const build = ask(own.url, "CREATE UNIQUE INDEX CONCURRENTLY posts_title ON posts (title)");
    await expect(build).rejects.toThrow("posts_title");
    const version = (number: number, comment: string) =>
      `UPDATE pgboss.version SET version = ${number}; COMMENT ON TABLE pgboss.version IS ${comment}`;
    for (const [changes, check, level, sentence] of [
      [[], "indexes", "fault", /interrupted: posts_title\. .*REINDEX/],
      [["DELETE FROM posts", "REINDEX INDEX CONCURRENTLY posts_title"], "indexes", "good", /./],
      [[forget], "migrations", "fault", /lacks 1 of .* `npm run migrate`/],
      [[add(name, "now()", checksum)], "migrations", "good", /./],
      [
        ["DROP FUNCTION notify_users"],
        ...(["migrations", "fault", /lacks the functions of this version \(notify_users\); run `npm run migrate`/] as const),
      ],
      [["migrate", add("30000101000000_newer", "now()")], "migrations", "warning", /30000101000000_newer of a newer version/],
      [
        [add("30000102000000_broken", "NULL")],
        ...(["migrations", "fault", /30000102000000_broken, which this version does not know/] as const),
      ],
      [["UPDATE pgboss.version SET version = 42"], "job_queue", "fault", /has schema 42, .* `npm run migrate`/],
      [[version(999, "NULL")], "job_queue", "fault", /has schema 999, .* start the newer version/],
      [[version(999, "'works with the code for schema 43 and later'")], "job_queue", "warning", /works with it, but/],
      [["DROP SCHEMA pgboss CASCADE"], "job_queue", "fault", /has no schema, .* `npm run migrate`/],
    ] as const) {
      for (const change of changes) await (change === "migrate" ? migrateDatabase(own.url) : ask(own.url, change));
      expect(await finding(check, { ...base(), DATABASE_URL: own.url })).toEqual(found(level, sentence));
    }
  });

  itNeeds("pgbouncer", "a pooler without a direct URL, a pooler as the direct URL, and two databases", async () => {
    await using own = await createTestDatabase();
    await using pooler = await startPgBouncer(own.url);
    const pooled = { ...base(), DATABASE_URL: pooler.url };
    expect((await finding("database", pooled))?.sentence).toMatch(/lack settings; run these statements/);
    const wanted = {
      ...{ statement_timeout: "10s", lock_timeout: "5s", idle_in_transaction_session_timeout: "10s", TimeZone: "UTC" },
    };
    const name = new URL(own.url).pathname.slice(1);
    await ask(own.url, ...Object.entries(wanted).map(([key, value]) => `ALTER DATABASE ${name} SET ${key} = '${value}'`));
    await pooler.reconnect();
    const shorter = await finding("database", { ...pooled, DATABASE_STATEMENT_TIMEOUT_SECONDS: "2" });
    expect(shorter?.sentence).toMatch(/SET statement_timeout = '2s'; .* SET lock_timeout = '1s'/);
    expect(await finding("pooler", pooled)).toEqual(found("fault", /set DIRECT_DATABASE_URL/));
    expect((await finding("pooler", { ...pooled, DIRECT_DATABASE_URL: pooler.url }))?.sentence).toMatch(/leads to a pooler, too/);
    const different = await finding("same_database", { ...pooled, DIRECT_DATABASE_URL: database.url });
    expect(different).toEqual(found("fault", /different databases/));
    const { of } = await examine({ ...pooled, DIRECT_DATABASE_URL: own.url });
    expect([of("pooler")?.level, of("same_database")?.level]).toEqual(["good", "good"]);
  });

  it("a bucket that doesn't exist, a region that isn't known, and a server that is away", async () => {
    await using stack = new AsyncDisposableStack();
    const s3 = stack.adopt(await s3rver.start(), (it) => it.stop());
    const keys = { S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" };
    const storeOf = (more: Settings) =>
      finding("object_store", { ...base(), ...keys, OBJECT_STORE: `s3://${s3.bucket}/doctor`, ...more });
    expect(await storeOf({ S3_ENDPOINT: s3.endpoint })).toMatchObject({ level: "good" });
    const missing = await storeOf({ S3_ENDPOINT: s3.endpoint, OBJECT_STORE: "s3://no-such-bucket" });
    expect(missing).toEqual(found("fault", /no-such-bucket/));
    expect((await storeOf({ AWS_CONFIG_FILE: "/nowhere" }))?.sentence).toMatch(/set S3_REGION/);
    const [port] = await freePorts(1);
    expect((await storeOf({ S3_ENDPOINT: `http://operator:canary-8@127.0.0.1:${port}` }))?.sentence).toMatch(/ECONNREFUSED/);
  });
});

describe("plumbline doctor finds what is wrong in what a deployment keeps:", () => {
  const service = prepare(() => startTestService({ ROLE: "api" }));
  const two = prepare(() => startTestService({ ROLE: "api" }));
  const ofService = () => ({ NODE_ENV: "test", ROLE: "api", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir });

  it("jobs that wait or have failed, no worker, a lost store, and the store of another database", async () => {
    await upload(await service.as(), await smallClip());
    const { of } = await examine(ofService());
    expect(of("object_store")?.sentence).toMatch(/belongs to this database/);
    expect(of("waiting_jobs")?.sentence).toMatch(/1 jobs wait, /);
    expect(of("schedules")).toEqual(found("warning", /start a worker/));
    const hour = "now() - interval '1 hour'";
    await ask(service.databaseUrl, `UPDATE pgboss.job SET created_on = ${hour}, start_after = ${hour}`);
    expect(await finding("waiting_jobs", ofService())).toEqual(found("warning", /the oldest for 3[56]\d\d s/));
    await ask(service.databaseUrl, "UPDATE pgboss.job SET state = 'failed' WHERE state = 'created'");
    expect(await finding("failed_jobs", ofService())).toEqual(found("warning", /failed permanently/));
    const storeAt = (DATA_DIR: string) => finding("object_store", { ...ofService(), DATA_DIR });
    expect(await storeAt(two.dataDir)).toEqual(found("fault", /another database/));
    expect(await storeAt(join(service.dataDir, "elsewhere"))).toEqual(found("fault", /which has 1 videos/));
  });

  it("events that are due for long, and how many endpoints there are", async () => {
    const said = () => finding("webhooks", ofService());
    expect(await said()).toBeUndefined();
    const owner = await service.as();
    const { path } = await createEndpoint(owner, { url: "http://127.0.0.1:9999/" }, ["message.created"]);
    await createEndpoint(owner, { url: "http://127.0.0.1:9999/" }, ["message.created"]);
    await owner("POST", `${path}/deliveries`, {});
    const counts = /2 are active, 0 fail, and 0 are disabled; the event that waits the longest/;
    expect(await said()).toEqual(found("good", counts));
    await ask(service.databaseUrl, "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 hour'");
    expect(await said()).toEqual(found("warning", /due for 3[56]\d\d s/));
    await owner("PATCH", path, { status: "disabled" });
    expect((await said())?.sentence).toMatch(/1 are active, 0 fail, and 1 are disabled/);
  });

  itNeeds("network namespace", "a worker without access to the internet, once there are endpoints", async () => {
    await using sockets = await temporaryDataDir();
    // A socket in a folder, because the database is outside of the network namespace.
    const { hostname, port, username, password, pathname } = new URL(two.databaseUrl);
    const door = createServer((client) => {
      const server = connect(Number(port), hostname);
      for (const it of [client, server]) it.on("error", () => undefined);
      client.pipe(server).pipe(client);
    });
    await once(door.listen(join(sockets.path, ".s.PGSQL.5432")), "listening");
    const DATABASE_URL = `postgresql://${username}:${password}@localhost${pathname}?host=${encodeURIComponent(sockets.path)}`;
    const settings = { NODE_ENV: "test", ROLE: "worker", DATABASE_URL, DATA_DIR: two.dataDir };
    const asItself = process.getuid?.() === 0 ? [] : ["--map-current-user"];
    const wayOut = (more: Settings = {}) =>
      finding("webhook_way_out", { ...settings, ...more }, ["unshare", ...asItself, "--net", "--"]);
    try {
      expect(await wayOut()).toBeUndefined();
      await createEndpoint(await two.as(), { url: "http://127.0.0.1:9999/" }, ["message.created"]);
      expect(await wayOut()).toEqual(found("warning", /no default route/));
      expect(await wayOut({ ROLE: "api" })).toBeUndefined();
      expect(await wayOut({ WEBHOOK_PROXY: "http://127.0.0.1:3128" })).toBeUndefined();
    } finally {
      door.close();
    }
  });
});
