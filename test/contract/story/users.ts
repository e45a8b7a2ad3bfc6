import { randomUUIDv7 } from "node:crypto";
import { insertApiKey } from "../../../src/auth/api-keys.ts";
import { shownBody, type ExampleAnswers, type Users } from "./example-answers.ts";

/** Mara finds Tomás, reads a deleted user, and saves her own name, which doesn't change. */
export async function usersExamples({ service, mara }: Users): Promise<ExampleAnswers> {
  const key = await insertApiKey(service.db, { userId: mara.userId, scopes: ["account:write"] });
  return {
    "findUsers one": await mara("GET", "/users?name=tomas"),
    "getUser deleted": await mara("GET", `/users/${randomUUIDv7()}`),
    "updateAccount new_name": await service.anonymous(`Bearer ${key}`)(
      "PATCH",
      "/account",
      shownBody("updateAccount", "new_name"),
    ),
  };
}
