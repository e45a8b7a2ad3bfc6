import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestService, type TestService } from "../support/service.ts";

const README = readFileSync(new URL("../../prisma/README.md", import.meta.url), "utf8");

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe("Each table that there is", () => {
  it("has a line in prisma/README.md that says what bounds it, and there is no line without a table", async () => {
    const [, section = ""] = README.split("## What bounds each table");
    const [table] = section.split("\n## ");
    const stated = new Map([...table!.matchAll(/^\| `([\w.]+)` \| (.*) \|$/gm)].map(([, name, bound]) => [name!, bound!]));
    const found = await service.db.$queryRaw<{ name: string }[]>`
      SELECT CASE nspname WHEN 'public' THEN relname ELSE nspname || '.' || relname END AS name
      FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname NOT IN ('pg_catalog', 'information_schema')`;
    expect([...stated.keys()].sort()).toEqual(found.map((it) => it.name).sort());
    for (const [name, bound] of stated) expect({ name, words: bound.split(" ").length > 1 }).toEqual({ name, words: true });
  });
});
