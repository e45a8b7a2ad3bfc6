import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { exportJWK, generateKeyPair } from "jose";
import { readMigrations } from "../../src/database/migrate.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { createTestDatabase, openSession, type TestDatabase, withDatabase } from "../support/database.ts";
import { createDeployment } from "../support/deployment.ts";
import { examine } from "./support/doctor.ts";
import { startKeyServer } from "../support/key-server.ts";
import { itNeeds } from "../support/needs.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";
import { freePorts } from "../support/ports.ts";
import { run, temporaryDataDir } from "../support/running.ts";
import { s3rver, type S3Server } from "../support/s3-server.ts";
import { createEndpoint } from "../support/receiver.ts";
import { createIssuer } from "../support/tokens.ts";
import type { Settings } from "../support/plumbline.ts";
import { smallClip, upload } from "../support/videos.ts";

const SECRET = "J4x0vN8mQz2rTb6yLw9eKs3uHd5gPc7a";
const PRODUCTION = {
  NODE_ENV: "production",
  CURSOR_SECRETS: SECRET,
  PUBLIC_URL: "https://plumb.example.com",
  TRUST_PROXY: "1",
  SHUTDOWN_DELAY_SECONDS: "5",
  RATE_LIMITS: "default=600/60",
};

async function ask(url: string, ...statements: readonly string[]): Promise<void> {
  await using client = await openSession(url);
  for (const statement of statements) await client.query(statement);
}

describe("of a healthy deployment, plumbline doctor", () => {
  let postgres: EmbeddedPostgres & { readonly folder: Awaited<ReturnType<typeof temporaryDataDir>> };
  beforeAll(async () => {
    const folder = await temporaryDataDir();
    postgres = { ...(await startEmbeddedPostgres({ dataDir: folder.path })), folder };
  });
  afterAll(async () => {
    await postgres.stop();
    await postgres.folder[Symbol.asyncDispose]();
  });

  it("finds no fault and no warning, and exits with 0", async () => {
    await using dataDir = await temporaryDataDir();
    await using issuer = await createIssuer();
    const settings = { ...PRODUCTION, ...issuer.settings, DATABASE_URL: postgres.url, DATA_DIR: dataDir.path };
    await using service = run(settings);
    await service.ready();
    const { exit, findings } = await examine({ ...settings, MEDIA_ENGINE: "wasm" });
    const others = findings.filter(({ level, check }) => level !== "good" && check !== "media_engine");
    expect(others).toEqual([]);
    expect(exit).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        "settings",
        "jwt_keys",
        "migrations",
        "indexes",
        "job_queue",
        "connections",
        "durability",
        "clock",
        "object_store",
        "schedules",
      ]),
    );
  });

  it("says what an empty database lacks, and leaves it empty", async () => {
    await using dataDir = await temporaryDataDir();
    await ask(postgres.url, "CREATE DATABASE empty");
    const url = withDatabase(postgres.url, "empty");
    const { of, exit } = await examine({ ...PRODUCTION, DATABASE_URL: url, DATA_DIR: join(dataDir.path, "new") });
    expect(exit).toBe(1);
    expect(of("migrations")).toMatchObject({ level: "fault", sentence: expect.stringMatching(/lacks (\d+) of \1 migrations/) });
    expect(of("schedules")?.level).toBe("warning");
    await ask(url, "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM pg_tables WHERE schemaname IN ('public', 'pgboss')); END $$");
    await expect(chmod(join(dataDir.path, "new"), 0o755)).rejects.toThrow("ENOENT");
  });

  it("checks the embedded database only while it runs, and doesn't create one", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = { DATA_DIR: join(dataDir.path, "data") };
    expect((await examine(settings)).of("database")?.sentence).toMatch(/embedded database doesn't run/);
    await using service = run(settings);
    await service.ready();
    const { exit, of } = await examine(settings);
    expect({ exit, migrations: of("migrations")?.level }).toEqual({ exit: 0, migrations: "good" });
  });
});

describe("plumbline doctor finds a fault in", () => {
  let database: TestDatabase;
  let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
  let settings: Settings;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await temporaryDataDir();
  });
  beforeEach(() => {
    settings = { NODE_ENV: "test", DATABASE_URL: database.url, DATA_DIR: dataDir.path };
  });
  afterAll(async () => {
    await database.drop();
    await dataDir[Symbol.asyncDispose]();
  });

  it("settings that are missing or not valid, all at once", async () => {
    for (const [wrong, names] of [
      [{ NODE_ENV: "production" }, /DATABASE_URL.*CURSOR_SECRETS/],
      [{ PORT: "x", ROLE: "x" }, /ROLE.*PORT/],
    ] as const) {
      const { exit, findings } = await examine(wrong);
      expect({ exit, findings }).toMatchObject({ exit: 1, findings: [{ check: "settings", level: "fault" }] });
      expect(findings[0]!.sentence).toMatch(names);
    }
  });

  it("the settings of production: weak secrets, http, a proxy that isn't trusted, no delay, no limits, wrong origins", async () => {
    const { exit, of } = await examine({
      ...settings,
      NODE_ENV: "production",
      CURSOR_SECRETS: "canary-secret-of-the-team",
      PUBLIC_URL: "http://plumb.example.com",
      CORS_ORIGINS: "https://app.example.com/",
      RATE_LIMITS: "off",
    });
    expect(exit).toBe(1);
    expect(of("cursor_secrets")).toMatchObject({ level: "warning", sentence: expect.stringContaining("openssl rand") });
    expect(of("public_url")).toMatchObject({ level: "fault", sentence: expect.stringContaining("use https") });
    expect(of("cors")).toMatchObject({ level: "fault", sentence: expect.stringContaining("https://app.example.com/,") });
    expect(of("rate_limits")?.level).toBe("warning");
    expect(of("shutdown_delay")?.level).toBe("warning");
    const behindProxy = await examine({ ...settings, ...PRODUCTION, TRUST_PROXY: "0" });
    expect(behindProxy.of("trust_proxy")).toMatchObject({
      level: "warning",
      sentence: expect.stringContaining("TRUST_PROXY is 0"),
    });
    // The server of the tests keeps nothing in a crash.
    expect(behindProxy.of("durability")).toMatchObject({ level: "fault", sentence: expect.stringContaining("fsync=off") });
  });

  it("the address and the password of the database, without showing the password", async () => {
    const [port] = await freePorts(1);
    const away = await examine({ ...settings, DATABASE_URL: `postgresql://plumb:canary-9@127.0.0.1:${port}/plumb` });
    expect(away.of("database")).toMatchObject({ level: "fault", sentence: expect.stringContaining("ECONNREFUSED") });
    const wrong = await examine({ ...settings, DATABASE_URL: database.url.replace(/:[^:@/]+@/, ":wrong-password@") });
    expect(wrong.of("database")?.sentence).toMatch(/password authentication failed/);
  });

  it("the migrations: a missing one, and one of a newer version", async () => {
    const other = await createTestDatabase();
    try {
      await ask(
        other.url,
        "DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)",
      );
      const { of } = await examine({ ...settings, DATABASE_URL: other.url });
      expect(of("migrations")).toMatchObject({
        level: "fault",
        sentence: expect.stringMatching(/lacks 1 of .* `npm run migrate`/),
      });
      const { name } = readMigrations().at(-1)!;
      const add = (migration: string, finishedAt: string, checksum: string) =>
        ask(
          other.url,
          `INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at) VALUES ('${migration.slice(0, 14)}', '${migration}', '${checksum}', ${finishedAt})`,
        );
      await add(name, "now()", readMigrations().at(-1)!.checksum);
      expect((await examine({ ...settings, DATABASE_URL: other.url })).of("migrations")?.level).toBe("good");
      await ask(other.url, "DROP FUNCTION notify_users");
      expect((await examine({ ...settings, DATABASE_URL: other.url })).of("migrations")).toMatchObject({
        level: "fault",
        sentence: expect.stringMatching(/lacks the functions of this version \(notify_users\); run `npm run migrate`/),
      });
      await migrateDatabase(other.url);
      await add("30000101000000_newer", "now()", "");
      const newer = await examine({ ...settings, DATABASE_URL: other.url });
      expect(newer.of("migrations")).toMatchObject({
        level: "warning",
        sentence: expect.stringContaining("30000101000000_newer of a newer version"),
      });
      await add("30000102000000_broken", "NULL", "");
      const broken = await examine({ ...settings, DATABASE_URL: other.url });
      expect(broken.of("migrations")).toMatchObject({
        level: "fault",
        sentence: expect.stringContaining("30000102000000_broken, which this version does not know"),
      });
    } finally {
      await other.drop();
    }
  });

  it("an index whose build was interrupted, until it is built again", async () => {
    const other = await createTestDatabase();
    try {
      const indexes = async () => (await examine({ ...settings, DATABASE_URL: other.url })).of("indexes");
      // The second title is refused, and leaves the index behind.
      await ask(
        other.url,
        `INSERT INTO users (id, display_name) VALUES (gen_random_uuid(), 'Ada');
        INSERT INTO posts (id, author_id, title, body) SELECT gen_random_uuid(), id, 'Twice', '' FROM users, generate_series(1, 2)`,
      );
      await expect(ask(other.url, "CREATE UNIQUE INDEX CONCURRENTLY posts_title ON posts (title)")).rejects.toThrow(
        "posts_title",
      );
      expect(await indexes()).toMatchObject({
        level: "fault",
        sentence: expect.stringMatching(/interrupted: posts_title\. .*REINDEX/),
      });
      await ask(other.url, "DELETE FROM posts");
      await ask(other.url, "REINDEX INDEX CONCURRENTLY posts_title");
      expect(await indexes()).toMatchObject({ level: "good" });
    } finally {
      await other.drop();
    }
  });

  it("the schema of the job queue: an older one, and one of a newer version", async () => {
    const other = await createTestDatabase();
    try {
      for (const [change, level, sentence] of [
        ["UPDATE pgboss.version SET version = 42", "fault", /has schema 42, .* `npm run migrate`/],
        [
          "UPDATE pgboss.version SET version = 999; COMMENT ON TABLE pgboss.version IS NULL",
          "fault",
          /has schema 999, .* start the newer version/,
        ],
        ["COMMENT ON TABLE pgboss.version IS 'works with the code for schema 43 and later'", "warning", /works with it, but/],
        ["DROP SCHEMA pgboss CASCADE", "fault", /has no schema, .* `npm run migrate`/],
      ] as const) {
        await ask(other.url, change);
        const { of } = await examine({ ...settings, DATABASE_URL: other.url });
        expect(of("job_queue")).toMatchObject({ level, sentence: expect.stringMatching(sentence) });
      }
    } finally {
      await other.drop();
    }
  });

  it("the number of connections", async () => {
    const { of } = await examine({ ...settings, DATABASE_POOL_SIZE: "200" });
    expect(of("connections")).toMatchObject({ level: "fault", sentence: expect.stringContaining("not even one process fits") });
  });

  itNeeds("pgbouncer", "a pooler without a direct URL, a pooler as the direct URL, and two databases", async () => {
    const own = await createTestDatabase();
    const name = new URL(own.url).pathname.slice(1);
    try {
      await using pooler = await startPgBouncer(own.url);
      const bare = await examine({ ...settings, DATABASE_URL: pooler.url });
      expect(bare.of("database")?.sentence).toMatch(/lack settings; run these statements/);
      const wanted = {
        statement_timeout: "10s",
        lock_timeout: "5s",
        idle_in_transaction_session_timeout: "10s",
        TimeZone: "UTC",
      };
      await ask(own.url, ...Object.entries(wanted).map(([key, value]) => `ALTER DATABASE ${name} SET ${key} = '${value}'`));
      await pooler.reconnect();
      const shorter = await examine({ ...settings, DATABASE_URL: pooler.url, DATABASE_STATEMENT_TIMEOUT_SECONDS: "2" });
      expect(shorter.of("database")?.sentence).toMatch(/SET statement_timeout = '2s'; .* SET lock_timeout = '1s'/);
      const pooled = await examine({ ...settings, DATABASE_URL: pooler.url });
      expect(pooled.of("pooler")).toMatchObject({ level: "fault", sentence: expect.stringContaining("set DIRECT_DATABASE_URL") });
      const twice = await examine({ ...settings, DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: pooler.url });
      expect(twice.of("pooler")?.sentence).toMatch(/leads to a pooler, too/);
      const different = await examine({ ...settings, DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url });
      expect(different.of("same_database")).toMatchObject({
        level: "fault",
        sentence: expect.stringContaining("different databases"),
      });
      const right = await examine({ ...settings, DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: own.url });
      expect([right.of("pooler")?.level, right.of("same_database")?.level]).toEqual(["good", "good"]);
    } finally {
      await own.drop();
    }
  });

  itNeeds("faketime", "the clock of this machine", async () => {
    const { of } = await examine(settings, ["faketime", "-f", "+1h"]);
    expect(of("clock")).toMatchObject({ level: "fault", sentence: expect.stringMatching(/differ by 3[56]\d{5} ms/) });
  });

  it("the disk", async () => {
    const { of } = await examine({ ...settings, MIN_FREE_BYTES: String(2 ** 49) });
    expect(of("disk_space")).toMatchObject({ level: "fault", sentence: expect.stringContaining("every upload returns 503") });
    const file = join(dataDir.path, "file");
    await writeFile(file, "");
    expect((await examine({ ...settings, DATA_DIR: file })).of("data_folder")?.sentence).toMatch(/is not a folder/);
  });

  itNeeds("ordinary user", "the rights on DATA_DIR", async () => {
    const closed = join(dataDir.path, "closed");
    await mkdir(closed, { mode: 0o555 });
    expect((await examine({ ...settings, DATA_DIR: closed })).of("data_folder")?.level).toBe("fault");
  });

  it("the media engine", async () => {
    const { of } = await examine({ ...settings, MEDIA_ENGINE: "native", PATH: dataDir.path });
    expect(of("media_engine")).toMatchObject({ level: "fault", sentence: expect.stringContaining("ffmpeg was not found") });
    const slow = await examine({ ...settings, ...PRODUCTION, PATH: dataDir.path });
    expect(slow.of("media_engine")).toMatchObject({ level: "warning", sentence: expect.stringContaining("much slower") });
  });

  it("the key set: away, without usable keys, and with a private key", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const keySet = async (key: CryptoKey) => ({ body: JSON.stringify({ keys: [await exportJWK(key)] }) });
    await using server = await startKeyServer(await keySet(publicKey));
    const auth = { AUTH_JWKS: server.url, AUTH_ISSUER: "https://id.example.com", AUTH_AUDIENCE: "plumb" };
    expect((await examine({ ...settings, ...auth })).of("jwt_keys")).toMatchObject({
      level: "warning",
      sentence: expect.stringContaining("no key for EdDSA, RS256"),
    });
    const other = await examine({ ...settings, ...auth, AUTH_ALGORITHMS: "EdDSA" });
    expect(other.of("jwt_keys")).toMatchObject({ level: "fault", sentence: expect.stringContaining("every JWT is refused") });
    server.answers(await keySet(privateKey));
    expect((await examine({ ...settings, ...auth })).of("jwt_keys")?.sentence).toMatch(/contains a private key/);
    server.answers("hangs up");
    expect((await examine({ ...settings, ...auth })).of("jwt_keys")).toMatchObject({
      level: "fault",
      sentence: expect.stringContaining("cannot be read"),
    });
    const missing = await examine({ ...settings, ...auth, AUTH_JWKS: "/nowhere/jwks.json" });
    expect(missing.of("jwt_keys")?.sentence).toMatch(/ENOENT/);
  });
});

describe("plumbline doctor finds a fault in what a deployment keeps:", () => {
  it("jobs that wait or have failed, no worker, a lost store, and the store of another database", async () => {
    await using one = await createDeployment();
    await using two = await createDeployment();
    const settings = { NODE_ENV: "test", DATABASE_URL: one.databaseUrl, DATA_DIR: one.dataDir };
    await one.start("api");
    await two.start("api");
    await upload(await one.as(), await smallClip());
    const { of } = await examine(settings);
    expect(of("object_store")?.sentence).toMatch(/belongs to this database/);
    expect(of("waiting_jobs")?.sentence).toMatch(/1 jobs wait, /);
    expect(of("schedules")).toMatchObject({ level: "warning", sentence: expect.stringContaining("start a worker") });

    await ask(
      one.databaseUrl,
      "UPDATE pgboss.job SET created_on = now() - interval '1 hour', start_after = now() - interval '1 hour'",
    );
    const late = await examine(settings);
    expect(late.of("waiting_jobs")).toMatchObject({
      level: "warning",
      sentence: expect.stringMatching(/the oldest for 3[56]\d\d s/),
    });
    await ask(one.databaseUrl, "UPDATE pgboss.job SET state = 'failed' WHERE state = 'created'");
    const failed = await examine(settings);
    expect(failed.of("failed_jobs")).toMatchObject({ level: "warning", sentence: expect.stringContaining("failed permanently") });

    const foreign = await examine({ ...settings, DATA_DIR: two.dataDir });
    expect(foreign.of("object_store")).toMatchObject({ level: "fault", sentence: expect.stringContaining("another database") });
    const lost = await examine({ ...settings, DATA_DIR: join(one.dataDir, "elsewhere") });
    expect(lost.of("object_store")).toMatchObject({ level: "fault", sentence: expect.stringContaining("which has 1 videos") });
  });
});

describe("plumbline doctor finds a fault in webhooks:", () => {
  it("a proxy that is away, refuses the password, or leads to private addresses, and private addresses in production", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = { NODE_ENV: "test", DATA_DIR: dataDir.path };
    const said = async (more: Settings) => (await examine({ ...settings, ...more })).of("webhook_proxy");
    let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    const requests: string[] = [];
    const proxy = createServer((socket) => {
      socket
        .on("error", () => undefined)
        .on("data", (bytes) => {
          requests.push(bytes.toString());
          socket.write(answer);
        });
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const WEBHOOK_PROXY = `http://someone:canary@127.0.0.1:${port}`;

    expect(await said({ WEBHOOK_PROXY })).toMatchObject({ level: "good" });
    expect(requests[0]).toContain(`CONNECT localhost:${port} `);
    expect(requests[0]).toMatch(new RegExp(`^proxy-authorization: Basic ${btoa("someone:canary")}\r$`, "im"));
    answer = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
    expect(await said({ WEBHOOK_PROXY })).toMatchObject({ level: "fault", sentence: expect.stringContaining("password") });
    answer = "HTTP/1.1 200 Connection Established\r\n\r\n";
    expect(await said({ WEBHOOK_PROXY })).toMatchObject({ level: "fault", sentence: expect.stringContaining("localhost") });
    proxy.close();
    await once(proxy, "close");
    expect(await said({ WEBHOOK_PROXY })).toMatchObject({ level: "fault", sentence: expect.stringContaining("cannot be used") });
    expect(await said({ WEBHOOK_PROXY, ROLE: "api" })).toBeUndefined();

    const open = await examine({
      ...settings,
      ...PRODUCTION,
      DATABASE_URL: "postgres://127.0.0.1:9/none",
      WEBHOOK_PRIVATE_ADDRESSES: "on",
    });
    expect(open.of("webhook_addresses")).toMatchObject({ level: "warning" });
    for (const [more, level, sentence] of [
      [{}, "good", /only this machine/],
      [{ HOST: "0.0.0.0" }, "good", /only to https URLs/],
      [{ HOST: "0.0.0.0", WEBHOOK_PRIVATE_ADDRESSES: "on" }, "warning", /every user/],
    ] as const)
      expect((await examine({ ...settings, ...more })).of("webhook_addresses")).toMatchObject({
        level,
        sentence: expect.stringMatching(sentence),
      });
  });

  it("events that are due for long, and how many endpoints there are", async () => {
    await using deployment = await createDeployment();
    await deployment.start("api");
    const settings = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
    expect((await examine(settings)).of("webhooks")).toBeUndefined();
    const owner = await deployment.as();
    const { path } = await createEndpoint(owner, { url: "http://127.0.0.1:9999/" }, ["message.created"]);
    await createEndpoint(owner, { url: "http://127.0.0.1:9999/" }, ["message.created"]);
    await owner("POST", `${path}/deliveries`, {});
    expect((await examine(settings)).of("webhooks")).toMatchObject({
      level: "good",
      sentence: expect.stringMatching(/2 are active, 0 fail, and 0 are disabled; the event that waits the longest/),
    });
    await ask(deployment.databaseUrl, "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 hour'");
    expect((await examine(settings)).of("webhooks")).toMatchObject({
      level: "warning",
      sentence: expect.stringMatching(/due for 3[56]\d\d s/),
    });
    await owner("PATCH", path, { status: "disabled" });
    expect((await examine(settings)).of("webhooks")?.sentence).toMatch(/1 are active, 0 fail, and 1 are disabled/);
  });

  itNeeds("network namespace", "a worker without access to the internet, once there are endpoints", async () => {
    await using deployment = await createDeployment();
    await using sockets = await temporaryDataDir();
    // A socket in a folder, because the database is outside of the network namespace.
    const { hostname, port, username, password, pathname } = new URL(deployment.databaseUrl);
    const door = createServer((client) => {
      const server = connect(Number(port), hostname);
      for (const it of [client, server]) it.on("error", () => undefined);
      client.pipe(server).pipe(client);
    });
    await once(door.listen(join(sockets.path, ".s.PGSQL.5432")), "listening");
    try {
      const login = `${username}:${password}`;
      const DATABASE_URL = `postgresql://${login}@localhost${pathname}?host=${encodeURIComponent(sockets.path)}`;
      const settings = { NODE_ENV: "test", ROLE: "worker", DATABASE_URL, DATA_DIR: deployment.dataDir };
      const asItself = process.getuid?.() === 0 ? [] : ["--map-current-user"];
      const wayOut = async (more: Settings = {}) =>
        (await examine({ ...settings, ...more }, ["unshare", ...asItself, "--net", "--"])).of("webhook_way_out");
      await deployment.start("api");
      expect(await wayOut()).toBeUndefined();
      await createEndpoint(await deployment.as(), { url: "http://127.0.0.1:9999/" }, ["message.created"]);
      expect(await wayOut()).toMatchObject({ level: "warning", sentence: expect.stringContaining("no default route") });
      expect(await wayOut({ ROLE: "api" })).toBeUndefined();
      expect(await wayOut({ WEBHOOK_PROXY: "http://127.0.0.1:3128" })).toBeUndefined();
    } finally {
      door.close();
    }
  });
});

describe("plumbline doctor finds a fault in a bucket:", () => {
  let s3: S3Server;
  let database: TestDatabase;
  beforeAll(async () => {
    [s3, database] = await Promise.all([s3rver.start(), createTestDatabase()]);
  });
  afterAll(() => Promise.all([s3.stop(), database.drop()]));

  it("one that doesn't exist, a region that isn't known, and a server that is away", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = {
      NODE_ENV: "test",
      DATABASE_URL: database.url,
      DATA_DIR: dataDir.path,
      S3_ACCESS_KEY_ID: "S3RVER",
      S3_SECRET_ACCESS_KEY: "S3RVER",
      OBJECT_STORE: `s3://${s3.bucket}/doctor`,
    };
    const storeOf = async (changes: Settings) => (await examine({ ...settings, ...changes })).of("object_store");
    expect(await storeOf({ S3_ENDPOINT: s3.endpoint })).toMatchObject({ level: "good" });
    expect(await storeOf({ S3_ENDPOINT: s3.endpoint, OBJECT_STORE: "s3://no-such-bucket" })).toMatchObject({
      level: "fault",
      sentence: expect.stringContaining("no-such-bucket"),
    });
    expect((await storeOf({ AWS_CONFIG_FILE: "/nowhere" }))?.sentence).toMatch(/set S3_REGION/);
    const [port] = await freePorts(1);
    expect((await storeOf({ S3_ENDPOINT: `http://operator:canary-8@127.0.0.1:${port}` }))?.sentence).toMatch(/ECONNREFUSED/);
  }, 60_000);
});
