import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { usedBeforeExpiry } from "../support/expiry.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

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

  it.concurrent("returns the expiry of the credential, and 401 after that, even if the credential was used before", async () => {
    const { userId } = await service.as();
    const { caller, expiresAt, first } = await usedBeforeExpiry(async (expiresAt) => {
      const key = await insertApiKey(service.db, { userId, scopes: ["posts:read"], expiresAt });
      const caller = service.anonymous(`Bearer ${key}`);
      return { caller, expiresAt, first: await caller("GET", "/account") };
    });
    expect(first).toMatchObject({
      status: 200,
      body: { credential: { expires_at: expiresAt.toISOString() } },
    });
    for (let isOver = false; !isOver;) {
      const sentMs = Date.now();
      const answer = await caller("GET", "/account");
      isOver = answer.status === 401;
      if (isOver) expect(answer.body.code).toBe("invalid_token");
      // What was sent after the expiry is never accepted, however long it takes.
      else expect([answer.status, sentMs < expiresAt.getTime()]).toEqual([200, true]);
    }
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });

  it("returns the same for two keys of one user, except for their scopes", async () => {
    const ada = await service.as({ scopes: ["posts:read"] });
    const other = service.anonymous(`Bearer ${await insertApiKey(service.db, { userId: ada.userId, scopes: ["urls:read"] })}`);
    const [one, two] = [(await ada("GET", "/account")).body, (await other("GET", "/account")).body];
    expect({ ...two, scopes: one.scopes }).toEqual(one);
    expect([one.scopes, two.scopes]).toEqual([["posts:read"], ["urls:read"]]);
  });
});
