import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { readFunctions } from "../../src/database/functions.ts";
import { applyMissing, readMigrations } from "../../src/database/migrate.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { distribute as distributeIn } from "../../src/database/distribution/index.ts";
import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { startCitus, type CitusCluster } from "../support/citus.ts";
import { administer, openSession, withDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { describeNeeds } from "../support/needs.ts";
import { startPlumbline } from "../support/plumbline.ts";
import { SPLIT, splitShards } from "./support/split-shards.ts";

const STEPS = [
  "the setting that allows triggers",
  "the limit of a connection to a worker",
  "the lock timeout of the workers",
  "users on every node",
  "webhook_endpoints on every node",
  "functions on every node",
  "tables by conversation",
  "tables by user",
  "tables by post",
  "tables by url",
  "post_messages on the node of its rows",
];
const SHARDED = TABLE_DISTRIBUTIONS.filter(([, it]) => typeof it === "object").map(([name]) => name);

describeNeeds("citus", "plumbline database distribute", () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await startCitus();
  });
  afterAll(async () => cluster[Symbol.asyncDispose]());

  /** A migrated database on the coordinator, which the nodes have, too. */
  async function openDatabase({ connected = true } = {}): Promise<pg.Client & AsyncDisposable & { readonly url: string }> {
    const name = `distribute_${randomUUID().slice(0, 8)}`;
    await Promise.all(cluster.nodes.map(({ url }) => administer(url, `CREATE DATABASE ${name}`)));
    const url = withDatabase(cluster.url, name);
    await migrateDatabase(url);
    if (connected) await cluster.connect(name);
    return Object.assign(await openSession(url), { url });
  }
  const command = (url: string, ...options: string[]) =>
    startPlumbline({ DATABASE_URL: url }, "database", "distribute", ...options);
  async function distribute(url: string, ...options: string[]) {
    await using running = command(url, ...options);
    const code = await running.exited;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  }
  const doneIn = (stdout: string) => [...stdout.matchAll(/^Done: (.*?)(?:; rows .*)?\.$/gm)].map(([, step]) => step);
  const one = async (client: pg.Client, text: string, values: unknown[] = []) =>
    (await client.query<Record<string, unknown>>(text, values)).rows[0]!;

  /** Five users, each with a conversation that all are members of, a message, a post and a short URL. */
  async function fill(client: pg.Client): Promise<void> {
    await client.query(
      `INSERT INTO users (id, display_name) SELECT gen_random_uuid(), 'User ' || n FROM generate_series(1, 5) n`,
    );
    await client.query(`INSERT INTO conversations (id, created_by, last_sequence) SELECT gen_random_uuid(), id, 1 FROM users`);
    await client.query(`INSERT INTO members (conversation_id, user_id, role)
      SELECT c.id, u.id, CASE u.id WHEN c.created_by THEN 'owner' ELSE 'member' END FROM conversations c, users u`);
    await client.query(`INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
      SELECT gen_random_uuid(), id, 1, created_by, 'Hello', 'k' FROM conversations`);
    await client.query(
      `INSERT INTO posts (id, author_id, title, body, updated_at) SELECT gen_random_uuid(), id, 't', 'b', now() FROM users`,
    );
    await client.query(
      `INSERT INTO short_urls (id, owner_id, target_url) SELECT 'u' || id, id, 'https://example.com' FROM users`,
    );
    await client.query(`INSERT INTO click_days (short_url_id, day, click_count) SELECT id, '2026-11-01', 3 FROM short_urls`);
    await client.query(`INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body)
      SELECT id, 'createPost', 'k', 'f', 201, '{}', '' FROM users`);
  }
  async function countsOf(client: pg.Client): Promise<Record<string, string>> {
    const counts: Record<string, string> = {};
    for (const [table] of TABLE_DISTRIBUTIONS)
      counts[table] = String((await one(client, `SELECT count(*) FROM ${table}`))["count"]);
    return counts;
  }
  const CATALOGUE = `SELECT
    ARRAY(SELECT conrelid::regclass || ' ' || conname || ' ' || regexp_replace(pg_get_constraintdef(oid), 'users_\\d+', 'users') FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid::regclass::text !~ '_\\d+$' ORDER BY 1) AS keys,
    ARRAY(SELECT tgrelid::regclass || ' ' || tgname FROM pg_trigger
      WHERE NOT tgisinternal AND tgname !~ '^truncate_trigger|_\\d+$' ORDER BY 1) AS triggers`;
  type Catalogue = { readonly keys: string[]; readonly triggers: string[] };
  const catalogueOf = async (client: pg.Client) => (await one(client, CATALOGUE)) as Catalogue;

  it("explains what to do with a database without Citus", async () => {
    await using database = await openDatabase({ connected: false });
    const { code, stderr } = await distribute(database.url, "--yes");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/no extension citus; install Citus on every node/),
    });
  });

  it.each(["0", "x", "65000"])("refuses %s shards", async (shards) => {
    const { code, stderr } = await distribute("postgresql://127.0.0.1:1/none", "--shards", shards);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^\S+ is not a number of shards: 1 to 64000\.\n/),
    });
  });

  it("explains what to do without a worker", async () => {
    await using database = await openDatabase({ connected: false });
    await database.query("CREATE EXTENSION citus");
    await database.query("SELECT citus_set_coordinator_host('127.0.0.1', $1)", [Number(new URL(database.url).port)]);
    const { code, stderr } = await distribute(database.url, "--yes");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/has no worker; run SELECT citus_add_node/) });
  });

  it("shows every step, and changes nothing without --yes", async () => {
    await using database = await openDatabase();
    await fill(database);
    const before = await catalogueOf(database);
    const { code, stdout } = await distribute(database.url);
    expect({ code, steps: STEPS.filter((it) => stdout.includes(`\n${it}\n`)) }).toEqual({ code: 0, steps: STEPS });
    expect(stdout).toContain("members 25");
    expect(stdout).toContain("create_distributed_table('distributing.members', 'conversation_id'");
    expect(await catalogueOf(database)).toEqual(before);
  });

  it.each([
    ["two shards for each worker", [], 4],
    ["the number of shards of --shards", ["--shards", "3"], 3],
  ])("distributes an empty database over %s", async (_, options, shards) => {
    await using database = await openDatabase();
    const { code, stdout } = await distribute(database.url, "--yes", ...options);
    expect({ code, steps: doneIn(stdout) }).toEqual({ code: 0, steps: STEPS });
    expect(stdout).toContain("citus_add_node");
    const { rows } = await database.query<{ name: string; kind: string; shards: number }>(
      "SELECT table_name::text AS name, citus_table_type AS kind, shard_count::int AS shards FROM citus_tables ORDER BY 1",
    );
    const named = (kind: string) => rows.filter((it) => it.kind === kind).map(({ name }) => name);
    expect(named("distributed")).toEqual(SHARDED.toSorted());
    expect(named("reference")).toEqual(["users", "webhook_endpoints"]);
    for (const it of rows.filter(({ kind }) => kind === "distributed")) expect(it.shards).toBe(shards);
    // Those of the coordinator are ordinary tables.
    expect(rows).toHaveLength(SHARDED.length + 2);
  });

  it("keeps all rows when its shards are split with the statement of prisma/DISTRIBUTED.md", async () => {
    await using database = await openDatabase();
    await fill(database);
    expect((await distribute(database.url, "--yes", "--shards", "1")).code).toBe(0);
    const counts = await countsOf(database);
    for (const table of SPLIT) await splitShards(async (statement) => (await database.query(statement)).rows, table);
    const { rows } = await database.query<{ n: number }>(
      "SELECT shard_count::int AS n FROM citus_tables WHERE citus_table_type = 'distributed'",
    );
    expect(rows.map(({ n }) => n)).toEqual(SHARDED.map(() => 2));
    expect(await countsOf(database)).toEqual(counts);
  });

  it("keeps rows, foreign keys and triggers, and is done after one run", async () => {
    await using database = await openDatabase();
    await fill(database);
    const [counts, { keys, triggers }] = [await countsOf(database), await catalogueOf(database)];
    expect(await distribute(database.url, "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/tables by conversation; rows before and after: members 25/),
    });
    expect(await countsOf(database)).toEqual(counts);
    const isLeft =
      "SELECT relname FROM pg_class JOIN pg_dist_partition ON logicalrelid = pg_class.oid WHERE pg_relation_size(oid) > 0";
    expect((await database.query(isLeft)).rows).toEqual([]);
    const after = await catalogueOf(database);
    const isOnShardColumn = /^((members|messages) \w+_conversation_id|notifications \w+_user_id)_fkey/;
    expect(after.keys).toEqual(keys.map((it) => (isOnShardColumn.test(it) ? it.replace(" ON UPDATE CASCADE", "") : it)));
    expect(after.triggers).toEqual([...triggers, "notifications stamp_event"].sort());
    expect(await distribute(database.url, "--yes")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing to do/) });
  });

  it("keeps columns, indexes, views, owners and rights", async () => {
    await using database = await openDatabase();
    await fill(database);
    await database.query("GRANT SELECT, INSERT ON messages TO pg_monitor; ALTER TABLE posts OWNER TO pg_monitor");
    const propertiesOf = async () => {
      const { rows } = await database.query<{ property: string }>(
        `SELECT concat_ws(' ', attrelid::regclass, attname, attnum, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) AS property
          FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attrelid = ANY ($1::regclass[]) AND attnum > 0 AND NOT attisdropped
        UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = ANY ($1::regclass[])
        UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
          WHERE conrelid = ANY ($1::regclass[]) AND contype IN ('c', 'p', 'u', 'x')
        UNION ALL SELECT concat_ws(' ', oid::regclass, relowner::regrole, relacl) FROM pg_class WHERE oid = ANY ($1::regclass[])
        UNION ALL SELECT pg_get_viewdef('conversations_of_members'::regclass) ORDER BY 1`,
        [SHARDED],
      );
      // PostgreSQL reads its own words for a list of texts in another way.
      return rows.map(({ property }) => property.replaceAll(/::text\b|::character varying|\[\]|[()]/g, ""));
    };
    const before = await propertiesOf();
    expect((await distribute(database.url, "--yes")).code).toBe(0);
    const replaced = [
      "CREATE UNIQUE INDEX messages_id_key ON public.messages USING btree id",
      "CREATE UNIQUE INDEX notifications_pkey ON public.notifications USING btree id",
      "notifications notifications_pkey PRIMARY KEY id",
    ];
    const by = [
      "CREATE UNIQUE INDEX messages_conversation_id_id_key ON public.messages USING btree conversation_id, id",
      "CREATE UNIQUE INDEX notifications_pkey ON public.notifications USING btree user_id, id",
      "notifications notifications_pkey PRIMARY KEY user_id, id",
    ];
    expect((await propertiesOf()).sort()).toEqual([...before.filter((it) => !replaced.includes(it)), ...by].sort());
    expect(await one(database, "SELECT count(*)::int AS n FROM conversations_of_members WHERE excerpt = 'Hello'")).toEqual({
      n: 25,
    });
  });

  it("leaves triggers and foreign keys that work", async () => {
    await using filled = await openDatabase();
    await fill(filled);
    expect((await distribute(filled.url, "--yes")).code).toBe(0);
    await using database = await openSession(filled.url);
    const { id } = await one(database, "SELECT id FROM conversations LIMIT 1");
    const stateOf = () => one(database, "SELECT member_count, members_version FROM conversations WHERE id = $1", [id]);
    const newcomer = randomUUID();
    await database.query("INSERT INTO users (id, display_name) VALUES ($1, 'Newcomer')", [newcomer]);
    await database.query("INSERT INTO members (conversation_id, user_id, role) VALUES ($1, $2, 'member')", [id, newcomer]);
    expect(await stateOf()).toEqual({ member_count: 6, members_version: 2 });
    const joined = "SELECT last_read_sequence FROM members WHERE conversation_id = $1 AND user_id = $2";
    expect(await one(database, joined, [id, newcomer])).toEqual({ last_read_sequence: 1 });
    await database.query("DELETE FROM members WHERE conversation_id = $1 AND user_id = $2", [id, newcomer]);
    expect(await stateOf()).toEqual({ member_count: 5, members_version: 3 });
    expect(await countsOf(database)).toMatchObject({ former_members: "1", members: "25" });
    await database.query("DELETE FROM conversations WHERE id = $1", [id]);
    expect(await countsOf(database)).toMatchObject({ former_members: "0", members: "20", messages: "4", conversations: "4" });
    await database.query("UPDATE short_urls SET deleted_at = now() WHERE id = (SELECT min(id) FROM short_urls)");
    expect(await countsOf(database)).toMatchObject({ short_urls: "5", click_days: "4" });
    await database.query("BEGIN");
    await database.query(
      `INSERT INTO notifications (id, user_id, kind, title, resource_type, resource_id, resource_href)
        VALUES (gen_random_uuid(), $1, 'k', 't', 'r', 'r', '/')`,
      [newcomer],
    );
    // Of the node with the row, which is asked for both.
    const isOfNode = "SELECT xact_id::text = pg_current_xact_id()::text AS is_of_node FROM notifications WHERE user_id = $1";
    expect(await one(database, isOfNode, [newcomer])).toEqual({ is_of_node: true });
    await database.query("COMMIT");
    await database.query("INSERT INTO storage_usage (user_id, size_bytes) VALUES ($1, 0)", [newcomer]);
    await database.query("DELETE FROM users WHERE id = $1", [newcomer]);
    expect(await countsOf(database)).toMatchObject({ users: "5", storage_usage: "0" });
    await expect(database.query("DELETE FROM users")).rejects.toMatchObject({ code: "23503" });
    const insert = "INSERT INTO posts (id, author_id, title, body, updated_at) VALUES (gen_random_uuid(), $1, 't', 'b', now())";
    await expect(database.query(insert, [randomUUID()])).rejects.toMatchObject({ code: "23503" });
  });

  /** Waits until another session than `client` has a lock on a table, or waits for one. */
  const locked = (client: pg.Client, table: string, mode: string, granted: boolean) =>
    eventually(`a lock on ${table}`, async () => {
      const found =
        "SELECT 1 FROM pg_locks WHERE relation = $1::regclass AND mode = $2 AND granted = $3 AND pid <> pg_backend_pid()";
      return (await client.query(found, [table, mode, granted])).rows.length > 0;
    });
  const CANCELED = expect.objectContaining({ code: "57014" });

  it("cancels a request that has one of its tables and waits for another", async () => {
    await using database = await openDatabase();
    await using request = await openSession(database.url);
    await request.query("BEGIN; LOCK TABLE conversations IN ACCESS SHARE MODE");
    await using running = command(database.url, "--yes");
    await locked(database, "users", "AccessExclusiveLock", true);
    expect(await request.query("LOCK TABLE users IN ACCESS SHARE MODE").catch((error: unknown) => error)).toEqual(CANCELED);
    await request.query("ROLLBACK");
    expect(await running.exited).toBe(0);
    expect(running.stdout()).not.toContain("cannot lock");
  });

  it("tries a step again after a pause if Citus cancels it", async () => {
    await using database = await openDatabase();
    await using request = await openSession(database.url);
    await request.query("BEGIN; LOCK TABLE conversations IN ACCESS SHARE MODE");
    await using running = command(database.url, "--yes");
    await locked(database, "conversations", "AccessExclusiveLock", false);
    await database.query(
      "SELECT pg_cancel_backend(pid) FROM pg_locks WHERE relation = 'conversations'::regclass AND NOT granted",
    );
    await eventually("the pause", () => running.stdout().includes('"users on every node" cannot lock its tables yet'), 20_000);
    await request.query("ROLLBACK");
    expect(await running.exited).toBe(0);
    expect(doneIn(running.stdout())).toEqual(STEPS);
  });

  /** Takes the steps before `next`, and returns the others. */
  async function takeFirstSteps(url: string, next: string): Promise<string[]> {
    const count = STEPS.indexOf(next);
    await withMigrationSession(url, {}, (session) =>
      distributeIn(session, TABLE_DISTRIBUTIONS, ({ title }) => {
        if (title === STEPS[count - 1]) throw new Error("Enough");
      }),
    ).catch(() => undefined);
    return STEPS.slice(count);
  }

  it("cancels a request that waits for it and has a table that PostgreSQL or Citus locks at the end of a step", async () => {
    await using database = await openDatabase();
    const left = await takeFirstSteps(database.url, "tables by conversation");
    // As a request does it, which locks the table of the coordinator. Citus sends LOCK TABLE to all nodes, in an order of its own.
    const writeTo = (table: string) => `DELETE FROM ${table} WHERE false`;
    await using other = await openSession(database.url);
    await other.query(`BEGIN; ${writeTo("conversations")}`);
    await using request = await openSession(database.url);
    await request.query(`SET lock_timeout = '20s'; BEGIN; ${writeTo("posts")}`);
    await using running = command(database.url, "--yes");
    await locked(database, "conversations", "ShareRowExclusiveLock", false);
    const waiting = request.query(writeTo("messages")).catch((error: unknown) => error);
    await locked(database, "messages", "RowExclusiveLock", false);
    await other.query("COMMIT");
    expect(await waiting).toEqual(CANCELED);
    await request.query("ROLLBACK");
    expect(await running.exited).toBe(0);
    expect(doneIn(running.stdout())).toEqual(left);
  });

  it("waits for a dump on the coordinator, which has locks on all nodes", async () => {
    await using database = await openDatabase();
    const left = await takeFirstSteps(database.url, "tables by conversation");
    await using dump = await openSession(database.url);
    await dump.query("BEGIN; LOCK TABLE conversations IN ACCESS SHARE MODE");
    await using running = command(database.url, "--yes");
    await locked(database, "conversations", "AccessExclusiveLock", false);
    await dump.query("ROLLBACK");
    expect(await running.exited).toBe(0);
    expect(doneIn(running.stdout())).toEqual(left);
  });

  it("continues after the command was killed", async () => {
    await using database = await openDatabase();
    await fill(database);
    const [counts, { keys }] = [await countsOf(database), await catalogueOf(database)];
    await using running = command(database.url, "--yes");
    while (!running.stdout().includes("Done: users on every node")) await once(running.child.stdout!, "data");
    running.child.kill("SIGKILL");
    await running.exited;
    const { code, stdout } = await distribute(database.url, "--yes");
    expect({ code, steps: doneIn(stdout) }).toEqual({ code: 0, steps: STEPS.slice(-doneIn(stdout).length) });
    expect(doneIn(stdout).length).toBeLessThan(STEPS.length - 3);
    expect(await countsOf(database)).toEqual(counts);
    expect((await catalogueOf(database)).keys).toHaveLength(keys.length);
  });

  it("continues after a worker was unavailable", async () => {
    await using database = await openDatabase();
    await fill(database);
    const counts = await countsOf(database);
    const [worker] = cluster.workers;
    await worker!.kill();
    const failed = await distribute(database.url, "--yes");
    await worker!.start();
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The step ".*" failed, and has changed nothing: /) });
    expect((await distribute(database.url, "--yes")).code).toBe(0);
    expect(await countsOf(database)).toEqual(counts);
  });

  it("leaves a database that later migrations and functions can change", async () => {
    await using database = await openDatabase();
    await fill(database);
    await distribute(database.url, "--yes");
    expect(await migrateDatabase(database.url)).toEqual([]);
    // A trigger needs the other one.
    const dropped = readFunctions().flatMap(({ name }) => (name === "stamp_event" ? [] : [name]));
    for (const name of dropped) await database.query(`DROP FUNCTION ${name}`);
    expect(await migrateDatabase(database.url)).toEqual(dropped);
    const later = [
      "ALTER TABLE posts ADD COLUMN note VARCHAR(10)",
      "CREATE INDEX CONCURRENTLY posts_note_idx ON posts (note)",
      "ALTER TABLE members ADD CONSTRAINT members_test CHECK (last_read_sequence >= 0) NOT VALID",
      "ALTER TABLE members VALIDATE CONSTRAINT members_test",
      "CREATE TABLE bookmarks (id UUID PRIMARY KEY, owner_id UUID NOT NULL REFERENCES users (id))",
    ].map((sql, n) => ({ name: `29990101000000_later_${n}`, sql, checksum: String(n) }));
    await withMigrationSession(database.url, {}, async (session) => {
      expect(await applyMissing(session, [...readMigrations(), ...later])).toEqual(later.map(({ name }) => name));
    });
    const onNodes = await database.query<{ result: string }>(
      `SELECT result FROM run_command_on_all_nodes($$SELECT count(*) FROM pg_proc WHERE proname = 'notify_users'$$)`,
    );
    expect(onNodes.rows.map(({ result }) => result)).toEqual(["1", "1", "1"]);
  });
});
