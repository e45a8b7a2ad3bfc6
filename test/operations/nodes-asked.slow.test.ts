import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { readStatementFiles } from "../../scripts/generate/sql/read-statements.ts";
import { distribute } from "../../src/database/distribution/index.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { DATABASE } from "../../src/embedded-postgres/cluster.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { startCitus } from "../support/citus.ts";
import { openSession } from "../support/database.ts";
import { describeNeeds } from "../support/needs.ts";

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

describeNeeds("citus", "a statement on three nodes", () => {
  it("asks one shard at most, except for lists of posts, of a user's short URLs and conversations, and for jobs", async () => {
    await using cluster = await startCitus();
    await cluster.connect(DATABASE);
    await migrateDatabase(cluster.url);
    await withMigrationSession(cluster.url, {}, (session) => distribute(session, TABLE_DISTRIBUTIONS, () => undefined));
    await using session = await openSession(cluster.url);
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
    console.log(
      `${asked.size} statements: ${among((it) => it === 0).length} ask the coordinator alone, ${among((it) => it === 1).length} one shard, ${among((it) => it > 1).length} every shard`,
    );
    // Only a job or an erasure works in batches.
    const inBatches = statements.filter((it) => it.parameters.some(({ name }) => name === "batch")).map(({ name }) => name);
    const others = among((it) => it > 1).filter((it) => !inBatches.includes(it));
    expect(others.sort()).toEqual([...LISTS, ...OF_JOBS].sort());
  });
});
