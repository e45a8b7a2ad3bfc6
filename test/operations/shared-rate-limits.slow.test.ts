import { describe, expect, it } from "@jest/globals";
import { createClient, type Answer, type Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startTestService } from "../support/service.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** Without these, other limits would refuse so many requests at once. */
const SETTINGS = {
  MAX_QUEUE_MS: "0",
  MAX_IN_FLIGHT_PER_USER: "1000",
  MAX_IN_FLIGHT_PER_ADDRESS: "1000",
  MAX_UPLOADS_PER_USER: "1000",
};

type Request = (client: Client, n: number) => Promise<Answer>;

const write: Request = (client) => client("POST", "/posts", { title: "Counted", body: "By two processes together." });

const database = prepare(createTestDatabase);

/** Starts two services, and returns a client of one user for each of them. */
async function startBoth(stack: AsyncDisposableStack, settings: Readonly<Record<string, string>>): Promise<Client[]> {
  const start = async () => stack.use(await startTestService({ ROLE: "api", ...SETTINGS, ...settings }, { url: database.url }));
  const [one, other] = [await start(), await start()];
  const { userId, userName: name, authorization } = await one.as();
  return [one, other].map(({ url }) => createClient(url, { userId, name, authorization: authorization! }));
}

/** Sends all requests at once, evenly over the clients. */
const sendAtOnce = (clients: readonly Client[], count: number, request: Request): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => request(clients[n % clients.length]!, n)));

const remainingIn = (answer: Answer) => Number(/;r=(\d+);/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);

describe("two processes with one database", () => {
  it("accept exactly as many reads, redirects and wrong tokens as the limit, if it is in RATE_LIMITS_SHARED", async () => {
    await using stack = new AsyncDisposableStack();
    const clients = await startBoth(stack, {
      RATE_LIMITS: "default=100/3600,follow=40/3600,failed_authentication=30/3600",
      RATE_LIMITS_SHARED: "default,follow,failed_authentication",
    });
    const expectExactly = async (count: number, quota: number, success: number, request: Request) => {
      const answers = await sendAtOnce(clients, count, request);
      const [accepted, refused] = [success, 429].map((status) => answers.filter((it) => it.status === status));
      expect([accepted!.length, refused!.length]).toEqual([quota, count - quota]);
      for (const it of refused!) expect(Number(it.headers.get("retry-after"))).toBeGreaterThan(3_000);
      return accepted!;
    };
    const reads = await expectExactly(300, 100, 200, (client) => client("GET", "/account"));
    // Each has its own count, whichever process has answered.
    expect(reads.map(remainingIn).toSorted((a, b) => b - a)).toEqual(Array.from({ length: 100 }, (_, n) => 99 - n));
    await expectExactly(120, 40, 404, (client) => client("GET", "/u/NoSuchId"));
    await expectExactly(120, 30, 401, (client, n) =>
      client("GET", "/account", undefined, { headers: { Authorization: `Bearer plumb_${n}` } }),
    );
  });

  it("count writes alone while the database is away, with headers, and together again when it is back", async () => {
    await using stack = new AsyncDisposableStack();
    const proxy = stack.use(await startTcpProxy(database.url));
    const clients = await startBoth(stack, { RATE_LIMITS: "writes=5/3600", DATABASE_URL: proxy.url });
    const round = async () => {
      const answers: Answer[] = [];
      for (const client of clients) answers.push(await write(client, 0));
      return answers.map((it) => ({ status: it.status, remaining: remainingIn(it) }));
    };
    // Each process remembers the key from now on, so that it needs no database to know the user.
    expect(await round()).toEqual([4, 3].map((remaining) => ({ status: 201, remaining })));
    await proxy.cut();
    const alone = [await round(), await round()];
    expect(alone).toEqual([4, 3].map((remaining) => clients.map(() => ({ status: 503, remaining }))));
    await proxy.mend();
    await eventually("all processes", async () =>
      (await Promise.all(clients.map((client) => client("GET", "/health")))).every((it) => it.status === 200),
    );
    expect(await round()).toEqual([2, 1].map((remaining) => ({ status: 201, remaining })));
    expect(await round()).toEqual([201, 429].map((status) => ({ status, remaining: 0 })));
  });
});
