import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const SCHEMA = readFileSync(new URL("../../prisma/schema.prisma", import.meta.url), "utf8");
const README = readFileSync(new URL("../../prisma/README.md", import.meta.url), "utf8");

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("each table", () => {
  it("has a limit in schema.prisma or in prisma/README.md, and each limit has a table", async () => {
    const models = [...SCHEMA.matchAll(/((?:^\/\/\/.*\n)*)^model \w+ \{[^}]*@@map\("(\w+)"\)/gm)];
    const limits = new Map([
      ...models.map(([, comment, name]) => [name!, comment!.split("/// Limit: ")[1] ?? "none"] as const),
      ...[...README.matchAll(/^\| `([\w.]+)` *\| (.*?) *\|$/gm)].map(([, name, limit]) => [name!, limit!] as const),
    ]);
    const found = await service.db.$queryRaw<{ name: string }[]>`
      SELECT CASE nspname WHEN 'public' THEN relname ELSE nspname || '.' || relname END AS name
      FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname NOT IN ('pg_catalog', 'information_schema')`;
    expect([...limits.keys()].sort()).toEqual(found.map((it) => it.name).sort());
    expect([...limits].filter(([, limit]) => limit.split(" ").length < 2)).toEqual([]);
  });
});
