import { randomUUIDv7 } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { readCatalogue, type Catalogue } from "../../scripts/generate/sql/describe-statement.ts";
import { parseStatements, readStatementFiles } from "../../scripts/generate/sql/read-statements.ts";
import { moduleOf } from "../../scripts/generate/sql/statement-modules.ts";
import { findPosts } from "#generated/sql/posts.ts";
import { toInstant } from "../../src/database/column-types.ts";
import { SessionClient } from "../../src/database/session.ts";
import { affectedRows, many } from "../../src/database/statement.ts";
import { BY_CREATION, DEFAULT_PAGE_LIMIT } from "../../src/pagination/keyset.ts";
import { operations, parametersOf } from "../support/contract.ts";
import { openConversation, send } from "../support/conversations.ts";
import { openSession } from "../support/database.ts";
import { insertPosts } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const client = prepare(() => openSession(service.databaseUrl));
/** One connection, so that each statement uses it after the one before. */
const pool = prepare(async () => {
  const it = new pg.Pool({ connectionString: service.databaseUrl, options: "-c timezone=UTC", max: 1 });
  return { it, close: () => it.end() };
});
let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await readCatalogue(client);
});

const generate = async (sql: string) =>
  moduleOf(client, catalogue, { source: "x.sql", module: "x.ts", statements: parseStatements(sql, "src/x.sql") });

describe("the functions that are generated from SQL", () => {
  it("have the types that PostgreSQL finds, and null where the table, a mark or an expression allows it", async () => {
    const code = await generate(`-- name: findIt :one
-- What it is for.
SELECT id, title, last_sequence, created_at, 1 AS expression, 2 AS "marked!", :numbers?::int[] AS numbers -- a comment with :nothing
FROM conversations WHERE id = :conversation_id AND title <> ':no' AND created_at < :created_at::timestamptz;
`);
    const fields = ["numbers: readonly number[] | null", "conversationId: string", "createdAt: string"];
    const columns = [
      "id: string",
      "title: string | null",
      "lastSequence: number",
      "createdAt: string",
      "expression: number | null",
    ];
    for (const it of [...fields, ...columns, "marked: number"]) expect(code).toContain(`  readonly ${it};\n`);
    expect(code).toContain("/** What it is for. */\nexport const findIt = one<FindItParameters, FindItRow>({");
    expect(code).toContain("WHERE id = $2 AND title <> ':no' AND created_at < $3::timestamptz`");
    expect(code).toContain("values: (it) => [it.numbers, it.conversationId, it.createdAt]");
  });

  it.each([
    [
      "null in each column of an outer join, but not in one that is marked",
      `:many\nSELECT u.id AS "id!", m.role FROM users u LEFT JOIN members m ON m.user_id = u.id`,
      ["  readonly id: string;\n", "  readonly role: string | null;\n"],
    ],
    [
      "a text for each direction of a page",
      `:page\nSELECT id FROM posts WHERE (created_at, id) < (:created_at, :id) ORDER BY created_at DESC, id DESC LIMIT :limit`,
      [
        "asc: `SELECT id FROM posts WHERE (created_at, id) > ($1, $2) ORDER BY created_at ASC, id ASC LIMIT $3`",
        "desc: `SELECT id FROM posts WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`",
      ],
    ],
    [
      "the parts of their file that they name",
      `:one\nSELECT id FROM posts WHERE {{own}} AND id = :id;\n\n-- name: countThem :one\nSELECT count(*) FROM posts WHERE {{own}};`,
      [
        "text: `SELECT id FROM posts WHERE author_id = $1\nAND title <> '' AND id = $2`",
        "text: `SELECT count(*) FROM posts WHERE author_id = $1\nAND title <> ''`",
      ],
    ],
  ])("have %s", async (_what, sql, parts) => {
    const part = "-- part: own\n-- The posts of an author.\nauthor_id = :author_id\nAND title <> ''\n\n";
    const code = await generate(`${part}-- name: findIt ${sql}`);
    for (const it of parts) expect(code).toContain(it);
  });

  it("are two for a statement with two names, and only the second one has what is in [[ ]]", async () => {
    const code = await generate(
      "-- name: findIt, findIts :one\nSELECT id FROM posts WHERE id = :id[[ AND author_id = :author_id]]",
    );
    expect(code).toMatch(/name: "find_it",\n {2}text: `SELECT id FROM posts WHERE id = \$1`,\n {2}values: \(it\) => \[it\.id\]/);
    expect(code).toMatch(/name: "find_its",\n {2}text: `SELECT id FROM posts WHERE id = \$1 AND author_id = \$2`/);
  });

  it.each([
    ["a part that the file lacks", ":one\nSELECT {{post}} FROM posts", /x\.sql has \{\{post\}\}, but no "-- part: post"/],
    ["a column that doesn't exist", ":one\nSELECT aim FROM short_urls", /x\.sql: findIt: column "aim" does not exist/],
    ["a column of another type", ":one\nSELECT id FROM posts WHERE title = :title::int", /operator does not exist/],
    ["a type that has no value in JavaScript", ":one\nSELECT xact_id FROM notifications", /cast xactId, which is of type xid8/],
    [
      "a page whose position can't be turned",
      ":page\nSELECT id FROM posts WHERE id < :id ORDER BY id DESC",
      /compare the position/,
    ],
    ["two columns of one name", ":many\nSELECT p.id, u.id FROM posts p JOIN users u ON u.id = author_id", /two columns/],
    ["a part in [[ ]] without a second name", ":one\nSELECT id FROM posts[[ LIMIT 1]]", /two names and a part/],
    ["two statements", ":execrows\nDELETE FROM posts; DELETE FROM users", /more than one statement/],
    ["an unknown kind", ":some\nSELECT 1", /:one, :one!, :many/],
    ["a parameter that is only sometimes nullable", ":one\nSELECT :a?::int, :a::int", /:a has a \?/],
  ])("are refused for %s", async (_what, sql, reason) => {
    await expect(generate(`-- name: findIt ${sql}`)).rejects.toThrow(reason);
  });
});

/** Statements over tables of two groups: notifications belong to a user, messages to a conversation. `people` is on each node. */
const OF_TWO_GROUPS: Readonly<Record<string, string>> = {
  "a subquery for a column":
    "SELECT id, (SELECT m.id FROM messages m WHERE m.id::text = resource_id) FROM notifications WHERE user_id = :user_id",
  "a subquery in a condition":
    "SELECT id FROM notifications WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.id::text = subject_id)",
  "a join": "SELECT n.id FROM notifications n JOIN conversations c ON c.id::text = n.subject_id",
  "a join with a comma": "SELECT n.id FROM notifications n, conversations c WHERE c.id::text = n.subject_id",
  "a join with a view": "SELECT n.id FROM notifications n JOIN conversations_of_members c ON c.id::text = n.subject_id",
  "a LATERAL subquery":
    "SELECT n.id FROM notifications n, LATERAL (SELECT id FROM conversations WHERE id::text = n.subject_id) AS c",
  "an UPDATE … FROM": "UPDATE notifications n SET read_at = now() FROM conversations c WHERE c.id::text = n.subject_id",
  "a DELETE … USING": "DELETE FROM notifications n USING conversations c WHERE c.id::text = n.subject_id",
  "what it returns":
    "UPDATE notifications SET read_at = now() RETURNING (SELECT c.id FROM conversations c WHERE c.id::text = subject_id)",
  "a table on the coordinator": "SELECT n.id FROM notifications n JOIN video_uploads v ON v.id::text = n.subject_id",
  "a part of a WITH":
    "WITH found AS (SELECT n.id FROM notifications n JOIN conversations c ON c.id::text = n.subject_id) SELECT id FROM found",
};

/** Each group is in a part that Citus plans by itself. */
const IN_PARTS: Readonly<Record<string, string>> = {
  "a WITH":
    "WITH c AS (SELECT id FROM conversations LIMIT 1) SELECT n.id FROM notifications n JOIN c ON c.id::text = n.subject_id",
  "a WITH that writes":
    "WITH gone AS (DELETE FROM messages WHERE id = :id RETURNING id) DELETE FROM notifications WHERE id IN (SELECT id FROM gone)",
  "a subquery in FROM":
    "SELECT n.id FROM notifications n JOIN (SELECT id FROM conversations LIMIT 1) AS c ON c.id::text = n.subject_id",
  "two subqueries with brackets":
    "SELECT id FROM ((SELECT id FROM notifications LIMIT 1) UNION ALL (SELECT id FROM conversations LIMIT 1)) AS ids",
  "the sides of a UNION": "SELECT id FROM notifications UNION SELECT id FROM conversations",
  "what an INSERT selects":
    "INSERT INTO former_members (conversation_id, user_id) SELECT :id::uuid, user_id FROM notifications LIMIT 1 RETURNING user_id",
  "a table of which each node has a copy":
    "SELECT id, (SELECT display_name FROM people WHERE people.id = actor_id) AS name FROM notifications",
  "tables of one group":
    "SELECT m.user_id, (SELECT title FROM conversations c WHERE c.id = m.conversation_id) AS title FROM members m",
};

describe("a statement over tables of two groups, which are on different nodes of a cluster,", () => {
  it.each(Object.entries(OF_TWO_GROUPS))("is refused for %s, with what to write instead", async (_form, sql) => {
    await expect(generate(`-- name: findIt :many\n${sql}`)).rejects.toThrow(
      /^src\/x\.sql: findIt names \w+ \(.+\) beside \w+ \(.+\)\. [^]+ second statement by ids, such as "WHERE id = ANY \(:ids\)"/,
    );
  });

  it("is refused with both tables and their groups", async () => {
    const sql = "SELECT id, (SELECT c.id FROM conversations c WHERE c.id::text = subject_id) FROM notifications";
    await expect(generate(`-- name: findIt :many\n${sql}`)).rejects.toThrow(
      "src/x.sql: findIt names notifications (group user) beside conversations (group conversation).",
    );
  });

  it.each(Object.entries(IN_PARTS))("is allowed with %s", async (_form, sql) => {
    await expect(generate(`-- name: findIt :many\n${sql}`)).resolves.toContain('name: "find_it"');
  });
});

describe("the statements of src/", () => {
  it("read names from the view `people`, except the one that must see a deleted user", () => {
    const reading = readStatementFiles("src")
      .flatMap(({ statements }) => statements)
      .filter(({ text }) => text.includes("display_name") && /\b(FROM|JOIN) users\b/.test(text));
    expect(reading.map(({ name }) => name)).toEqual(["findDeletedUser"]);
  });
});

describe("a statement", () => {
  it("gives the same row on the pool and in a transaction of Prisma", async () => {
    const parameters = [
      randomUUIDv7(),
      2 ** 40,
      0.5,
      "2026-11-22T05:00:00.120Z",
      Buffer.from("bytes"),
      '{"a":[1]}',
      [1, 2],
      ["x"],
      null,
      true,
    ];
    const find = many({
      name: "every_type",
      text: `SELECT $1::uuid, $2::bigint AS b, $3::float8 AS c, $4::timestamptz AS d, $5::bytea AS e, $6::jsonb AS f, $7::int[] AS g,
        $8::text[] AS h, $9::text AS i, $10::boolean AS j, 'infinity'::timestamptz > $4 AS k`,
      values: () => parameters,
      columns: ["uuid", "int8", "float8", "timestamptz", "bytea", "jsonb", "_int4", "_text", "text", "bool", "bool"],
      row: (it) => it.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value)),
    });
    const row = [...parameters.slice(0, 4), "bytes", { a: [1] }, ...parameters.slice(6), true];
    expect(await find(pool.it, undefined)).toEqual([row]);
    expect(await service.db.$transaction((tx) => find(tx, undefined))).toEqual([row]);
  });

  it("rejects for a value without a text, for a row that can't be made and for an error of PostgreSQL, and its connection goes on", async () => {
    const divide = (divisor: unknown) =>
      many({
        name: "divide",
        text: "SELECT 6 / $1::int AS result FROM generate_series(1, 2)",
        values: () => [divisor],
        columns: ["int4"],
        row: ([result]) => {
          if (result === 6) throw new Error("no row");
          return result;
        },
      });
    const circle: unknown[] = [];
    circle.push({ toPostgres: () => circle[0] });
    for (const [divisor, reason] of [
      [circle[0], /circular/],
      [1, /no row/],
      [0, /division by zero/],
    ] as const) {
      await expect(divide(divisor)(pool.it, undefined)).rejects.toThrow(reason);
      expect(await divide(2)(pool.it, undefined)).toEqual([3, 3]);
    }
  });

  it("returns each text as it is, whatever else is in its row", async () => {
    const random = seededRandom("rows of texts");
    // Lengths from 128 on have bytes that are no ASCII; 50,089 bytes are the bytes of an "é".
    const parts = ["", "a", "é", "日本", "😀", "\u0080", "\ufffd", "z".repeat(127), "y".repeat(195), "x".repeat(50_089)];
    const textOf = () => (random(8) === 0 ? null : Array.from({ length: random(4) }, () => parts[random(parts.length)]).join(""));
    const texts = Array.from({ length: 200 }, () => Array.from({ length: 3 }, textOf));
    const session = new pg.Pool({ connectionString: service.databaseUrl, max: 1, Client: SessionClient });
    await using _end = { [Symbol.asyncDispose]: () => session.end() };
    const { rows } = await session.query({
      text: "SELECT a, b, c FROM unnest($1::text[], $2::text[], $3::text[]) AS t (a, b, c)",
      values: [0, 1, 2].map((column) => texts.map((it) => it[column])),
      rowMode: "array",
    });
    expect(rows).toEqual(texts);
  });

  it("counts the rows that it has written, on the pool and in a transaction of Prisma", async () => {
    const { userId } = await service.as();
    const text = "UPDATE users SET display_name = 'Ada' WHERE id = $1::uuid";
    const rename = affectedRows({ name: "rename", text, values: (id: string) => [id] });
    for (const runner of [pool.it, service.db])
      expect([await rename(runner, userId), await rename(runner, randomUUIDv7())]).toEqual([1, 0]);
  });

  it("of a page returns the same rows at the default size of the contract, whose limit is no parameter, and has a cached plan", async () => {
    const defaults = operations.flatMap((it) => parametersOf(it).filter(({ name }) => name === "limit"));
    expect(new Set(defaults.map((it) => (it.schema as { default: number }).default + 1))).toEqual(new Set([DEFAULT_PAGE_LIMIT]));
    const at = new Date("2020-02-02T02:02:02.020Z");
    const ids = await insertPosts(service, (await service.as()).userId, 7, at);
    const after = { order: BY_CREATION, direction: "desc", position: [at, ids[4]!] } as const;
    const pageOf = async (take: number) => (await findPosts(pool.it, { ...after, take })).map((it) => it.id);
    expect(await pageOf(DEFAULT_PAGE_LIMIT + 1)).toEqual(ids.slice(0, 4).reverse());
    for (let n = 0; n < 10; n++) expect(await pageOf(DEFAULT_PAGE_LIMIT)).toEqual(ids.slice(0, 4).reverse());
    const plans = "SELECT name, custom_plans FROM pg_prepared_statements WHERE name LIKE 'find_posts_desc_%'";
    // PostgreSQL plans the first five times in any case.
    expect((await pool.it.query(plans)).rows).toEqual([{ name: "find_posts_desc_default", custom_plans: "5" }]);
  });

  it("gives instants as RFC 3339 strings with milliseconds", () => {
    expect(toInstant("2026-11-22 05:00:00+00")).toBe("2026-11-22T05:00:00.000Z");
    expect(toInstant("2026-11-22 05:00:00.1+00")).toBe("2026-11-22T05:00:00.100Z");
    expect(toInstant("2026-11-22 05:00:00.123+00")).toBe("2026-11-22T05:00:00.123Z");
  });

  it("is planned once per session, however often it runs and whatever the values are, and so are statements of Prisma", async () => {
    await using planned = await startTestService({ ROLE: "api", DATABASE_POOL_SIZE: "1" });
    const yuki = await planned.as();
    const conversation = await openConversation(yuki, [yuki]);
    // In a table of some size, the planner rates a custom plan for a small LIMIT that it knows as cheaper than the generic plan.
    await planned.db.$executeRaw`
      INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
      SELECT gen_random_uuid(), ${conversation.id}::uuid, n, ${yuki.userId}::uuid, 'x', 'key ' || n FROM generate_series(1, 5000) AS n`;
    await planned.db.$executeRaw`UPDATE conversations SET last_sequence = 5000`;
    await planned.db.$executeRaw`ANALYZE messages`;
    for (let round = 0; round < 12; round++) {
      for (const path of [`${conversation.messages}?limit=${round + 1}`, "/posts", "/notifications", "/conversations", "/urls"])
        expect(await yuki("GET", path)).toMatchObject({ status: 200 });
      expect(await send(yuki, conversation, "Hello")).toMatchObject({ status: 201 });
      expect(await yuki("GET", `${conversation.members}?limit=2`)).toMatchObject({ status: 200 });
    }
    const plans = await planned.db.$queryRaw<{ name: string; custom: number }[]>`
      SELECT name, custom_plans::int AS custom FROM pg_prepared_statements`;
    // PostgreSQL makes five custom plans before it chooses the generic plan. Lists that ask every node of a cluster have a LIMIT that
    // the planner knows, because Citus accepts no other: src/STATEMENTS.md.
    const ofOneNode = plans.filter((it) => !/^prisma_|^find_(posts|own_urls)/.test(it.name));
    expect(ofOneNode.filter((it) => it.custom > 5).map((it) => it.name)).toEqual([]);
    for (const name of ["find_message_page_desc", "find_notifications_desc", "find_conversations_desc", "send_messages"])
      expect(plans.find((it) => it.name === name)).toMatchObject({ custom: 5 });
    expect(plans.some((it) => it.name.startsWith("prisma_"))).toBe(true);
  });
});
