import { describe, expect, it } from "@jest/globals";
import { createClient, type Answer, type Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const PROCESSES = 4;
/** Without these, other limits would refuse so many requests at once. */
const SETTINGS = {
  MAX_QUEUE_MS: "0",
  MAX_IN_FLIGHT_PER_USER: "1000",
  MAX_IN_FLIGHT_PER_ADDRESS: "1000",
  MAX_UPLOADS_PER_USER: "1000",
};

type Sent = { readonly answer: Answer; readonly receivedMs: number };
type Request = (client: Client, n: number) => Promise<Answer>;

const write: Request = (client) => client("POST", "/posts", { title: "Counted", body: "By four processes together." });

const deployment = prepare(createDeployment);

/** Starts the processes, and returns a client of one user for each of them. */
async function startProcesses(settings: Readonly<Record<string, string>>): Promise<Client[]> {
  const urls: string[] = [];
  for (let n = 0; n < PROCESSES; n++)
    urls.push((await (await deployment.start("api", { ...SETTINGS, ...settings })).ready()).url);
  const { userId, userName, authorization } = await deployment.as();
  return urls.map((url) => createClient(url, { userId, name: userName, authorization: authorization! }));
}

/** Sends all requests at once, evenly over the clients. */
const sendAtOnce = (clients: readonly Client[], count: number, request: Request): Promise<Sent[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const answer = await request(clients[n % clients.length]!, n);
      return { answer, receivedMs: performance.now() };
    }),
  );

const limitOf = (answer: Answer) => {
  const [, policy, remaining, seconds] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  return { policy, remaining: Number(remaining), seconds: Number(seconds) };
};

/** Expects exactly `quota` successes, each with its own count, and the same headers from every process. Returns the end of the window. */
function expectExactly(sent: readonly Sent[], policy: string, quota: number, windowSeconds: number, success: number): number {
  const accepted = sent.filter(({ answer }) => answer.status === success);
  const refused = sent.filter(({ answer }) => answer.status === 429);
  expect({ accepted: accepted.length, refused: refused.length }).toEqual({ accepted: quota, refused: sent.length - quota });
  for (const { answer } of sent) {
    expect(answer.headers.get("ratelimit-policy")).toBe(`"${policy}";q=${quota};w=${windowSeconds}`);
    const limit = limitOf(answer);
    expect(limit.policy).toBe(policy);
    expect(limit.seconds).toBeGreaterThanOrEqual(1);
    expect(limit.seconds).toBeLessThanOrEqual(windowSeconds);
  }
  const remaining = accepted.map(({ answer }) => limitOf(answer).remaining);
  expect(remaining.toSorted((a, b) => b - a)).toEqual(Array.from({ length: quota }, (_, n) => quota - 1 - n));
  for (const { answer } of refused) {
    expect(answer.body).toMatchObject({ code: "rate_limited" });
    expect(limitOf(answer).remaining).toBe(0);
    expect(Number(answer.headers.get("retry-after"))).toBe(limitOf(answer).seconds);
  }
  return Math.max(...refused.map(({ answer, receivedMs }) => receivedMs + limitOf(answer).seconds * 1_000));
}

describe(`${PROCESSES} processes with one database`, () => {
  it("accept exactly as many reads, redirects and wrong tokens as the limit, if it is in RATE_LIMITS_SHARED", async () => {
    const clients = await startProcesses({
      RATE_LIMITS: "default=100/3600,follow=40/3600,failed_authentication=30/3600",
      RATE_LIMITS_SHARED: "default,follow,failed_authentication",
    });
    const reads = await sendAtOnce(clients, 300, (client) => client("GET", "/account"));
    expectExactly(reads, "default", 100, 3_600, 200);
    const statusesOf = async (count: number, request: Request) => {
      const sent = await sendAtOnce(clients, count, request);
      for (const { answer } of sent)
        if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3_000);
      return Object.fromEntries(
        Map.groupBy(sent, ({ answer }) => answer.status)
          .entries()
          .map(([status, of]) => [status, of.length]),
      );
    };
    expect(await statusesOf(120, (client) => client("GET", "/u/NoSuchId"))).toEqual({ 404: 40, 429: 80 });
    const guess: Request = (client, n) =>
      client("GET", "/account", undefined, { headers: { Authorization: `Bearer plumb_${n}` } });
    expect(await statusesOf(120, guess)).toEqual({ 401: 30, 429: 90 });
  });

  it("count writes alone while the database is away, with headers, and together again when it is back", async () => {
    await using proxy = await startTcpProxy(deployment.databaseUrl);
    const clients = await startProcesses({ RATE_LIMITS: "writes=10/3600", DATABASE_URL: proxy.url });
    const round = async () => {
      const answers: Answer[] = [];
      for (const client of clients) answers.push(await write(client, 0));
      return answers.map((it) => ({ status: it.status, remaining: limitOf(it).remaining }));
    };
    // Each process remembers the key from now on, so that it needs no database to know the user.
    expect(await round()).toEqual([9, 8, 7, 6].map((remaining) => ({ status: 201, remaining })));
    await proxy.cut();
    const alone = [await round(), await round()];
    expect(alone).toEqual([9, 8].map((remaining) => clients.map(() => ({ status: 503, remaining }))));
    await proxy.mend();
    await eventually("all processes", async () =>
      (await Promise.all(clients.map((client) => client("GET", "/health")))).every((it) => it.status === 200),
    );
    expect(await round()).toEqual([5, 4, 3, 2].map((remaining) => ({ status: 201, remaining })));
    expect(await round()).toEqual([1, 0, 0, 0].map((remaining, n) => ({ status: n < 2 ? 201 : 429, remaining })));
  });
});
