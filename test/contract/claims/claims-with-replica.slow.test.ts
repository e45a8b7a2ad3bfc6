import { afterAll, beforeAll, describe, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { addUser } from "../../../src/auth/users.ts";
import { createClient } from "../../support/client.ts";
import { createDeployment } from "../../support/deployment.ts";
import { eventually } from "../../support/eventually.ts";
import { startPrimary, type PostgresNode } from "../../support/postgres-nodes.ts";
import { testClaims } from "./all.ts";
import type { Fixture } from "./claim.ts";

let stack: AsyncDisposableStack;
let standby: PostgresNode;
let fixture: Fixture;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const primary = stack.use(await startPrimary());
  standby = stack.use(await primary.addStandby("standby", { settings: { recovery_min_apply_delay: "2ms" } }));
  const deployment = stack.use(await createDeployment({ database: { url: primary.url, drop: async () => {} } }));
  const service = await deployment.start("all", {
    REPLICA_DATABASE_URLS: standby.url,
    RATE_LIMITS: "default=600/60",
    LOG_LEVEL: "info",
    LOG_REQUESTS: "off",
  });
  const { url } = await service.ready();
  await eventually("a replica that is used", () => service.stdout().includes("a replica is used"));
  // From now on, clients keep the tokens of responses, and send them.
  process.env["TEST_REPLICA_URL"] = standby.url;
  fixture = {
    url,
    anonymous: createClient(url, { userId: "", name: "" }),
    async as(scopes = everyScope) {
      const name = "A user";
      const { userId, apiKey } = await addUser(deployment.db, name, scopes);
      return createClient(url, { userId, name, authorization: `Bearer ${apiKey}` });
    },
  };
}, 120_000);
afterAll(() => stack.disposeAsync());

describe("what the contract says, with a replica that is a moment behind, for clients that send the token", () => {
  testClaims(() => fixture);

  it("is what the replica says, too: it has served many of these reads", async () => {
    const counts =
      "SELECT sum(seq_scan + idx_scan)::int AS count FROM pg_stat_user_tables WHERE relname IN ('posts', 'messages')";
    const reader = await fixture.as();
    // While the machine is busy, a replica that is too far behind is not used for a moment. So the reads continue until it has
    // served many.
    await eventually(
      "the count of the reads",
      async () => {
        for (let n = 0; n < 10; n++) await reader("GET", "/posts");
        return Number((await standby.ask(counts))[0]!["count"]) > 50;
      },
      90_000,
      1_500,
    );
  });
});
