import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { insertApiKey } from "../../src/users/api-keys.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

describe("GET /account", () => {
  it("returns 200 with the user and the scopes of the credential in alphabetical order", async () => {
    const ada = await service.as({ name: "Ada Marsh", scopes: ["urls:write", "posts:read", "conversations:read"] });
    expect(await ada("GET", "/account")).toMatchObject({
      status: 200,
      body: {
        user_id: ada.userId,
        display_name: "Ada Marsh",
        scopes: ["conversations:read", "posts:read", "urls:write"],
        credential: { kind: "api_key", expires_at: null },
      },
    });
    expect((await (await service.as())("GET", "/account")).body.scopes).toEqual([...everyScope].sort());
  });

  it("returns 200 to a credential without scopes", async () => {
    expect(await (await service.as({ scopes: [] }))("GET", "/account")).toMatchObject({ status: 200, body: { scopes: [] } });
  });

  it("returns the expiry of the credential, and 401 after that, even if the credential was used before", async () => {
    const { userId } = await service.as();
    const expiresAt = new Date(Date.now() + 1_500);
    const key = await insertApiKey(service.db, { userId, scopes: ["posts:read"], expiresAt });
    const caller = service.anonymous(`Bearer ${key}`);
    expect(await caller("GET", "/account")).toMatchObject({
      status: 200,
      body: { credential: { expires_at: expiresAt.toISOString() } },
    });
    let answer = await caller("GET", "/account");
    while (answer.status === 200) answer = await caller("GET", "/account");
    expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
    expect(Date.now()).toBeLessThan(expiresAt.getTime() + 1_000);
  });

  it("returns the same for two keys of one user, except for their scopes", async () => {
    const ada = await service.as({ scopes: ["posts:read"] });
    const other = service.anonymous(`Bearer ${await insertApiKey(service.db, { userId: ada.userId, scopes: ["urls:read"] })}`);
    const [one, two] = [(await ada("GET", "/account")).body, (await other("GET", "/account")).body];
    expect({ ...two, scopes: one.scopes }).toEqual(one);
    expect([one.scopes, two.scopes]).toEqual([["posts:read"], ["urls:read"]]);
  });

  it.each([
    ["no token", undefined],
    ["a key with one character changed", "change"],
    ["a key that was never issued", `Bearer plumb_aaaaaaaaaaaa_${"A".repeat(43)}`],
    ["a JWT if no issuer is configured", "Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln"],
  ])("returns 401 with a challenge for %s", async (_what, authorization) => {
    const { authorization: good = "" } = await service.as();
    const caller = service.anonymous(
      authorization === "change" ? `${good.slice(0, -1)}${good.endsWith("A") ? "B" : "A"}` : authorization,
    );
    const answer = await caller("GET", "/account");
    expect(answer).toMatchObject({
      status: 401,
      body: { code: authorization === undefined ? "unauthenticated" : "invalid_token" },
    });
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm=/);
  });

  it("returns 400 for a query parameter, and 405 with Allow for another method", async () => {
    const ada = await service.as();
    expect(await ada("GET", "/account?fields=scopes")).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    const answer = await ada("DELETE", "/account");
    expect(answer).toMatchObject({ status: 405 });
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});
