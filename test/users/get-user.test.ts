import { randomUUIDv7 } from "node:crypto";
import { expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import { DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api", USER_DIRECTORY: "off" }));

it("GET /users/{user_id} returns 200 with the profile to every user, also without a directory", async () => {
  const [ada, yuki] = [await service.as({ name: "Ada Marsh" }), await service.as()];
  for (const reader of [ada, yuki])
    expect(await reader("GET", `/users/${ada.userId}`)).toMatchObject({
      status: 200,
      body: { id: ada.userId, display_name: "Ada Marsh", deleted: false, created_at: expect.any(String) },
    });
});

it("GET /users/{user_id} returns the same for a deleted user, an unknown id and the id that deleted users share", async () => {
  const [ada, yuki] = [await service.as(), await service.as()];
  // From the moment of the deletion, while a job still removes what the user had.
  expect(await beginErasure(service.db, ada.userId, async () => undefined)).toBe(true);
  for (const id of [ada.userId, randomUUIDv7(), DELETED_USER_ID]) {
    const { status, body } = await yuki("GET", `/users/${id}`);
    expect([status, body]).toEqual([200, { id, display_name: null, deleted: true, created_at: null }]);
  }
});
