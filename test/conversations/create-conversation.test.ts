import { randomUUID, randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { startPlannedService } from "../support/plans.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { itNeeds } from "../support/needs.ts";

/** The statement with which PostgreSQL checks a foreign key of a new row. */
const FOREIGN_KEY_CHECK = /^SELECT 1 FROM ONLY \S+ x WHERE .* FOR KEY SHARE OF x$/;

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("POST /conversations", () => {
  it("returns 201 with the Location of a conversation owned by the caller, with the requested users as members", async () => {
    const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
    const created = await ada(
      "POST",
      "/conversations",
      { title: "Boathouse roof", member_ids: [yuki.userId, tom.userId] },
      withKey(),
    );
    expect(created).toMatchObject({
      status: 201,
      body: { title: "Boathouse roof", created_by: ada.userId, member_count: 3, last_message_at: null },
    });
    expect(created.headers.get("location")).toBe(`/conversations/${created.body.id}`);
    expect(created.headers.has("idempotency-replayed")).toBe(false);
    for (const member of [ada, yuki, tom])
      expect(await member("GET", created.headers.get("location")!)).toMatchObject({ status: 200, body: created.body });
    const { body } = await yuki("GET", `${created.headers.get("location")}/members`);
    expect(new Map(body.data.map((it: { user_id: string; role: string }) => [it.user_id, it.role]))).toEqual(
      new Map([
        [ada.userId, "owner"],
        [yuki.userId, "member"],
        [tom.userId, "member"],
      ]),
    );
  });

  it("accepts 99 other members, which makes 100 members, of whom the owner is the first to have joined", async () => {
    const others = await Promise.all(Array.from({ length: 99 }, () => service.as()));
    // The id of the owner comes after all others.
    const ada = await service.as();
    const created = await ada("POST", "/conversations", { member_ids: others.map((it) => it.userId) }, withKey());
    expect(created).toMatchObject({ status: 201, body: { member_count: 100 } });
    const { body } = await ada("GET", `${created.headers.get("location")}/members?limit=100`);
    const [first, ...rest] = body.data as { user_id: string; role: string; joined_at: string }[];
    expect(first).toMatchObject({ user_id: ada.userId, role: "owner" });
    expect(rest).toHaveLength(99);
    expect(rest.filter((it) => it.role !== "member" || it.joined_at <= first!.joined_at)).toEqual([]);
  });

  it("returns 422 unknown_user that points at each unknown or deleted id, creates nothing, and notifies no user", async () => {
    const [ada, yuki, gone] = [await service.as(), await service.as(), await service.as()];
    await service.db.user.update({ where: { id: gone.userId }, data: { deletedAt: new Date() } });
    const answer = await ada(
      "POST",
      "/conversations",
      { member_ids: [yuki.userId, randomUUIDv7(), ada.userId, gone.userId] },
      withKey(),
    );
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "unknown_user",
        errors: [
          { in: "body", pointer: "/member_ids/1" },
          { in: "body", pointer: "/member_ids/3" },
        ],
      },
    });
    expect(await ada("POST", "/conversations", { member_ids: [gone.userId] }, withKey())).toMatchObject({
      status: 422,
      body: { code: "unknown_user", errors: [{ in: "body", pointer: "/member_ids/0" }] },
    });
    expect((await ada("GET", "/conversations")).body.data).toEqual([]);
    expect((await yuki("GET", "/notifications")).body.data).toEqual([]);
  });
});

describe("POST /conversations with an Idempotency-Key", () => {
  it("replays the first response even after the conversation is deleted", async () => {
    const [ada, key] = [await service.as(), randomUUID()];
    const first = await ada("POST", "/conversations", { member_ids: [ada.userId] }, withKey(key));
    await ada("DELETE", `/conversations/${first.body.id}/members/${ada.userId}`);
    expect(await ada("POST", "/conversations", { member_ids: [ada.userId] }, withKey(key))).toMatchObject({
      status: 201,
      text: first.text,
    });
  });

  it("processes the retry of a failed request as a new request", async () => {
    const [ada, key, id] = [await service.as(), randomUUID(), randomUUIDv7()];
    expect(await ada("POST", "/conversations", { member_ids: [id] }, withKey(key))).toMatchObject({ status: 422 });
    await service.db.user.create({ data: { id, displayName: "Late" } });
    expect(await ada("POST", "/conversations", { member_ids: [id] }, withKey(key))).toMatchObject({ status: 201 });
  });
});

describe("POST /conversations with 99 other members", () => {
  itNeeds(
    "one server",
    "is one statement, which runs three more in triggers and three in functions, besides the checks of the foreign keys",
    async () => {
      await using planned = await startPlannedService(async () => {}, { ROLE: "api" });
      const others = await Promise.all(Array.from({ length: 99 }, () => planned.as()));
      const ada = await planned.as();
      const member_ids = others.map((it) => it.userId);
      // For the second request, the credential is cached.
      for (const _ of [1, 2]) {
        const { result, statements } = await planned.statementsOf(() => ada("POST", "/conversations", { member_ids }, withKey()));
        expect(result).toMatchObject({ status: 201, body: { member_count: 100 } });
        expect(
          statements.map((it) => it.sql).filter((sql) => !FOREIGN_KEY_CHECK.test(sql) && !/FROM api_keys/.test(sql)),
        ).toEqual([
          expect.stringContaining("INSERT INTO idempotency_keys"),
          expect.stringContaining("INSERT INTO notifications"),
          expect.stringContaining("FROM webhook_endpoints"),
          expect.stringContaining("UPDATE conversations"),
          expect.stringContaining("UPDATE members"),
          expect.stringContaining("FROM inserted GROUP BY"),
          expect.stringContaining("INSERT INTO conversations"),
        ]);
      }
    },
  );
});
