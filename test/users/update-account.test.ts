import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import { displayNameOf } from "../../src/auth/users.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("PATCH /account", () => {
  it("returns 200 with the new name, which GET /account then returns to every credential of the user", async () => {
    const ada = await service.as({ name: "Ada Marsh" });
    const key = await insertApiKey(service.db, { userId: ada.userId, scopes: everyScope });
    const other = service.anonymous(`Bearer ${key}`);
    // Both credentials are remembered with the old name.
    const before = [await ada("GET", "/account"), await other("GET", "/account")];
    const changed = await ada("PATCH", "/account", { display_name: "Ada Marsh-Okafor" });
    expect(changed).toMatchObject({ status: 200, body: { ...before[0]!.body, display_name: "Ada Marsh-Okafor" } });
    for (const it of [ada, other]) expect((await it("GET", "/account")).body.display_name).toBe("Ada Marsh-Okafor");
  });

  it.each([
    ["of 100 characters outside the BMP", "🪚".repeat(100)],
    ["with a joined emoji", "👩‍🔧 Ada"],
    ["in Arabic", "ليلى"],
  ])("accepts a name %s unchanged", async (_what, name) => {
    const ada = await service.as();
    expect(await ada("PATCH", "/account", { display_name: name })).toMatchObject({ status: 200, body: { display_name: name } });
  });

  it.each([
    ["a mark that reverses the direction", "\u202eadA"],
    ["an isolate", "Ada \u2067Marsh\u2069"],
    ["a control of C1", "Ada\u009b31m"],
    ["a line separator", "Ada\u2028Marsh"],
    ["nothing visible", "\u200b\u200d\u2060"],
    ["a space at the end", "Ada "],
    ["a space at the beginning", " Ada"],
  ])("refuses %s with 422 display_name_not_allowed, and changes nothing", async (_what, name) => {
    expect(displayNameOf(name)).not.toBe(name);
    const ada = await service.as({ name: "Ada Marsh" });
    expect(await ada("PATCH", "/account", { display_name: name })).toMatchObject({
      status: 422,
      body: { code: "display_name_not_allowed", errors: [{ in: "body", pointer: "/display_name" }] },
    });
    expect((await ada("GET", "/account")).body.display_name).toBe("Ada Marsh");
  });

  it("returns 401 to a deleted user whose credential is still cached", async () => {
    const ada = await service.as();
    await ada("GET", "/account");
    await beginErasure(service.db, ada.userId, async () => undefined);
    expect(await ada("PATCH", "/account", { display_name: "Still here" })).toMatchObject({ status: 401 });
  });
});
