import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { startPlannedService, type PlannedService } from "../support/plans.ts";

const MILLION = 1_000_000;

let service: PlannedService;
let reader: Client;

beforeAll(async () => {
  service = await startPlannedService(async (run) => {
    await run("INSERT INTO users (id, display_name) VALUES ('00000000-0000-7000-8000-000000000001', 'Author')");
    await run(
      `INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
       SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '00000000-0000-7000-8000-000000000001', 'Post ' || n, 'x', at, at
       FROM generate_series(1, $1) n, LATERAL (SELECT now() - n * interval '1 second' AS at) t`,
      [MILLION],
    );
  });
  reader = await service.as();
});
afterAll(() => service.close());

describe("With a million rows in each table, the database reads no more than the page needs", () => {
  test("for a page of posts", async () => {
    const { result, statements } = await service.statementsOf(() => reader("GET", "/posts?limit=20"));
    expect(result.status).toBe(200);
    service.expectBounded(statements);
  });

  test("and a statement that reads a table as a whole is noticed", async () => {
    const { statements } = await service.statementsOf(() => service.db.$queryRaw`SELECT max(title) FROM posts`);
    expect(() => service.expectBounded(statements)).toThrow("It reads all of posts.");
  });
});
