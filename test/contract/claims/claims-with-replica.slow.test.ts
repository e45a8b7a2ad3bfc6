import { afterAll, beforeAll, describe, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { addUser } from "../../../src/users/users.ts";
import type { Answer, Client } from "../../support/client.ts";
import { createClient } from "../../support/client.ts";
import { createDeployment } from "../../support/deployment.ts";
import { eventually } from "../../support/eventually.ts";
import { startPrimary, type PostgresNode } from "../../support/postgres-nodes.ts";
import { testClaims } from "./all.ts";
import type { Place } from "./claim.ts";

let stack: AsyncDisposableStack;
let standby: PostgresNode;
let place: Place;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const primary = stack.use(await startPrimary());
  standby = stack.use(await primary.addStandby("standby", { settings: { recovery_min_apply_delay: "2ms" } }));
  const deployment = stack.use(await createDeployment({ database: { url: primary.url, drop: async () => {} } }));
  const process = await deployment.start("all", {
    REPLICA_DATABASE_URLS: standby.url,
    RATE_LIMITS: "default=600/60",
    LOG_LEVEL: "info",
    LOG_REQUESTS: "off",
  });
  const { url } = await process.ready();
  await eventually("a replica that is used", () => process.stdout().includes("a replica is used"));
  const tokens = tokenKeeper();
  place = {
    url,
    nobody: tokens.kept(createClient(url, { userId: "", name: "" })),
    async as(scopes = everyScope) {
      const name = "A user";
      const { userId, apiKey } = await addUser(deployment.db, name, scopes);
      return tokens.kept(createClient(url, { userId, name, authorization: `Bearer ${apiKey}` }));
    },
  };
}, 120_000);
afterAll(() => stack.disposeAsync());

/**
 * Makes clients that send the newest token with each GET, as *Consistency* in the contract describes. They share it, so that
 * each sees what the others have done.
 */
function tokenKeeper() {
  let token: string | null = null;
  const keep = ({ headers, status }: Answer, method: string) => {
    const newer = headers.get("consistency-token");
    if (newer !== null || (method !== "GET" && status < 300)) token = newer;
  };
  const kept = (client: Client): Client => {
    const call: (...request: Parameters<Client>) => Promise<Answer> = async (method, path, body, options = {}) => {
      const headers = method === "GET" && token !== null ? { "Consistency-Token": token, ...options.headers } : options.headers;
      const answer = await client(method, path, body, { ...options, ...(headers === undefined ? {} : { headers }) });
      keep(answer, method);
      return answer;
    };
    const { userId, userName, authorization } = client;
    return Object.assign(call, { userId, userName, authorization });
  };
  return { kept };
}

describe("what the contract says, with a replica that is a moment behind, for clients that send the token", () => {
  testClaims(() => place);

  it("is what the replica says, too: it has served many of these reads", async () => {
    const counts =
      "SELECT sum(seq_scan + idx_scan)::int AS count FROM pg_stat_user_tables WHERE relname IN ('posts', 'messages')";
    // A session that is idle reports its last reads ten seconds later.
    await eventually("the count of the reads", async () => Number((await standby.ask(counts))[0]!["count"]) > 50);
  });
});
