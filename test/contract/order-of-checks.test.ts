import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import type { Operation } from "../../src/contract/operations.ts";
import type { Client } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { withKey } from "../support/conversations.ts";
import { ask, exampleRequest, pathWith } from "../support/example-requests.ts";
import { createResources, gather, missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: "100000" }));

const guarded = operations.filter((it) => it.scopes !== null);
const scoped = guarded.filter((it) => it.scopes!.length > 0);
const withBody = (it: Operation) => it.body !== null;

/** Invalid bodies. The service must check the credential and the scope before it refuses one of them. */
const BAD_BODIES: readonly (readonly [string, string | Uint8Array, string])[] = [
  ["broken JSON", "{", "application/json"],
  ["another media type", "x", "text/plain"],
  ["200 KB", Buffer.alloc(200_000, 0x20), "application/json"],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "application/json"],
  ["an unknown field", '{"nonsense":1}', "application/json"],
];

async function refusals(caller: Client, operation: Operation): Promise<ReadonlySet<string>> {
  const path = pathWith(operation, missingIds(operation));
  const method = operation.method.toUpperCase();
  const answers = [await caller(method, `${path}?nonsense=1`), await caller(method, path.replace(/\/[^/]{30,}/, "/not-an-id"))];
  if (withBody(operation))
    for (const [, body, type] of BAD_BODIES)
      answers.push(await caller(method, path, body, { headers: { "Content-Type": type } }));
  return new Set(answers.map((it) => `${it.status} ${it.body.code}`));
}

describe("the order of checks", () => {
  it.each(guarded)("$id returns 401 without a valid token, whatever else is wrong", async (operation) => {
    expect([...(await refusals(service.anonymous(), operation))]).toEqual(["401 unauthenticated"]);
    expect([...(await refusals(service.anonymous("Bearer plumb_x"), operation))]).toEqual(["401 invalid_token"]);
  });

  it.each(scoped)(
    "$id returns 403 insufficient_scope to a token without its scope, whatever else is wrong",
    async (operation) => {
      const caller = await service.as({ scopes: everyScope.filter((it) => !operation.scopes!.includes(it)) });
      expect([...(await refusals(caller, operation))]).toEqual(["403 insufficient_scope"]);
    },
  );

  it.each(operations.filter(withBody))("$id returns 415 and 413 before it checks the parameters", async (operation) => {
    const caller = await service.as();
    const path = `${pathWith(operation, missingIds(operation))}?nonsense=1`;
    const method = operation.method.toUpperCase();
    expect(await caller(method, path, "x", { headers: { "Content-Type": "text/plain" } })).toMatchObject({ status: 415 });
    expect(
      await caller(method, path, Buffer.alloc(200_000, 0x20), { headers: { "Content-Type": operation.body! } }),
    ).toMatchObject({ status: 413 });
  });

  it.each(operations.filter((it) => it.path.includes("{") && !it.ignoresUnknownQuery))(
    "$id returns 400 before it checks access to the resource, to the owner and to a stranger",
    async (operation) => {
      const people = await gather(service);
      const request = exampleRequest(operation, await createResources(operation, people));
      for (const caller of [people.owner, people.stranger]) {
        const path = `${request.path}${request.path.includes("?") ? "&" : "?"}nonsense=1`;
        expect(await ask(caller, { ...request, path })).toMatchObject({
          status: 400,
          body: { code: "validation_failed" },
        });
      }
    },
  );

  it("returns 404 for an unknown path first, then 405, then 406, and all of them before 401", async () => {
    const anonymous = service.anonymous();
    expect(await anonymous("PUT", "/posts", "{", { headers: { Accept: "application/xml" } })).toMatchObject({ status: 405 });
    expect(await anonymous("POST", "/posts", "{", { headers: { Accept: "application/xml" } })).toMatchObject({ status: 406 });
    expect(await anonymous("PUT", "/nothing", "{", { headers: { Accept: "application/xml" } })).toMatchObject({ status: 404 });
  });

  it("returns 404 and 403 for the resource before it checks If-Match", async () => {
    const { owner, stranger } = await gather(service);
    const { headers } = await owner("POST", "/posts", { title: "A title", body: "A body" });
    const stale = { headers: { "If-Match": '"stale"' } };
    expect(await stranger("PATCH", headers.get("location")!, { title: "x" }, stale)).toMatchObject({
      status: 403,
      body: { code: "not_the_author" },
    });
    expect(await owner("PATCH", headers.get("location")!, { title: "x" }, stale)).toMatchObject({ status: 412 });
    await owner("DELETE", headers.get("location")!);
    expect(await owner("PATCH", headers.get("location")!, { title: "x" }, stale)).toMatchObject({ status: 404 });
  });

  it("returns a replay or 422 for the key before it checks the rules of the operation", async () => {
    const ada = await service.as();
    const key = withKey();
    const body = { target_url: "https://example.com/", id: "rule-after-key" };
    await ada("POST", "/urls", body, key);
    // The id is taken now. Even so, the retry succeeds, and the other request is refused for its reused key.
    expect(await ada("POST", "/urls", body, key)).toMatchObject({ status: 201 });
    expect(await ada("POST", "/urls", { ...body, target_url: "https://example.com/other" }, key)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
  });
});
