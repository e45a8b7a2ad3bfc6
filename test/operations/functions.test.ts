import { describe, expect, it } from "@jest/globals";
import { applyFunctions, editionOf, outdatedFunctions, parseFunction, readFunctions } from "../../src/database/functions.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { itNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";
import { filesOf, previousRelease } from "../support/previous-release.ts";

const signatureOf = (sql: string) => /^CREATE OR REPLACE FUNCTION[^$]*/m.exec(sql)![0];

const database = prepare(createTestDatabase);
const client = prepare(() => openSession(database.url));

const functions = readFunctions();
const [first] = functions;
/** Its text with another line for the edition. */
const withEdition = (line: string) => ({
  ...first!,
  ...{ sql: first!.sql.replace(/-- Edition \d+\n/, line) },
  ...{ body: first!.body.replace(/-- Edition \d+\n/, line) },
});

describe("the functions of the database", () => {
  it("are there as their files say, and each once", async () => {
    expect(await outdatedFunctions(client)).toEqual([]);
    const { rows } = await client.query<{ name: string; count: number }>(
      "SELECT proname AS name, count(*)::int AS count FROM pg_proc WHERE proname = ANY ($1) GROUP BY proname ORDER BY proname",
      [functions.map((it) => it.name)],
    );
    expect(rows).toEqual(functions.map(({ name }) => ({ name, count: 1 })).sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  // The previous release calls them during a rollout, and its last start must not put back its own text.
  itNeeds("previous release", "have the signatures of the previous release, and a later edition if their text is another", () => {
    const earlier = [...filesOf(previousRelease(), ".function.sql")].map(([path, sql]) => parseFunction(path, sql));
    const pairs = earlier.flatMap((old) => functions.filter((it) => it.name === old.name).map((now) => ({ old, now })));
    expect(pairs.length).toBeGreaterThan(10);
    for (const { old, now } of pairs) {
      expect(signatureOf(now.sql)).toBe(signatureOf(old.sql));
      if (now.body !== old.body) expect([now.name, editionOf(now.body) > editionOf(old.body)]).toEqual([now.name, true]);
    }
  });

  it("are replaced by one of several processes if they have changed or are missing, and stay if they are of a newer version", async () => {
    const { name, body } = first!;
    const stored = async () =>
      (await client.query<{ body: string }>("SELECT prosrc AS body FROM pg_proc WHERE proname = $1", [name])).rows[0]?.body;
    const edition = editionOf(body);
    await client.query(withEdition(`-- Edition ${edition}\n-- as it was\n`).sql);
    const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase(database.url)));
    expect(applied.flat()).toEqual([name]);
    expect(await stored()).toBe(body);

    await client.query(`DROP FUNCTION ${name}`);
    expect(await migrateDatabase(database.url)).toEqual([name]);
    expect(await stored()).toBe(body);

    const later = withEdition(`-- Edition ${edition + 1}\n`);
    const applyLater = () => withMigrationSession(database.url, {}, (session) => applyFunctions(session, [later]));
    expect(await applyLater()).toEqual([name]);
    expect(await migrateDatabase(database.url)).toEqual([]);
    expect(await stored()).toBe(later.body);
  });
});
