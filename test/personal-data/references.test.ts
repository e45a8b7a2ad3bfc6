import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { isUserGone, databaseFailure } from "../../src/database/database-failure.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { countMentions, findReferences, LEFT_OUT, nameOf, WRITTEN_BY_USERS } from "../../src/personal-data/references-store.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

/** Columns of UUIDs without a foreign key that hold no id of a user. A new column must be here, or be a reference. */
const OTHER_IDS = [
  "audit_entries.id",
  ...["conversations", "messages", "notifications", "partial_uploads", "posts", "upload_reservations", "video_uploads"].map(
    (it) => `${it}.id`,
  ),
  // A random id of one request.
  "partial_uploads.writer",
  "store_ties.database_id",
  // A random id of one sweep.
  "store_ties.sweeper",
];

const columns = () =>
  service.db.$queryRaw<{ name: string; type: string; is_key: boolean }[]>`
    SELECT c.relname || '.' || a.attname AS name, t.typname AS type,
      EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY (k.conkey)) AS is_key
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`;

describe("the columns that refer to users", () => {
  it("are all columns of UUIDs, except those that are named here, so that no new one is forgotten", async () => {
    const references = (await withSnapshot(service.databaseUrl, findReferences)).map(nameOf);
    const found = await columns();
    const unknown = found.filter((it) => it.type === "uuid" && !it.is_key).map((it) => it.name);
    expect(unknown.filter((it) => !references.includes(it)).sort()).toEqual(OTHER_IDS.sort());
    const names = new Set(found.map((it) => it.name));
    const declared = [...references, ...Object.keys(LEFT_OUT), ...WRITTEN_BY_USERS.map((it) => it.replace(/^public\./, ""))];
    expect(declared.filter((it) => !names.has(it))).toEqual([]);
  });

  it("have a foreign key whose violation is 401 if the row is of the caller, and 503 if it is of somebody else", async () => {
    const keys = await service.db.$queryRaw<{ name: string }[]>`
      SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND confrelid = 'users'::regclass AND conrelid <> 'api_keys'::regclass`;
    const failures = keys.map(({ name }) => {
      const error = Object.assign(new Error("refused"), { code: "23503", constraint: name });
      return [name, isUserGone(error), databaseFailure(error)?.code] as const;
    });
    const ofOthers = ["members_user_id_fkey", "former_members_user_id_fkey", "notifications_user_id_fkey"];
    expect(failures.length).toBeGreaterThan(8);
    expect(failures.toSorted()).toEqual(
      keys.map(({ name }) => (ofOthers.includes(name) ? [name, false, "unavailable"] : [name, true, "invalid_token"])).toSorted(),
    );
  });

  it("of a table that was added later are found by the proof and the export", async () => {
    const { userId } = await service.as();
    await service.db.$executeRaw`CREATE TABLE added_later (id int PRIMARY KEY, fan_id uuid REFERENCES users (id), note text)`;
    await service.db.$executeRaw`INSERT INTO added_later VALUES (1, ${userId}::uuid, NULL), (2, NULL, ${`of ${userId}`})`;
    const references = (await withSnapshot(service.databaseUrl, findReferences)).map(nameOf);
    expect(references).toContain("added_later.fan_id");
    const mentions = await withSnapshot(service.databaseUrl, (snapshot) => countMentions(snapshot, userId));
    expect(mentions.filter((it) => it.table === "added_later")).toEqual([
      { table: "added_later", column: "fan_id", rows: 1 },
      { table: "added_later", column: "note", rows: 1 },
    ]);
    await service.db.$executeRaw`DROP TABLE added_later`;
  });
});
