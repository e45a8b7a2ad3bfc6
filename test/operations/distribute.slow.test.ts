import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { readStatementFiles } from "../../scripts/generate/sql/read-statements.ts";
import { readFunctions } from "../../src/database/functions.ts";
import { applyMissing, readMigrations } from "../../src/database/migrate.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { distribute as distributeIn } from "../../src/database/distribution/index.ts";
import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { startCitus } from "../support/citus.ts";
import { administer, openSession, withDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { describeNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";
import { plumbline, startPlumbline } from "../support/processes.ts";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** The lists whose rows can be on every node: posts, and a user's short URLs and conversations. */
const LISTS: readonly string[] = [
  ...["findConversations", "findConversationsByActivity", "findMovedConversations", "findOwnUrls"],
  ...["findPosts", "findPostsByOffset", "findPostsOfAuthor", "findPostsOfAuthorByOffset"],
];
/** What jobs do with many rows at once without `:batch`. */
const OF_JOBS: readonly string[] = ["addClicks", "findOverdue", "purgeSome"];

/** A value of each type, so that a statement has a plan. */
const VALUES: Readonly<Record<string, string>> = {
  uuid: "00000000-0000-7000-8000-000000000001",
  "uuid[]": "{00000000-0000-7000-8000-000000000001}",
  text: "2026-01-01",
  "text[]": "{x}",
  "character varying": "x",
  "timestamp with time zone": "2026-01-01Z",
  "timestamp with time zone[]": "{2026-01-01Z}",
  boolean: "true",
  integer: "1",
  "integer[]": "{1}",
  bigint: "1",
  "double precision": "1",
  jsonb: "{}",
  bytea: "\\x00",
  xid8: "1",
};

/** The values of parameters that a statement converts. */
const TEXTS: Readonly<Record<string, string>> = { snapshot: "1:1:", conversationId: VALUES["uuid"]!, data: "{}", detail: "{}" };

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
  const cluster = prepare(() => startCitus());

  /** A migrated database on the coordinator, which the nodes have, too. */
  async function openDatabase({ connected = true } = {}): Promise<pg.Client & AsyncDisposable & { readonly url: string }> {
    const name = `distribute_${randomUUID().slice(0, 8)}`;
    await Promise.all(cluster.nodes.map(({ url }) => administer(url, `CREATE DATABASE ${name}`)));
    const url = withDatabase(cluster.url, name);
    await migrateDatabase(url);
    if (connected) await cluster.connect(name);
    return Object.assign(await openSession(url), { url });
  }
  const start = (url: string) => startPlumbline({ DATABASE_URL: url }, "database", "distribute", "--yes");
  const distribute = (url: string, ...options: string[]) =>
    plumbline({ DATABASE_URL: url }, "database", "distribute", ...options);
  const doneIn = (stdout: string) => [...stdout.matchAll(/^Done: (.*?)(?:; rows .*)?\.$/gm)].map(([, step]) => step);
  const one = async (client: pg.Client, text: string, values: unknown[] = []) =>
    (await client.query<Record<string, unknown>>(text, values)).rows[0]!;

  /** Five users, each with a conversation that all are members of, a message, a post and a short URL. */
  const fill = (client: pg.Client) =>
    client.query(`
      INSERT INTO users (id, display_name) SELECT gen_random_uuid(), 'User ' || n FROM generate_series(1, 5) n;
      INSERT INTO conversations (id, created_by, last_sequence) SELECT gen_random_uuid(), id, 1 FROM users;
      INSERT INTO members (conversation_id, user_id, role)
        SELECT c.id, u.id, CASE u.id WHEN c.created_by THEN 'owner' ELSE 'member' END FROM conversations c, users u;
      INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
        SELECT gen_random_uuid(), id, 1, created_by, 'Hello', 'k' FROM conversations;
      INSERT INTO posts (id, author_id, title, body, updated_at) SELECT gen_random_uuid(), id, 't', 'b', now() FROM users;
      INSERT INTO short_urls (id, owner_id, target_url) SELECT 'u' || id, id, 'https://example.com' FROM users;
      INSERT INTO click_days (short_url_id, day, click_count) SELECT id, '2026-11-01', 3 FROM short_urls;
      INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body)
        SELECT id, 'createPost', 'k', 'f', 201, '{}', '' FROM users`);
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
  async function propertiesOf(client: pg.Client): Promise<string[]> {
    const { rows } = await client.query<{ property: string }>(
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
  }

  it("explains what to do without Citus, and then without a worker", async () => {
    await using database = await openDatabase({ connected: false });
    const refusal = async () => {
      const { exit, stderr } = await distribute(database.url, "--yes");
      expect(exit).toBe(1);
      return stderr;
    };
    expect(await refusal()).toMatch(/no extension citus; install Citus on every node/);
    await database.query("CREATE EXTENSION citus");
    await database.query("SELECT citus_set_coordinator_host('127.0.0.1', $1)", [Number(new URL(database.url).port)]);
    expect(await refusal()).toMatch(/has no worker; run SELECT citus_add_node/);
  });

  describe("once, on a database with rows,", () => {
    let database: Awaited<ReturnType<typeof openDatabase>>;
    let before: Awaited<ReturnType<typeof stateOf>>;
    let [shown, done]: Awaited<ReturnType<typeof distribute>>[] = [];
    const stateOf = async () => ({
      counts: await countsOf(database),
      catalogue: (await one(database, CATALOGUE)) as { readonly keys: string[]; readonly triggers: string[] },
      properties: await propertiesOf(database),
    });
    beforeAll(async () => {
      database = await openDatabase();
      await fill(database);
      await database.query("GRANT SELECT, INSERT ON messages TO pg_monitor; ALTER TABLE posts OWNER TO pg_monitor");
      before = await stateOf();
      shown = await distribute(database.url);
      expect(await stateOf()).toEqual(before);
      done = await distribute(database.url, "--yes");
      // A session has the settings that the database had at its beginning.
      await database.end();
      database = Object.assign(await openSession(database.url), { url: database.url });
    });
    afterAll(async () => database[Symbol.asyncDispose]());

    it("first shows every step, and changes nothing without --yes", () => {
      expect({ exit: shown!.exit, steps: STEPS.filter((it) => shown!.stdout.includes(`\n${it}\n`)) }).toEqual({
        exit: 0,
        steps: STEPS,
      });
      expect(shown!.stdout).toContain("members 25");
      expect(shown!.stdout).toContain("create_distributed_table('distributing.members', 'conversation_id'");
    });

    it("makes two shards for each worker, and says how a node is added", async () => {
      expect({ exit: done!.exit, steps: doneIn(done!.stdout) }).toEqual({ exit: 0, steps: STEPS });
      expect(done!.stdout).toContain("citus_add_node");
      const { rows } = await database.query<{ name: string; kind: string; shards: number }>(
        "SELECT table_name::text AS name, citus_table_type AS kind, shard_count::int AS shards FROM citus_tables ORDER BY 1",
      );
      // Those of the coordinator are ordinary tables.
      expect(rows.map(({ name, kind, shards }) => [name, kind, kind === "reference" ? 0 : shards])).toEqual(
        [
          ...SHARDED.map((it) => [it, "distributed", 4] as const),
          ...["users", "webhook_endpoints"].map((it) => [it, "reference", 0] as const),
        ].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    });

    it("keeps rows, foreign keys, triggers, columns, indexes, views, owners and rights, and has nothing left to do", async () => {
      expect(done!.stdout).toMatch(/tables by conversation; rows before and after: members 25/);
      const after = await stateOf();
      expect(after.counts).toEqual(before.counts);
      const isLeft =
        "SELECT relname FROM pg_class JOIN pg_dist_partition ON logicalrelid = pg_class.oid WHERE pg_relation_size(oid) > 0";
      expect((await database.query(isLeft)).rows).toEqual([]);
      const { keys, triggers } = before.catalogue;
      const isOnShardColumn = /^((members|messages) \w+_conversation_id|notifications \w+_user_id)_fkey/;
      expect(after.catalogue.keys).toEqual(
        keys.map((it) => (isOnShardColumn.test(it) ? it.replace(" ON UPDATE CASCADE", "") : it)),
      );
      expect(after.catalogue.triggers).toEqual([...triggers, "notifications stamp_event"].sort());
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
      const { properties } = before;
      expect(after.properties.sort()).toEqual([...properties.filter((it) => !replaced.includes(it)), ...by].sort());
      const seen = "SELECT count(*)::int AS n FROM conversations_of_members WHERE excerpt = 'Hello'";
      expect(await one(database, seen)).toEqual({ n: 25 });
      expect(await distribute(database.url, "--yes")).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Nothing to do/) });
    });

    it("lets each statement ask one shard at most, except for lists of posts, of a user's short URLs and conversations, and for jobs", async () => {
      await using session = await openSession(database.url);
      const asked = new Map<string, number>();
      const statements = readStatementFiles(SRC).flatMap((it) => it.statements);
      for (const { name, text, parameters } of statements) {
        await session.query(`PREPARE "${name}" AS ${text}`);
        const { rows } = await session.query<{ types: string[] }>(
          "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1",
          [name],
        );
        const values = rows[0]!.types.map((type, index) => {
          const value = TEXTS[parameters[index]!.name] ?? VALUES[type];
          if (value === undefined) throw new Error(`Give a value for a parameter of type ${type}.`);
          return session.escapeLiteral(value);
        });
        const run = `EXECUTE "${name}"${values.length === 0 ? "" : `(${values.join(", ")})`}`;
        const plan = await session.query<{ "QUERY PLAN": string }>(`EXPLAIN ${run}`);
        const tasks = plan.rows.flatMap((row) => /Task Count: (\d+)/.exec(row["QUERY PLAN"])?.[1] ?? []);
        asked.set(name, Math.max(0, ...tasks.map(Number)));
      }
      const among = (isSo: (tasks: number) => boolean) => [...asked].filter(([, it]) => isSo(it)).map(([name]) => name);
      // Only a job or an erasure works in batches.
      const inBatches = statements.filter((it) => it.parameters.some(({ name }) => name === "batch")).map(({ name }) => name);
      const others = among((it) => it > 1).filter((it) => !inBatches.includes(it));
      expect(others.sort()).toEqual([...LISTS, ...OF_JOBS].sort());
    });

    it("leaves a database that later migrations and functions can change", async () => {
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

  /** Waits until another session than `client` has a lock on a table, or waits for one. */
  const locked = (client: pg.Client, table: string, mode: string, granted: boolean) =>
    eventually(`a lock on ${table}`, async () => {
      const found =
        "SELECT 1 FROM pg_locks WHERE relation = $1::regclass AND mode = $2 AND granted = $3 AND pid <> pg_backend_pid()";
      return (await client.query(found, [table, mode, granted])).rows.length > 0;
    });
  const CANCELED = expect.objectContaining({ code: "57014" });

  it("tries a step again after a pause if Citus cancels it, and cancels a request that has one of its tables and waits for another", async () => {
    await using database = await openDatabase();
    await using request = await openSession(database.url);
    await request.query("BEGIN; LOCK TABLE conversations IN ACCESS SHARE MODE");
    await using running = start(database.url);
    await locked(database, "conversations", "AccessExclusiveLock", false);
    await database.query(
      "SELECT pg_cancel_backend(pid) FROM pg_locks WHERE relation = 'conversations'::regclass AND NOT granted",
    );
    const pauses = () => running.stdout().match(/"users on every node" cannot lock its tables yet/g)?.length ?? 0;
    await eventually("the pause", () => pauses() === 1, 20_000);
    await locked(database, "users", "AccessExclusiveLock", true);
    expect(await request.query("LOCK TABLE users IN ACCESS SHARE MODE").catch((error: unknown) => error)).toEqual(CANCELED);
    await request.query("ROLLBACK");
    expect(await running.exited).toBe(0);
    expect([pauses(), doneIn(running.stdout())]).toEqual([1, STEPS]);
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
    await using running = start(database.url);
    await locked(database, "conversations", "ShareRowExclusiveLock", false);
    const waiting = request.query(writeTo("messages")).catch((error: unknown) => error);
    await locked(database, "messages", "RowExclusiveLock", false);
    await other.query("COMMIT");
    expect(await waiting).toEqual(CANCELED);
    await request.query("ROLLBACK");
    expect(await running.exited).toBe(0);
    expect(doneIn(running.stdout())).toEqual(left);
  });

  it("continues after a worker was unavailable, and after the command was killed", async () => {
    await using database = await openDatabase();
    await fill(database);
    const [counts, { keys }] = [await countsOf(database), await one(database, CATALOGUE)];
    const [worker] = cluster.workers;
    await worker!.kill();
    const failed = await distribute(database.url, "--yes");
    await worker!.start();
    expect(failed).toMatchObject({ exit: 1, stderr: expect.stringMatching(/^The step ".*" failed, and has changed nothing: /) });
    await using running = start(database.url);
    while (!running.stdout().includes("Done: users on every node")) await once(running.child.stdout!, "data");
    running.child.kill("SIGKILL");
    await running.exited;
    const { exit, stdout } = await distribute(database.url, "--yes");
    expect({ exit, steps: doneIn(stdout) }).toEqual({ exit: 0, steps: STEPS.slice(-doneIn(stdout).length) });
    expect(doneIn(stdout).length).toBeLessThan(STEPS.length - 3);
    expect(await countsOf(database)).toEqual(counts);
    expect((await one(database, CATALOGUE))["keys"]).toHaveLength((keys as string[]).length);
  });
});
