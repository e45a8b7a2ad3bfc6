import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { readStatementFiles, snakeCase } from "../../scripts/generate/sql/read-statements.ts";
import { readFunctions } from "../../src/database/functions.ts";
import { openConversation, send, sendMany, walk, withKey } from "../support/conversations.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));
const PAGE = readFileSync(new URL("../../prisma/DISTRIBUTED.md", import.meta.url), "utf8");
const sectionOf = (title: string) => PAGE.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
/** The cells of the tables of a section, without the backticks. */
const rowsOf = (title: string) =>
  [...sectionOf(title).matchAll(/^\| `(.*) \|$/gm)].map(([, line]) =>
    `\`${line}`
      .replaceAll("`", "")
      .split("|")
      .map((it) => it.trim()),
  );

type Kind = { readonly kind: "shard" | "reference" | "coordinator"; readonly column?: string; readonly group?: string };
const kinds = new Map<string, Kind>(
  TABLE_DISTRIBUTIONS.map(([table, it]) => [
    table,
    typeof it === "object" ? { kind: "shard", column: it.shard, group: it.group } : { kind: it },
  ]),
);
/** A table that no area declares belongs to a tool, and is on the coordinator. */
const kindOf = (table: string): Kind => kinds.get(table) ?? { kind: "coordinator" };
const sharded = [...kinds].filter(([, it]) => it.kind === "shard");
const database = prepare(createTestDatabase);
const client = prepare(() => openSession(database.url));
const ask = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows;

const NAME = (oid: string) =>
  `(SELECT CASE nspname WHEN 'public' THEN relname ELSE nspname || '.' || relname END
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = ${oid})`;
const COLUMNS = (relation: string, numbers: string) =>
  `ARRAY(SELECT attname::text FROM unnest(${numbers}) WITH ORDINALITY AS k (n, ordinal)
    LEFT JOIN pg_attribute ON attrelid = ${relation} AND attnum = n ORDER BY ordinal)`;

describe("a database that is distributed as the areas declare", () => {
  it("keeps the column of the shard in every unique key", async () => {
    const keys = await ask<{ table: string; name: string; columns: string[]; plain: boolean; replaced: boolean }>(
      `SELECT ${NAME("indrelid")} AS table, indexrelid::regclass::text AS name, indexprs IS NULL AS plain,
         indexprs IS NULL AND indpred IS NULL AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('u', 'x'))
           AS replaced,
         ${COLUMNS("indrelid", "indkey::int2[]")} AS columns
       FROM pg_index WHERE (indisunique OR indisexclusion) AND indrelid::regclass::text !~ '^pg_'`,
    );
    // A primary key and an index alone are replaced by one with the column.
    const without = keys.filter(({ table, columns, plain, replaced }) => {
      const { kind, column } = kindOf(table);
      return kind === "shard" && !replaced && !(plain && columns.includes(column!));
    });
    expect(without).toEqual([]);
    expect(sharded.length).toBeGreaterThan(3);
    for (const [table] of sharded) expect(keys.map((it) => it.table)).toContain(table);
  });

  it("keeps every foreign key on one node", async () => {
    const keys = await ask<Record<"name" | "from" | "to" | "update" | "delete", string> & { here: string[]; there: string[] }>(
      `SELECT conname AS name, ${NAME("conrelid")} AS from, ${NAME("confrelid")} AS to, confupdtype AS update, confdeltype AS delete,
         ${COLUMNS("conrelid", "conkey")} AS here, ${COLUMNS("confrelid", "confkey")} AS there
       FROM pg_constraint WHERE contype = 'f' AND conparentid = 0`,
    );
    const allowed = keys.filter((key) => {
      const [from, to] = [kindOf(key.from), kindOf(key.to)];
      if (from.kind !== "shard") return to.kind === "reference" || (to.kind === "coordinator" && from.kind === "coordinator");
      const includesColumn = key.here.includes(from.column!);
      // Neither action may change the column of the shard: a row can't move to another node. ON UPDATE CASCADE is taken away.
      if (includesColumn && [key.update, key.delete].some((it) => it === "n" || it === "d")) return false;
      if (to.kind === "reference") return true;
      return to.group === from.group && key.here.some((it, index) => it === from.column && key.there[index] === to.column);
    });
    expect(keys.filter((it) => !allowed.includes(it))).toEqual([]);
    expect(allowed.length).toBeGreaterThan(10);
  });

  it("lists every trigger on a distributed table, and each changes only tables of its group", async () => {
    const triggers = await ask<{ table: string; name: string; body: string }>(
      `SELECT ${NAME("tgrelid")} AS table, tgname AS name, prosrc AS body FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal`,
    );
    const found = triggers
      .filter((it) => kindOf(it.table).kind !== "coordinator")
      .map(({ table, name, body }) => [table, name, writtenIn(body).join(", ")]);
    const added = TABLE_DISTRIBUTIONS.flatMap(([table, it]) =>
      typeof it === "object" && it.beforeInsert !== undefined ? [[table, it.beforeInsert, "only the row itself"]] : [],
    );
    expect(rowsOf("Triggers")).toEqual([...found, ...added].sort());
    for (const [table, , changed] of found)
      for (const it of changed!.split(", ")) expect(kindOf(it)).toMatchObject({ group: kindOf(table!).group });
  });

  it("lists every statement that writes rows of several groups", async () => {
    const groupOf = (table: string) => kinds.get(table)?.group ?? kinds.get(table)?.kind;
    const statements = readStatementFiles(SRC).flatMap((it) => it.statements);
    const crossing = statements
      .map(({ name, text }) => ({ name: snakeCase(name), text: withFunctions(text) }))
      .filter((it) => writtenIn(it.text).length > 0)
      .map(({ name, text }) => {
        const groups = new Set(
          [...writtenIn(text), ...readIn(text)].map(groupOf).filter((it) => it !== undefined && it !== "reference"),
        );
        return [name, [...groups].sort()] as const;
      })
      .filter(([, groups]) => groups.length > 1)
      .map(([name, groups]) => [name, groups.join(", ")]);
    expect(rowsOf("Statements that write to several groups").map(([name, groups]) => [name, groups])).toEqual(
      expect.arrayContaining(crossing),
    );
    expect(crossing).toHaveLength(rowsOf("Statements that write to several groups").length);
  });

  it("leaves a service that works with the functions that replace others", async () => {
    await using service = await startTestService({}, { ...database, drop: async () => {} });
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await sendMany(ada, conversation, 3);
    const [key, again] = [withKey(), "a message that is sent twice"];
    for (const replayed of [null, "true"]) {
      const answer = await ada("POST", conversation.messages, { body: again }, key);
      expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([201, replayed]);
    }
    expect(await walk(yuki, conversation.messages, "before")).toHaveLength(4);
    expect((await yuki("GET", "/notifications")).body.data).toHaveLength(2);
    expect(await ada("DELETE", `${conversation.members}/${yuki.userId}`)).toMatchObject({ status: 204 });
    expect(await send(yuki, conversation, "gone")).toMatchObject({ status: 403 });
    expect((await ada("GET", conversation.path)).body.member_count).toBe(1);
  });
});

const names = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, it]) => it!))];
/** SQL with the bodies of the functions that it calls, and of those that they call. */
const withFunctions = (text: string): string =>
  readFunctions()
    .filter(({ name }) => new RegExp(`(?:SELECT|FROM|,|ELSE|PERFORM)\\s+${name}\\(`).test(text))
    .reduce((all, { name, body }) => `${all} ${withFunctions(body.replaceAll(`${name}(`, ""))}`, text);
/** The tables that SQL writes to, and those that it reads. */
const writtenIn = (text: string) => names(text, /\b(?:INSERT INTO|(?<!DO |FOR )UPDATE|DELETE FROM)\s+(\w+)/g);
const readIn = (text: string) => names(text, /\b(?:FROM|JOIN)\s+(\w+)/g);
