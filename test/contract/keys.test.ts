import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { keyOf } from "../../src/idempotency/idempotency.ts";
import type { Routed } from "../../src/contract/contract.ts";
import type { Principal } from "../../src/contract/contract.ts";
import { operations } from "../support/contract.ts";
import { ask, exampleRequest, type ExampleRequest } from "../support/example-requests.ts";
import { createResources, gather, type People } from "../support/resources.ts";
import { startTestService, type TestService } from "../support/service.ts";

const keyed = operations.filter((it) => it.headerParameters.includes("Idempotency-Key"));

let service: TestService;
let people: People;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
  people = await gather(service);
});
afterAll(() => service.close());

const replayed = async (caller: keyof People, request: ExampleRequest, key: string) =>
  (await ask(people[caller], request, { "Idempotency-Key": key })).headers.get("idempotency-replayed");

describe("an idempotency key", () => {
  it("is a parameter of more than three operations", () => {
    expect(keyed.length).toBeGreaterThan(3);
  });

  it.each(keyed)("of $id belongs to one user and one path", async (operation) => {
    const known = { userId: people.guest.userId, seen: "" };
    const key = randomUUID();
    const request = exampleRequest(operation, await createResources(operation, people), known);
    expect(await replayed("owner", request, key)).toBeNull();
    expect(await replayed("owner", request, key)).toBe("true");
    expect(await replayed("member", request, key)).toBeNull();
    if (!operation.path.includes("{")) return;
    const { path } = exampleRequest(operation, await createResources(operation, people), known);
    expect(path).not.toBe(request.path);
    expect(await replayed("owner", { ...request, path }, key)).toBeNull();
    expect(await replayed("owner", { ...request, path }, key)).toBe("true");
  });

  it("is stored with user, operation and path parameters; without these, as in 1.0.0", () => {
    const principal = { userId: randomUUID() } as Principal;
    const header = { "Idempotency-Key": "a key of tests" };
    const inPost = (post_id: string) =>
      keyOf({ operation: "updatePost" as Routed, principal, path: { post_id }, header })!.operationId;
    const [one, other] = [randomUUID(), randomUUID()];
    expect(inPost(one)).toBe(inPost(one));
    expect(inPost(one)).not.toBe(inPost(other));
    expect(inPost(one)).toMatch(/^updatePost [A-Za-z0-9_-]{22}$/);
    expect(keyOf({ operation: "createPost" as Routed, principal, path: {}, header })).toEqual({
      userId: principal.userId,
      operationId: "createPost",
      key: "a key of tests",
    });
  });
});
