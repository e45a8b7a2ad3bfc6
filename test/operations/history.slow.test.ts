import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Answer, Body, Client } from "../support/client.ts";
import { openConversation, send, sendMany, type Conversation } from "../support/conversations.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { startPrimary, type PostgresNode } from "../support/postgres-nodes.ts";
import type { Running } from "../support/processes.ts";
import { caughtUp, readsOf, tokenOf, withToken } from "./support/replicas.ts";
import { sized } from "../support/size.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const USERS = 8;
const READS = sized(300, 800);
/** What is lost: posts, and messages beyond the first of each conversation. */
const LOST_POSTS = 150;
const [REPLICATED, SENT] = [5, 10];

const OTHER_HISTORY = "a replica is not used, because it doesn't have the history of the primary";
const saidOf = ({ url }: TcpProxy) => new RegExp(`"replica":"${new URL(url).host}","msg":"${OTHER_HISTORY}`);
const refused = { status: 400, body: { code: "invalid_cursor" } };

let stack: AsyncDisposableStack;
/** The primary, a standby that is behind, a replica that is even more behind, and a replica that has everything. */
let nodes: Readonly<Record<"primary" | "behind" | "following" | "ahead", PostgresNode>>;
let proxy: TcpProxy;
let proxyOfFollowing: TcpProxy;
let address: TcpProxy;
let addressOfAhead: TcpProxy;
let deployment: Deployment;
let settings: Readonly<Record<string, string>>;
let processes: readonly Running[];
/** The same users at both processes. */
let users: (readonly [Client, Client])[];
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const primary = stack.use(await startPrimary());
  [proxy, proxyOfFollowing] = [stack.use(await startTcpProxy(primary.url)), stack.use(await startTcpProxy(primary.url))];
  const [behind, following, ahead] = (
    await Promise.all([
      primary.addStandby("behind", { through: proxy.url }),
      primary.addStandby("following", { through: proxyOfFollowing.url }),
      primary.addStandby("ahead"),
    ])
  ).map((it) => stack.use(it)) as [PostgresNode, PostgresNode, PostgresNode];
  nodes = { primary, behind, following, ahead };
  address = stack.use(await startTcpProxy(primary.url));
  addressOfAhead = stack.use(await startTcpProxy(ahead.url));
  deployment = stack.use(await createDeployment({ database: { url: address.url } }));
  settings = { REPLICA_DATABASE_URLS: `${following.url},${addressOfAhead.url}`, LOG_LEVEL: "info", LOG_REQUESTS: "off" };
  const first = await deployment.start("api", settings);
  const clients = await Promise.all(Array.from({ length: USERS }, () => deployment.as()));
  processes = [first, await deployment.start("api", settings)];
  users = clients.map((it) => [it, deployment.asAgain(it)]);
  for (const it of processes) await eventually("replicas that are used", () => times(it, /a replica is used/) === 2);
}, 120_000);
afterEach(() => stack.disposeAsync());

const times = (process: Running, text: RegExp) => process.stdout().match(new RegExp(text, "g"))?.length ?? 0;

/** From now on, the standby and the replica get nothing more. The standby has all of this, and the replica not more than it. */
async function freezeStandbys(): Promise<void> {
  for (const it of [nodes.following, nodes.behind]) await caughtUp(nodes.primary, it);
  proxyOfFollowing.freeze();
  await caughtUp(nodes.primary, nodes.behind);
  proxy.freeze();
}

/** The steps of scripts/deploy/README.md after a new primary has taken over. The replica that is ahead of it can't follow. */
async function failOver(): Promise<void> {
  address.lead(nodes.behind.url);
  for (const it of [nodes.following, nodes.ahead]) await it.follow(nodes.behind);
}

/** A client that stays up to date with a conversation, as the contract tells it to. */
function follow(client: Client, { messages }: Conversation) {
  const shown = new Map<number, Body>();
  let [cursor, refusals] = [null as string | null, 0];
  return {
    shown: () => [...shown.values()].toSorted((a, b) => a.sequence - b.sequence),
    refusals: () => refusals,
    async poll(): Promise<void> {
      for (;;) {
        const answer = await client("GET", `${messages}?limit=3${cursor === null ? "" : `&after=${cursor}`}`);
        if (answer.status === 400) {
          expect(answer).toMatchObject(refused);
          [cursor, refusals] = [null, refusals + 1];
          shown.clear();
          continue;
        }
        const { data, page } = answer.body;
        for (const it of data) shown.set(it.sequence, it);
        let older: string | null = cursor === null ? page.next_cursor : null;
        while (older !== null) {
          const { body } = await client("GET", `${messages}?limit=3&before=${older}`);
          for (const it of body.data) shown.set(it.sequence, it);
          older = body.page.next_cursor;
        }
        cursor = page.prev_cursor;
        if (!page.has_newer) return;
      }
    },
  };
}

describe("when history goes back while a replica has more of it", () => {
  const PROMOTED = ["a standby that is behind is promoted", () => nodes.behind.promote()] as const;
  const RESTORED = [
    "an earlier copy of the disk is restored, on the same timeline",
    async () => {
      await nodes.behind.kill();
      await nodes.behind.startAsPrimary();
    },
  ] as const;
  it.each(sized([RESTORED], [PROMOTED, RESTORED]))(
    `no read is older than its token, no message is skipped, and the replicas are used again: %s`,
    async (_what, takeOver) => {
      const [[ada], [bob]] = users as [[Client, Client], [Client, Client]];
      const conversation = await openConversation(ada, [bob]);
      await sendMany(ada, conversation, REPLICATED);
      const reader = follow(bob, conversation);
      const create = async (user: Client) => (await user("POST", "/posts", { title: "0", body: "x" })).headers.get("location")!;
      const posts = await Promise.all(users.map(([here]) => create(here)));
      await freezeStandbys();
      await sendMany(ada, conversation, SENT - REPLICATED);
      await reader.poll();
      const last = (await bob("GET", `${conversation.messages}?limit=3`)).body.page;
      let lost!: Answer;
      for (let n = 0; n < LOST_POSTS; n++)
        lost = await ada("POST", "/posts", { title: "Lost", body: randomBytes(2_000).toString("hex") });
      await caughtUp(nodes.primary, nodes.ahead);

      await nodes.primary.kill();
      await takeOver();
      await failOver();
      const counts = { reads: 0, stale: 0 };
      await Promise.all(
        users.map(async ([here, there], n) => {
          for (let change = 1; counts.reads < READS; change++) {
            // A read of the old history returns 404 for a new post, and the old title for a changed one.
            const created = await here("POST", "/posts", { title: "New", body: "x" });
            const changed = await here("PATCH", posts[n]!, { title: String(change) });
            for (const [written, path, title] of [
              [created, created.headers.get("location"), "New"],
              [changed, posts[n], String(change)],
            ] as const)
              for (const at of written.status < 300 ? [here, there] : []) {
                const read = await at("GET", path!, undefined, withToken(tokenOf(written)));
                // The connections to the dead server are gone, and a later request opens new ones.
                if (read.status === 503) continue;
                counts.reads++;
                if (read.body.title !== title) counts.stale++;
              }
          }
        }),
      );
      expect(counts.stale).toBe(0);
      for (const it of processes) await eventually("a log that says why", () => times(it, saidOf(addressOfAhead)) === 1);

      // Cursors of messages that are lost are refused, before and after others have their numbers.
      const read = (query: string) => bob("GET", `${conversation.messages}?limit=100&${query}`);
      for (const it of [`after=${last.prev_cursor}`, `before=${last.next_cursor}`]) expect(await read(it)).toMatchObject(refused);
      await sendMany(ada, conversation, 2 * SENT - REPLICATED);
      for (const it of [`after=${last.prev_cursor}`, `before=${last.next_cursor}`]) expect(await read(it)).toMatchObject(refused);
      expect(reader.shown()).toHaveLength(SENT);
      await reader.poll();
      const present = (await read("")).body.data.toReversed();
      expect(present.map((it: Body) => it.sequence)).toEqual(Array.from({ length: 2 * SENT }, (_, index) => index + 1));
      expect([reader.shown(), reader.refusals()]).toEqual([present, 1]);
      await send(ada, conversation, "One more");
      await reader.poll();
      expect([reader.shown().length, reader.refusals()]).toEqual([2 * SENT + 1, 1]);

      // The replica that follows the new primary is used at once, and the other one once it was built again.
      const post = (await ada("POST", "/posts", { title: "Replicated", body: "x" })).headers.get("location")!;
      const isReadAgain = async (replica: PostgresNode, token: string) => {
        const before = await readsOf(replica);
        const isRead = async () => {
          const answer = await ada("GET", post, undefined, withToken(token));
          expect(answer.status).toBe(200);
          token = tokenOf(answer);
          return (await readsOf(replica)) > before + 20;
        };
        await eventually("reads of a replica", isRead, 60_000);
      };
      // The position in this token is higher than what the new primary reaches in this test.
      await isReadAgain(nodes.following, tokenOf(lost));
      const rebuilt = stack.use(await nodes.behind.addStandby("rebuilt"));
      addressOfAhead.lead(rebuilt.url);
      await isReadAgain(rebuilt, tokenOf(lost));
    },
  );

  it("a process that was not there before finds that a replica is ahead of its primary, and doesn't use it", async () => {
    const [[, ada]] = users as [[Client, Client]];
    const post = (await ada("POST", "/posts", { title: "Replicated", body: "x" })).headers.get("location")!;
    await freezeStandbys();
    expect(await ada("PATCH", post, { title: "Lost" })).toMatchObject({ status: 200 });
    for (let n = 0; n < LOST_POSTS; n++) await ada("POST", "/posts", { title: "Lost", body: randomBytes(2_000).toString("hex") });
    await caughtUp(nodes.primary, nodes.ahead);
    for (const it of processes) it.child.kill("SIGKILL");
    for (const it of [nodes.primary, nodes.behind]) await it.kill();
    await nodes.behind.startAsPrimary();
    await failOver();
    const late = await deployment.start("api", settings);
    await eventually("a replica that is used", () => times(late, /a replica is used/) === 1);
    await eventually("a log that says why the other one is not", () => times(late, saidOf(addressOfAhead)) === 1);
    const again = deployment.asAgain(ada);
    let token = tokenOf(await again("GET", post));
    for (let n = 0; n < 100; n++) {
      const read = await again("GET", post, undefined, withToken(token));
      expect([n, read.body.title]).toEqual([n, "Replicated"]);
      token = tokenOf(read);
    }
  }, 120_000);
});
