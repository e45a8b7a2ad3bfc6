import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { findEndOfAudit, insertAuditEntry } from "../../src/audit-trail/store.ts";
import { transaction, type Tx } from "../../src/database/client.ts";
import { isCallerDeleted, databaseFailure } from "../../src/database/database-failure.ts";
import { deleteRows } from "../../src/database/references.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { countMentions, declared, findReferences, nameOf, userColumns } from "../../src/personal-data/references-store.ts";
import { createDependents, finishDeletion } from "../../src/jobs/dependents.ts";
import type { Execution } from "../../src/jobs/job.ts";
import type { JobQueue } from "../../src/jobs/jobs.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { createTestDatabase } from "../support/database.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

type Column = { table: string; column: string; name: string; isText: boolean; type: string; deletes: string | null };
/** Every column of the tables; `deletes` is what its foreign key does when the row that it refers to is deleted. */
const findColumns = () =>
  service.db.$queryRaw<Column[]>`
    SELECT c.relname AS table, a.attname AS column, c.relname || '.' || a.attname AS name, t.typname AS type,
      t.typname IN ('uuid', '_uuid', 'text', '_text', 'varchar', '_varchar', 'bpchar', 'json', 'jsonb', 'bytea') AS "isText",
      (SELECT min(confdeltype::text) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY (k.conkey))
        AS deletes
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations'`;

describe("src/*/tables.ts", () => {
  it("declare every column with texts, bytes or ids once, and no other column", async () => {
    const columns = await findColumns();
    const listed = declared.flatMap(([table, { users = {}, userContent = [], metadata = [], excluded = {} }]) =>
      [...Object.keys(users), ...userContent, ...metadata, ...Object.keys(excluded).filter((it) => users[it] === undefined)].map(
        (it) => `${table}.${it}`,
      ),
    );
    // The id of a row and a foreign key to another table are no data of a user.
    const plain = ({ column, type, deletes }: Column) => type === "uuid" && (column === "id" || deletes !== null);
    const needed = columns.filter((it) => it.isText && (!plain(it) || listed.includes(it.name))).map((it) => it.name);
    const advice = "Declare each column that is missing in src/<area>/tables.ts, as userContent or metadata.";
    expect({ advice, columns: listed.toSorted() }).toEqual({ advice, columns: needed.toSorted() });
  });

  it("declare what happens to the rows of every column that refers to users when a user is erased, as its foreign key allows", async () => {
    const columns = new Map((await findColumns()).map((it) => [it.name, it]));
    const references = (await withSnapshot(service.databaseUrl, findReferences)).map(nameOf);
    expect(references.filter((name) => !userColumns.some((it) => nameOf(it) === name))).toEqual([]);
    for (const it of userColumns) {
      const deletes = columns.get(nameOf(it))?.deletes;
      if (it.onErase === "cascade") expect([nameOf(it), deletes]).toEqual([nameOf(it), "c"]);
    }
    const withoutWay = declared.filter(([, it]) => Object.values(it.users ?? {}).includes("erased") && it.erase === undefined);
    // Incomplete uploads are erased with the complete ones.
    expect(withoutWay.map(([name]) => name)).toEqual(["partial_uploads"]);
  });
});

describe("the proof of an erasure", () => {
  it("names the end of the last entry of the audit trail about a user", async () => {
    const { userId } = await service.as();
    const last = new Date("2027-05-01T00:00:00Z");
    await transaction(service.db, async (tx) => {
      for (const action of ["key.rotate", "user.rename", "key.revoke"])
        await insertAuditEntry(tx, { action, userId, details: {}, operator: "ada", host: "localhost" });
      const [, second] = await tx.auditEntry.findMany({ where: { userId }, orderBy: { id: "asc" } });
      await tx.auditEntry.updateMany({ where: { userId }, data: { expiresAt: new Date("2027-01-01T00:00:00Z") } });
      await tx.auditEntry.update({ where: { id: second!.id }, data: { expiresAt: last } });
      expect(await findEndOfAudit(tx, userId)).toEqual(last);
    });
  });

  it("finds the id of a user in a stored response, in JSON and in another user's row, and not in texts of users", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const mentions = async () =>
      (await withSnapshot(service.databaseUrl, (snapshot) => countMentions(snapshot, ada.userId)))
        .filter((it) => it.rows > 0)
        .map(nameOf);
    const before = await mentions();
    await publish(bo, { body: `I know ${ada.userId}` });
    expect(await mentions()).toEqual(before);
    await service.db.idempotencyKey.create({
      data: {
        ...{ userId: bo.userId, operationId: "createPost", key: "k-mentions", fingerprint: Buffer.alloc(32), status: 201 },
        ...{ headers: { "X-Of": ada.userId }, body: `{"author_id":"${ada.userId}"}` },
      },
    });
    expect((await mentions()).filter((it) => !before.includes(it)).toSorted()).toEqual([
      "idempotency_keys.body",
      "idempotency_keys.headers",
    ]);
  });
});

describe("the columns that refer to users", () => {
  it("have a foreign key whose violation is 401 if the row is of the caller, and 503 if it is of another user", async () => {
    const keys = await service.db.$queryRaw<{ name: string }[]>`
      SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND confrelid::regclass::text ~ '^users(_[0-9]+)?$' AND conrelid <> 'api_keys'::regclass`;
    const failures = keys.map(({ name }) => {
      const error = Object.assign(new Error("refused"), { code: "23503", constraint: name });
      return [name, isCallerDeleted(error), databaseFailure(error)?.code] as const;
    });
    const ofOthers = ["members", "former_members", "listed_conversations", "notifications"]
      .map((it) => `${it}_user_id_fkey`)
      .concat("webhook_deliveries_owner_id_fkey");
    expect(failures.length).toBeGreaterThan(8);
    expect(failures.toSorted()).toEqual(
      keys.map(({ name }) => (ofOthers.includes(name) ? [name, false, "unavailable"] : [name, true, "invalid_token"])).toSorted(),
    );
  });

  it("of a table that was added later are found by the proof and the export", async () => {
    const { userId } = await service.as();
    await service.db
      .$executeRaw`CREATE TABLE added_later (id int PRIMARY KEY, fan_id uuid REFERENCES users (id), note text, fans uuid[], names text[])`;
    await service.db
      .$executeRaw`INSERT INTO added_later VALUES (1, ${userId}::uuid, NULL, NULL, NULL), (2, NULL, ${`of ${userId}`}, NULL, NULL),
      (3, NULL, NULL, ARRAY[NULL, ${userId}::uuid], ARRAY['x', ${`of ${userId}`}])`;
    await service.db.$executeRaw`CREATE SCHEMA of_another_program`;
    await service.db.$executeRaw`CREATE TABLE of_another_program.fans AS SELECT ${userId}::uuid AS id`;
    const references = (await withSnapshot(service.databaseUrl, findReferences)).map(nameOf);
    expect(references).toContain("added_later.fan_id");
    const mentions = await withSnapshot(service.databaseUrl, (snapshot) => countMentions(snapshot, userId));
    const added = mentions.filter(({ table }) => ["added_later", "of_another_program.fans"].includes(table));
    expect(added.map((it) => [it.table, it.column, it.rows])).toEqual([
      ["of_another_program.fans", "id", 1],
      ...["fan_id", "note", "fans", "names"].map((column) => ["added_later", column, 1]),
    ]);
    await service.db.$executeRaw`DROP TABLE added_later`;
    await service.db.$executeRaw`DROP SCHEMA of_another_program CASCADE`;
  });
});

describe("the dependents in other areas", () => {
  const enqueued: object[] = [];
  const queue = { enqueue: async (_tx: unknown, _job: unknown, payload: object) => void enqueued.push(payload) };
  const remove = (tx: Tx, id: string, batch: number) =>
    tx.$executeRaw`DELETE FROM remarks WHERE ctid = ANY (ARRAY(SELECT ctid FROM remarks WHERE post_id = ${id}::uuid LIMIT ${batch}))`;
  const dependents = createDependents({ remarks: { onDeleted: { posts: remove } } }, queue as unknown as JobQueue);
  const count = async () => (await service.db.$queryRaw<{ n: number }[]>`SELECT count(*)::int AS n FROM remarks`)[0]!.n;
  const remark = (postId: string, rows: number) =>
    service.db.$executeRaw`INSERT INTO remarks SELECT ${postId}::uuid FROM generate_series(1, ${rows}::int)`;
  const execution = (attempt: number, putBack: () => Promise<void>) =>
    ({ attempt, attemptsMax: 101, signal: AbortSignal.timeout(60_000), putBack }) as unknown as Execution;
  beforeAll(() => service.db.$executeRaw`CREATE TABLE remarks (post_id uuid)`);
  afterAll(() => service.db.$executeRaw`DROP TABLE remarks`);

  it("goes with its row in the same transaction, and if there is much of it, the rest by a job that starts again after its retries", async () => {
    const [few, many] = [randomUUIDv7(), randomUUIDv7()];
    await remark(few, 3);
    await remark(many, 2_500);
    const refused = transaction(service.db, async (tx) => {
      await dependents.deleted(tx, "posts", few);
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    expect(await count()).toBe(2_503);
    await transaction(service.db, (tx) => dependents.deleted(tx, "posts", few));
    expect([await count(), enqueued]).toEqual([2_500, []]);
    await transaction(service.db, (tx) => dependents.deleted(tx, "posts", many));
    expect([await count(), enqueued]).toEqual([1_500, [{ table: "posts", id: many }]]);

    let again = 0;
    const putBack = async () => void again++;
    const away = { ...dependents, removeAll: () => Promise.reject(new Error("away")) };
    const failing = (attempt: number) =>
      finishDeletion.perform({ db: service.db, dependents: away }, enqueued[0], execution(attempt, putBack));
    await expect(failing(100)).rejects.toThrow("away");
    await failing(101);
    expect(again).toBe(1);
    await finishDeletion.perform({ db: service.db, dependents }, enqueued[0], execution(1, putBack));
    expect(await count()).toBe(0);
  });

  it("goes with the rows of an erased user, too", async () => {
    const ada = await service.as();
    const { post } = await publish(ada);
    await remark(post.id as string, 3);
    const reference = { table: "posts", column: "author_id" };
    const after = (tx: Tx, id: string) => dependents.deleted(tx, "posts", id);
    expect(await deleteRows(service.db, reference, ada.userId, 10, after)).toBe(1);
    expect(await count()).toBe(0);
  });
});

const database = prepare(() => createTestDatabase());

it.each([0, 1, 499, 500, 501, 1_000, 1_201])("an export reads all rows of a table of %i, in batches", async (count) => {
  const rows = await withSnapshot(database.url, (snapshot) =>
    Array.fromAsync(snapshot.rows<{ n: number }>("SELECT n FROM generate_series(1, $1::int) n", [count])),
  );
  expect(rows.map((it) => it.n)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});
