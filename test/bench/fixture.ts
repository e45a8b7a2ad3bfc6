import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { administer, openSession, withDatabase } from "../support/database.ts";

/** The data that every subject finds: a hundred thousand rows in each of the large tables. */

const ROOT = join(import.meta.dirname, "../..");
const ROWS = 100_000;
const USERS = ROWS;
/** The users that send the requests. Each of them is in many conversations. */
const CALLERS = 8;
const CONVERSATIONS = 2_000;
const BUSY_CONVERSATIONS = 26;
const MEMBERS_OF_LARGE = 50;
const MESSAGES_OF_BUSY = 1_000;
const MESSAGES_OF_OTHERS = 37;
const NOTIFICATIONS_OF_CALLER = 200;

export const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
/** Ids of the fixture have this form; all others were made by a subject. */
export const FIXTURE_ID = /^00000000-0000-7000-8000-/;

export type Caller = { readonly id: string; readonly key: string };
export type World = {
  readonly callers: readonly Caller[];
  /** A conversation of the first two callers, one of 50 members, and 24 of two. */
  readonly pair: string;
  readonly large: string;
  readonly others: readonly { readonly id: string; readonly owner: Caller }[];
  /** Short URLs with their owners. */
  readonly urls: readonly { readonly id: string; readonly owner: Caller }[];
};

const STATEMENTS = [
  `CREATE FUNCTION id_of(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
     SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$`,
  `CREATE FUNCTION instant_of(n bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
     SELECT date_trunc('second', now()) - interval '20 days' + n * interval '10 seconds' $$`,
  `INSERT INTO users (id, display_name) SELECT id_of(n), 'User ' || n FROM generate_series(1, ${USERS}) AS n`,
  `INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
   SELECT id_of(n), id_of(n % 1000 + 1), 'How we re-hung door ' || n,
     repeat('The left door had sagged by four centimetres. ', 6) || n, instant_of(n), instant_of(n)
   FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO short_urls (id, owner_id, target_url, created_at)
   SELECT 'bench-' || n, id_of(n % ${CALLERS} + 1), 'https://www.example.com/slates/order/' || n, instant_of(n)
   FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO conversations (id, title, created_by, created_at)
   SELECT id_of(n), CASE WHEN n % 3 > 0 THEN 'Boathouse ' || n END, id_of((n - 1) % ${CALLERS} + 1), instant_of(n)
   FROM generate_series(1, ${CONVERSATIONS}) AS n`,
  `INSERT INTO members (conversation_id, user_id, role, joined_at)
   SELECT id, created_by, 'owner', created_at FROM conversations ORDER BY id`,
  `INSERT INTO members (conversation_id, user_id, role, joined_at)
   SELECT id_of(n), id_of(CASE n WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE 1000 + n END), 'member', instant_of(n)
   FROM generate_series(1, ${CONVERSATIONS}) AS n`,
  `INSERT INTO members (conversation_id, user_id, role, joined_at)
   SELECT id_of(2), id_of(n), 'member', instant_of(2) FROM generate_series(3, ${MEMBERS_OF_LARGE}) AS n`,
  `INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
   SELECT id_of(c * 10000 + n), id_of(c), n, id_of((c - 1) % ${CALLERS} + 1),
     'The slates come on Thursday, early in the morning, and they are number ' || n, 'key-' || n, instant_of(c + n)
   FROM generate_series(1, ${CONVERSATIONS}) AS c, LATERAL
     generate_series(1, CASE WHEN c <= ${BUSY_CONVERSATIONS} THEN ${MESSAGES_OF_BUSY} ELSE ${MESSAGES_OF_OTHERS} END) AS n`,
  `UPDATE conversations c SET last_sequence = m.n, last_message_at = m.at
   FROM (SELECT conversation_id, max(sequence) AS n, max(created_at) AS at FROM messages GROUP BY 1) m WHERE m.conversation_id = c.id`,
  `INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
   SELECT m.user_id, c.id, c.created_at, date_trunc('hour', c.last_message_at, 'UTC')
   FROM members m JOIN conversations c ON c.id = m.conversation_id ON CONFLICT DO NOTHING`,
  `INSERT INTO notifications
     (id, user_id, kind, title, resource_type, resource_id, resource_href, subject_id, created_at, updated_at, read_at)
   SELECT id_of(n), id_of(CASE WHEN n <= ${CALLERS * NOTIFICATIONS_OF_CALLER} THEN n % ${CALLERS} + 1 ELSE n % ${USERS} + 1 END),
     'conversation.member_added', 'User 9 added you to Boathouse ' || n, 'conversation', id_of(n + 100000),
     '/conversations/' || id_of(n + 100000), id_of(n + 100000)::text, instant_of(n), instant_of(n),
     CASE WHEN n / ${CALLERS} % 2 = 0 THEN now() END
   FROM generate_series(1, ${ROWS}) AS n`,
];

export type Fixture = { readonly template: string; readonly world: World };

/** Creates the database that all others are copies of, with keys that the user command makes. */
export async function createFixture(serverUrl: string): Promise<Fixture> {
  const template = "bench_template";
  await administer(serverUrl, `CREATE DATABASE ${template}`, `ALTER DATABASE ${template} SET timezone = 'UTC'`);
  const url = withDatabase(serverUrl, template);
  await migrateDatabase(url);
  await using client = await connect(url);
  for (const statement of STATEMENTS) await client.run(statement);
  const callers: Caller[] = [];
  for (let n = 1; n <= CALLERS; n++) callers.push({ id: idOf(n), key: await makeKey(url, idOf(n)) });
  await client.run("VACUUM (FREEZE, ANALYZE)");
  return { template, world: worldOf(callers) };
}

function worldOf(callers: readonly Caller[]): World {
  const ownerOf = (n: number) => callers[(n - 1) % CALLERS]!;
  return {
    callers,
    pair: idOf(1),
    large: idOf(2),
    others: Array.from({ length: BUSY_CONVERSATIONS - 2 }, (_, index) => ({ id: idOf(index + 3), owner: ownerOf(index + 3) })),
    urls: Array.from({ length: 256 }, (_, index) => {
      const n = 1 + index * 390;
      return { id: `bench-${n}`, owner: callers[n % CALLERS]! };
    }),
  };
}

/** A copy of the template for one subject. */
export async function copyFixture(serverUrl: string, template: string, subject: string): Promise<string> {
  const name = `bench_${subject.replaceAll("-", "_")}`;
  await administer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`, `ALTER DATABASE ${name} SET timezone = 'UTC'`);
  return withDatabase(serverUrl, name);
}

/**
 * PostgreSQL does all that it does in production for a commit, except that it doesn't wait for the disk: that would measure the
 * disk. Nothing runs in the background of a measurement; `tidyUp` does it between two of them. All databases fit into the
 * buffers, so that no subject writes the pages of another one.
 */
export const SERVER_SETTINGS = {
  fsync: "off",
  synchronous_commit: "on",
  full_page_writes: "on",
  autovacuum: "off",
  checkpoint_timeout: "1d",
  max_wal_size: "8GB",
  shared_buffers: "1GB",
  max_connections: "200",
};

export async function tidyUp(url: string): Promise<void> {
  await using client = await connect(url);
  await client.run("VACUUM ANALYZE conversations, members, messages, notifications, posts, idempotency_keys, short_urls");
  await client.run("CHECKPOINT");
}

export async function connect(url: string) {
  const client = await openSession(url);
  return {
    run: async (sql: string): Promise<readonly Record<string, unknown>[]> =>
      (await client.query<Record<string, unknown>>(sql)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const makeKey = (databaseUrl: string, userId: string) =>
  runIn(ROOT, databaseUrl, "scripts/plumbline.ts", "user", "key", userId, "--print", "key");

/** Runs Node in a checkout, and returns what it prints. */
async function runIn(folder: string, databaseUrl: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  return stdout.trim();
}

/** The same for another commit, by its own code: `createFixture` and its result therefore keep their form. */
export async function createFixtureOf(folder: string, serverUrl: string): Promise<Fixture> {
  const script = `
    const { createFixture } = await import("./test/bench/fixture.ts");
    console.log(JSON.stringify(await createFixture(process.env.DATABASE_URL)));`;
  return JSON.parse(await runIn(folder, serverUrl, "--input-type=module", "--eval", script)) as Fixture;
}
