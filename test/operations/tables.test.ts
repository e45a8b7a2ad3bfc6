import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { TABLE_DISTRIBUTIONS } from "../../scripts/operations/distribution.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";

const SCHEMA = readFileSync(new URL("../../prisma/schema.prisma", import.meta.url), "utf8");
const README = readFileSync(new URL("../../prisma/README.md", import.meta.url), "utf8");

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

  it("lets each trigger on a distributed table change only tables of its group", async () => {
    const triggers = await ask<{ table: string; name: string; body: string }>(
      `SELECT ${NAME("tgrelid")} AS table, tgname AS name, prosrc AS body FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal`,
    );
    const found = triggers.filter((it) => kindOf(it.table).kind !== "coordinator");
    expect(found).toHaveLength(3);
    for (const { table, name, body } of found)
      for (const changed of [...body.matchAll(/\b(?:INSERT INTO|(?<!DO |FOR )UPDATE|DELETE FROM)\s+(\w+)/g)].map(([, it]) => it!))
        expect([name, changed, kindOf(changed).group]).toEqual([name, changed, kindOf(table).group]);
  });
});

describe("each table", () => {
  it("has a limit in schema.prisma or in prisma/README.md, and each limit has a table", async () => {
    const models = [...SCHEMA.matchAll(/((?:^\/\/\/.*\n)*)^model \w+ \{[^}]*@@map\("(\w+)"\)/gm)];
    const limits = new Map([
      ...models.map(([, comment, name]) => [name!, comment!.split("/// Limit: ")[1] ?? "none"] as const),
      ...[...README.matchAll(/^\| `([\w.]+)` *\| (.*?) *\|$/gm)].map(([, name, limit]) => [name!, limit!] as const),
    ]);
    const found = await ask<{ name: string }>(`
      SELECT CASE nspname WHEN 'public' THEN relname ELSE nspname || '.' || relname END AS name
      FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname NOT IN ('pg_catalog', 'information_schema')`);
    expect([...limits.keys()].sort()).toEqual(found.map((it) => it.name).sort());
    expect([...limits].filter(([, limit]) => limit.split(" ").length < 2)).toEqual([]);
  });
});
