import type { Scope } from "#generated/operations.ts";
import { insertApiKey } from "../../../src/auth/api-keys.ts";
import type { Issuer } from "../../support/tokens.ts";
import type { Users, ExampleAnswers } from "./example-answers.ts";

const SCOPES: readonly Scope[] = ["conversations:read", "conversations:write", "posts:read", "posts:write"];

/** Mara requests her account with an API key and with a token of the identity provider. An anonymous client checks the health. */
export async function accountExamples({ service, mara }: Users, issuer: Issuer): Promise<ExampleAnswers> {
  const apiKey = await insertApiKey(service.db, { userId: mara.userId, scopes: SCOPES });
  const jwt = await issuer.sign({ claims: { name: mara.userName, scope: "posts:read" } });
  return {
    "getAccount api_key": await service.anonymous(`Bearer ${apiKey}`)("GET", "/account"),
    "getAccount jwt": await service.anonymous(`Bearer ${jwt}`)("GET", "/account"),
    "getHealth pass": await service.anonymous()("GET", "/health"),
    "getLiveness pass": await service.anonymous()("GET", "/health/live"),
  };
}
