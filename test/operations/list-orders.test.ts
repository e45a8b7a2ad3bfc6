import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { findPosts } from "#generated/sql/posts.ts";
import { BY_SEQUENCE } from "../../src/conversations/messages/store.ts";
import type { Routed } from "../../src/contract/contract.ts";
import {
  BY_CREATION,
  page as pageStatement,
  DEFAULT_PAGE_LIMIT,
  type Order,
  type PageRequest,
} from "../../src/pagination/keyset.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { parsePage, page } from "../../src/pagination/list.ts";
import { operations, parametersOf } from "../support/contract.ts";
import { startTestService, type TestService } from "../support/service.ts";

const COUNT = 7;
/** In this order, only the id decides, because all rows have the same instant. */
const BY_ID = BY_CREATION;
type Row = { readonly sequence: number; readonly id: string; readonly createdAt: Date | string };
const cursors = createCursors(["a secret of these tests"]);
const at = new Date("2026-11-22T05:00:00.000Z");

let service: TestService;
const conversationId = randomUUIDv7();
const ids = Array.from({ length: COUNT }, () => randomUUIDv7());
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
  const { userId } = await service.as();
  await service.db.conversation.create({ data: { id: conversationId, createdById: userId } });
  await service.db.message.createMany({
    data: ids.map((id, index) => ({
      ...{ id, conversationId, senderId: userId, body: "x", createdAt: at },
      ...{ sequence: index + 1, idempotencyKey: `key-${index}` },
    })),
  });
});
afterAll(() => service.close());

/** Reads all pages of a list, two rows each. */
async function walk<Field extends "sequence" | "createdAt" | "id">(
  order: Order<Field>,
  sort: string,
  find: (pageRequest: PageRequest<NoInfer<Field>>) => Promise<readonly Row[]>,
): Promise<number[]> {
  const pages: number[][] = [];
  for (let after: string | undefined; ;) {
    const input = { operation: "listMessages" as Routed, path: { conversationId }, query: { limit: 2, sort, after } } as const;
    const pageRequest = parsePage(cursors, input, order);
    const body = page(pageRequest, await find(pageRequest), (row) => row.sequence);
    pages.push(body.data);
    if (body.page.next_cursor === null) break;
    after = body.page.next_cursor;
  }
  expect(pages.map((it) => it.length)).toEqual([2, 2, 2, 1]);
  return pages.flat();
}

const inSql = (name: string, columns: string, values: string) => {
  const text = (direction: "asc" | "desc") => `SELECT sequence, id, created_at FROM messages WHERE conversation_id = $1
    AND (${columns}) ${direction === "asc" ? ">" : "<"} (${values}) ORDER BY ${columns.replaceAll(/$|,/g, ` ${direction}$&`)} LIMIT $2`;
  const find = pageStatement({
    name,
    text: { asc: text("asc"), desc: text("desc") },
    limit: 2,
    values: ({ limit, ...position }: { limit: number }) => [conversationId, limit, ...Object.values(position)],
    columns: ["int4", "uuid", "timestamptz"],
    row: ([sequence, id, createdAt]) => ({ sequence, id, createdAt }) as Row,
  });
  return (pageRequest: PageRequest) => find(service.db, pageRequest);
};
const bySequence = inSql("test_by_sequence", "sequence", "$3");
const byIdOnly = inSql("test_by_id", "created_at, id", "$3, $4");

describe("a list in a declared order", () => {
  const up = Array.from({ length: COUNT }, (_, index) => index + 1);
  const directions = [
    { sort: "sequence", expected: up },
    { sort: "-sequence", expected: up.toReversed() },
  ];

  it.each(directions)("returns each row once, in the order of a counter: $sort", async ({ sort, expected }) => {
    expect(await walk(BY_SEQUENCE, sort, bySequence)).toEqual(expected);
  });

  it.each(directions)("returns each row with the same timestamp once, in the order of ids: $sort", async ({ sort, expected }) => {
    const byId = ids.toSorted().map((id) => ids.indexOf(id) + 1);
    expect(await walk(BY_ID, sort, byIdOnly)).toEqual(expected === up ? byId : byId.toReversed());
  });

  it("has the same rows on a page of the usual size, whose limit is no parameter", async () => {
    const pageRequests = [DEFAULT_PAGE_LIMIT, DEFAULT_PAGE_LIMIT + 1].map((take) => ({
      ...({ order: BY_CREATION, direction: "desc", position: [at, ids.toSorted()[4]!], take } as const),
    }));
    const [usual, other] = await Promise.all(pageRequests.map((it) => byIdOnly(it)));
    expect(usual).toHaveLength(4);
    expect(usual).toEqual(other);
  });

  it("has a cached plan for pages of the default size of the contract", async () => {
    const defaults = operations.flatMap((it) => parametersOf(it).filter(({ name }) => name === "limit"));
    expect(new Set(defaults.map((it) => (it.schema as { default: number }).default + 1))).toEqual(new Set([DEFAULT_PAGE_LIMIT]));
    const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
    try {
      const first = { order: BY_CREATION, direction: "desc", position: undefined, take: DEFAULT_PAGE_LIMIT } as const;
      for (let n = 0; n < 10; n++) await findPosts(pool, first);
      const { rows } = await pool.query("SELECT name, custom_plans FROM pg_prepared_statements");
      // PostgreSQL plans the first five times in any case.
      expect(rows).toEqual([{ name: "find_posts_desc_default", custom_plans: "5" }]);
    } finally {
      await pool.end();
    }
  });

  it("rejects a cursor of another order, even from the same list", () => {
    const query = { limit: 2, after: undefined };
    const input = { operation: "listMessages" as Routed, path: { conversationId }, query } as const;
    const after = parsePage(cursors, input, BY_SEQUENCE).cursorOf({ sequence: 3 });
    const asked = { ...input, query: { ...query, after } };
    expect(parsePage(cursors, asked, BY_SEQUENCE).position).toEqual([3]);
    expect(() => parsePage(cursors, asked, BY_ID)).toThrow(/invalid_cursor/);
  });
});
