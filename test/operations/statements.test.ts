import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
// Loads every store.
import "../../src/api.ts";
import { declaredStatements, snakeCase, SQL_TYPES, toInstant, type Declaration } from "../../src/database/statement.ts";
import { openConversation, send } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
let client: pg.Client;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await service.close();
});

type Described = { readonly takes: readonly number[]; readonly gives: readonly { name: string; dataTypeID: number }[] };
type Protocol = pg.Connection & { parse(query: object, more: boolean): void; describe(what: object, more: boolean): void };

/** The types that PostgreSQL finds for the parameters and the columns of a statement (Parse and Describe of the protocol). */
function describeStatement({ name, text }: Declaration): Promise<Described> {
  return new Promise((resolve, reject) => {
    let takes: number[] = [];
    let gives: Described["gives"] = [];
    client.query({
      submit(connection: Protocol) {
        connection.once("parameterDescription", (it: { dataTypeIDs: number[] }) => (takes = it.dataTypeIDs));
        connection.parse({ name, text, types: [] }, true);
        connection.describe({ type: "S", name }, true);
        connection.sync();
      },
      handleRowDescription: (it: { fields: Described["gives"] }) => void (gives = it.fields),
      handleError: reject,
      handleReadyForQuery: () => resolve({ takes, gives }),
    } as unknown as pg.Submittable);
  });
}

/** The ids of the types, where `varchar` counts as `text`: both are strings. */
async function oidsOf(types: readonly string[]): Promise<number[]> {
  const names = types.map((it) => SQL_TYPES[it.replace("?", "") as keyof typeof SQL_TYPES]);
  const { rows } = await client.query<{ oid: number }>(
    "SELECT name::regtype::oid::int AS oid FROM unnest($1::text[]) WITH ORDINALITY AS given (name, n) ORDER BY n",
    [names],
  );
  return rows.map((it) => it.oid);
}
const asText = (oid: number) => (({ 1043: 25, 1042: 25, 1015: 1009 }) as Record<number, number>)[oid] ?? oid;

describe("the statements for hot paths", () => {
  it("have the parameters and the columns in the database that the code declares", async () => {
    const statements = declaredStatements();
    expect(statements.length).toBeGreaterThan(30);
    for (const it of statements) {
      const { takes, gives } = await describeStatement(it);
      const real = {
        name: it.name,
        takes: takes.map(asText),
        gives: gives.map(({ name, dataTypeID }) => [name, asText(dataTypeID)]),
      };
      const oids = await oidsOf(Object.values(it.gives));
      const columns = Object.keys(it.gives).map((name, index) => [snakeCase(name), oids[index]]);
      expect(real).toEqual({ name: it.name, takes: await oidsOf(it.takes), gives: columns });
    }
  });

  it("are refused by this test when a column has another name or another type", async () => {
    const declared = declaredStatements().find((it) => it.name === "find_target")!;
    await expect(
      describeStatement({ ...declared, name: "renamed", text: declared.text.replace("target_url", "aim") }),
    ).rejects.toThrow(/"aim" does not exist/);
    const { gives } = await describeStatement({
      ...declared,
      name: "retyped",
      text: declared.text.replace("target_url", "click_count"),
    });
    expect(gives[0]!.dataTypeID).not.toBe((await oidsOf([declared.gives["targetUrl"]!]))[0]);
  });

  it("give instants as RFC 3339 strings with milliseconds", () => {
    expect(toInstant("2026-11-22 05:00:00+00")).toBe("2026-11-22T05:00:00.000Z");
    expect(toInstant("2026-11-22 05:00:00.1+00")).toBe("2026-11-22T05:00:00.100Z");
    expect(toInstant("2026-11-22 05:00:00.123+00")).toBe("2026-11-22T05:00:00.123Z");
  });

  it("are planned once per session, however often they run and whatever the values are, and so are those of Prisma", async () => {
    const planned = await startTestService({ ROLE: "api", DATABASE_POOL_SIZE: "1" });
    try {
      const yuki = await planned.as();
      const conversation = await openConversation(yuki, [yuki]);
      for (let round = 0; round < 12; round++) {
        for (const path of [`/posts?limit=${round + 1}`, "/notifications", "/conversations", "/urls"])
          expect(await yuki("GET", path)).toMatchObject({ status: 200 });
        expect(await send(yuki, conversation, "Hello")).toMatchObject({ status: 201 });
        expect(await yuki("GET", `${conversation.members}?limit=2`)).toMatchObject({ status: 200 });
      }
      const plans = await planned.db.$queryRaw<{ name: string; custom: number }[]>`
        SELECT name, custom_plans::int AS custom FROM pg_prepared_statements`;
      // PostgreSQL makes five plans for the given values before it chooses the one for any values.
      expect(plans.filter((it) => it.custom > 5 && !it.name.startsWith("prisma_")).map((it) => it.name)).toEqual([]);
      for (const name of ["find_posts_desc", "find_all_notifications_desc", "find_conversations_desc", "send_messages"])
        expect(plans.find((it) => it.name === name)).toMatchObject({ custom: 5 });
      expect(plans.some((it) => it.name.startsWith("prisma_"))).toBe(true);
    } finally {
      await planned.close();
    }
  });
});
