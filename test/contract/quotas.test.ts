import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, jest } from "@jest/globals";
import type { Operation } from "../../src/contract/operations.ts";
import { createRateLimits } from "../../src/limits/rate-limiter.ts";
import { createSharedCounts } from "../../src/limits/store.ts";
import { DEFAULT_RATES } from "../../src/settings/values.ts";
import type { Answer } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { withKey } from "../support/conversations.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { scrape } from "../support/metrics.ts";
import { prepare } from "../support/prepare.ts";
import { missingIds } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, type TestService } from "../support/service.ts";

const QUOTA = 3;
const service = prepare(() => {
  const policies = ["default", "writes", "directory", "follow", "playback", "failed_authentication"];
  const limits = policies.map((policy) => `${policy}=${QUOTA}/60`);
  return startTestService({ ROLE: "api", TRUST_PROXY: "1", RATE_LIMITS: [...limits, `uploads=${QUOTA}/3600`].join() });
});

const requestOf = (operation: Operation) => exampleRequest(operation, missingIds(operation));
const perUser = operations.filter((it) => it.scopes !== null);
const numbersIn = (header: string | null) =>
  Object.fromEntries([...(header ?? "").matchAll(/;([a-z])=(\d+)/g)].map((it) => [it[1], Number(it[2])]));

describe(`a rate limit of ${QUOTA} requests`, () => {
  it.each(perUser)(
    "$id accepts that many requests per user, counts them down, and then returns 429, Retry-After and RateLimit",
    async (operation) => {
      const ada = await service.as();
      const hasSecond = operation.ratePolicy === "directory";
      for (let left = QUOTA - 1; left >= 0; left--) {
        const taken = await ask(ada, requestOf(operation));
        expect(taken.status).not.toBe(429);
        const second = hasSecond ? `, "searches";r=${500 - QUOTA + left};t=\\d+` : "";
        expect(taken.headers.get("ratelimit")).toMatch(new RegExp(`^"${operation.ratePolicy}";r=${left};t=\\d+${second}$`));
      }
      const refused = await ask(ada, requestOf(operation));
      expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
      const seconds = operation.ratePolicy === "uploads" ? 3_600 : 60;
      expect(refused.headers.get("ratelimit-policy")).toBe(
        `"${operation.ratePolicy}";q=${QUOTA};w=${seconds}${hasSecond ? ', "searches";q=500;w=86400' : ""}`,
      );
      const { r, t } = numbersIn(refused.headers.get("ratelimit"));
      expect(r).toBe(0);
      expect(t).toBeGreaterThan(0);
      expect(t).toBeLessThanOrEqual(seconds);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(t);
      expect(await ask(await service.as(), requestOf(operation))).not.toMatchObject({ status: 429 });
    },
  );

  it.each(operations.filter((it) => it.scopes === null && it.ratePolicy !== "none"))(
    "$id accepts that many requests per address, and then returns 429 with Retry-After, without RateLimit",
    async (operation) => {
      for (let request = 0; request < QUOTA; request++)
        expect((await ask(service.anonymous(), requestOf(operation))).status).not.toBe(429);
      const second = await ask(service.anonymous(), requestOf(operation));
      expect(second).toMatchObject({ status: 429, body: { code: "rate_limited" } });
      expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(second.headers.has("ratelimit")).toBe(false);
    },
  );

  it.each(operations.filter((it) => it.ratePolicy === "none"))(
    `${sentence("Health checks have none.")} $id`,
    async (operation) => {
      for (let request = 0; request < 10; request++) {
        const { status, headers } = await ask(service.anonymous(), requestOf(operation));
        expect([status, headers.has("ratelimit"), headers.has("ratelimit-policy")]).toEqual([200, false, false]);
      }
    },
  );

  it("applies to each address separately for requests without credentials", async () => {
    const follow = async (address: string) =>
      (await service.anonymous()("GET", "/u/NoSuchId", undefined, { headers: { "X-Forwarded-For": address } })).status;
    for (let request = 0; request < QUOTA; request++) expect(await follow("203.0.113.1")).toBe(404);
    expect(await follow("203.0.113.1")).toBe(429);
    expect(await follow("203.0.113.2")).toBe(404);
  });

  it("counts each of many writes at once, through one process or two: as many succeed as it allows", async () => {
    await using second = await startTestService({
      ROLE: "api",
      DATABASE_URL: service.databaseUrl,
      RATE_LIMITS: `writes=${QUOTA}/60`,
    });
    const ada = await service.as();
    for (const senders of [[await service.as()], [ada, second.anonymous(ada.authorization)]]) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          senders[n % senders.length]!("POST", "/posts", { title: "A title", body: "A body" }),
        ),
      );
      expect(answers.filter((it) => it.status === 201)).toHaveLength(QUOTA);
      expect(await service.db.post.count({ where: { authorId: senders[0]!.userId } })).toBe(QUOTA);
      expect(answers.filter((it) => it.status === 429)).toHaveLength(12 - QUOTA);
      const left = answers.filter((it) => it.status === 201).map((it) => numbersIn(it.headers.get("ratelimit"))["r"]);
      expect(left.toSorted()).toEqual(Array.from({ length: QUOTA }, (_, n) => n));
    }
  });

  const left = ({ headers }: Answer) => numbersIn(headers.get("ratelimit"))["r"];
  it(sentence("| Does a replay count towards the rate limit? | Yes. |"), async () => {
    const ada = await service.as();
    const post = () => ada("POST", "/posts", { title: "A title", body: "A body" }, withKey("one-key-of-quotas"));
    expect([left(await post()), left(await post())]).toEqual([QUOTA - 1, QUOTA - 2]);
  });

  it(sentence("A 304 counts as one request."), async () => {
    const ada = await service.as();
    const first = await ada("GET", "/notifications");
    const headers = { "If-None-Match": first.headers.get("etag")! };
    const again = await ada("GET", "/notifications", undefined, { headers });
    expect([left(first), again.status, left(again)]).toEqual([QUOTA - 1, 304, QUOTA - 2]);
  });

  it(`${sentence("Each request counts towards one rate limit.")} Writes and reads are counted separately`, async () => {
    const ada = await service.as();
    for (let request = 0; request < QUOTA; request++)
      expect(await ada("POST", "/posts", { title: "A title", body: "A body" })).toMatchObject({ status: 201 });
    expect(await ada("GET", "/posts?limit=1")).toMatchObject({ status: 200 });
  });

  it("returns 429 before it checks the scope, the body or the parameters, and 401 before 429", async () => {
    const ada = await service.as({ scopes: [] });
    for (let request = 0; request < QUOTA; request++) await ada("POST", "/posts", { title: "A title", body: "A body" });
    expect(await ada("POST", "/posts?nonsense=1", "{", { headers: { "Content-Type": "text/plain" } })).toMatchObject({
      status: 429,
    });
    expect(await service.anonymous()("POST", "/posts", "{")).toMatchObject({ status: 401 });
  });
});

describe("a rate limit whose counters are unavailable", () => {
  it("is counted per process, as a metric says: requests succeed up to the limit, and then get 429", async () => {
    const alone = await startTestService({ ROLE: "api", RATE_LIMITS: "writes=2/60", METRICS_PORT: "0" });
    try {
      const ada = await alone.as();
      await alone.db.$executeRaw`ALTER TABLE rate_limits RENAME TO rate_limits_away`;
      const statuses: number[] = [];
      for (let request = 0; request < 3; request++)
        statuses.push((await ada("POST", "/posts", { title: "A title", body: "A body" })).status);
      expect(statuses).toEqual([201, 201, 429]);
      expect((await scrape(alone.metricsUrl)).sum("plumbline_rate_limits_counted_alone_total")).toBe(3);
    } finally {
      await alone.close();
    }
  });
});

describe("an exhausted rate limit", () => {
  it("allows all its requests again after the seconds in Retry-After", async () => {
    const brief = await startTestService({ ROLE: "api", RATE_LIMITS: "default=2/2,writes=2/2" });
    try {
      // Each process counts its own reads. All processes count writes together.
      const requests = [
        [await brief.as(), "GET", "/account", 200],
        [await brief.as(), "DELETE", "/urls/NoSuchId", 404],
      ] as const;
      const exhaust = async ([ada, method, path, status]: (typeof requests)[number]) => {
        for (let window = 0; window < 2;) {
          const startedMs = performance.now();
          let [accepted, answer] = [0, await ada(method, path)];
          for (; answer.status === status && accepted < 20; accepted++) answer = await ada(method, path);
          expect(answer.status).toBe(429);
          // On a busy machine, so few requests can take more than one window.
          if (performance.now() - startedMs < 2_000) {
            expect(accepted).toBe(2);
            window++;
          }
          if (window < 2) await delay(Number(answer.headers.get("retry-after")) * 1_000);
        }
      };
      await Promise.all(requests.map(exhaust));
    } finally {
      await brief.close();
    }
  });
});

it("a rate limit that is exceeded in the middle of its window is refused until that window ends, and no longer", async () => {
  const rates = { ...DEFAULT_RATES, writes: { quota: 2, windowSeconds: 60 } };
  const shared = { names: ["writes"], count: createSharedCounts(service.db), onUnavailable: () => undefined };
  const limits = createRateLimits(rates, shared);
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  const clock = jest.spyOn(performance, "now").mockImplementation(() => now() + aheadMs);
  /** Lets time pass, for the counters in the database and for this process. */
  const wait = async (ms: number) => {
    await service.db.$executeRaw`UPDATE rate_limits SET expire = expire - ${ms} WHERE key = 'writes:a caller'`;
    aheadMs += ms;
  };
  const retryAfterSeconds = async () => (await limits.take("writes", "a caller")).refusal?.data.retryAfterSeconds ?? null;
  expect(await retryAfterSeconds()).toBeNull();
  await wait(40_000);
  expect(await retryAfterSeconds()).toBeNull();
  for (const seconds of [await retryAfterSeconds(), await retryAfterSeconds()]) {
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(20);
  }
  await wait(20_000);
  expect(await retryAfterSeconds()).toBeNull();
  clock.mockRestore();
});

describe("wrong tokens", () => {
  const WRONG = "Bearer plumb_x";
  const guess = async (on: TestService, forwarded: string, token: string | undefined) =>
    (await on.anonymous(token)("GET", "/account", undefined, { headers: { "X-Forwarded-For": forwarded } })).status;

  it(`${sentence("wrong tokens from it get 429 instead of 401. Valid tokens still work.")} Other addresses, and requests without a token, don't count`, async () => {
    const used = (await service.as()).authorization;
    expect(await guess(service, "203.0.113.1", used)).toBe(200);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) statuses.push(await guess(service, "203.0.113.1", undefined));
    for (let attempt = 0; attempt < 5; attempt++) statuses.push(await guess(service, "203.0.113.1", `Bearer plumb_${attempt}`));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 429, 429]);
    expect(await guess(service, "203.0.113.2", WRONG)).toBe(401);
    // One that the service remembers, and one that it has never seen.
    for (const token of [used, (await service.as()).authorization]) expect(await guess(service, "203.0.113.1", token)).toBe(200);
    expect(await guess(service, "203.0.113.1", WRONG)).toBe(429);
  });

  const [TOGETHER, APART] = [
    [401, 401, 401, 429],
    [401, 401, 401, 401],
  ];
  it.each<[what: string, forwarded: (attempt: number) => string, statuses: readonly number[]]>([
    ["the last one in X-Forwarded-For behind one proxy", (n) => `198.51.100.${n}, 192.0.2.1`, TOGETHER],
    ["no other one in it, which a client can fake", (n) => `198.51.100.1, 192.0.2.1${n}`, APART],
    ["a whole IPv4 address in either notation", (n) => (n % 2 === 0 ? "192.0.2.2" : "::ffff:192.0.2.2"), TOGETHER],
    ["each IPv4 address in the notation of IPv6", (n) => `::ffff:192.0.2.2${n}`, APART],
    ["the first 64 bits of an IPv6 address", (n) => `2001:${n % 2 ? "db8" : "DB8"}:1:2:${n}::${n}`, TOGETHER],
    ["no fewer bits of it", (n) => `2001:db8:1:1${n}::1`, APART],
    ["a text that is no address", () => "not an address", TOGETHER],
  ])("are counted by the address of the client, which is %s", async (_what, forwarded, expected) => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= QUOTA; attempt++) statuses.push(await guess(service, forwarded(attempt), WRONG));
    expect(statuses).toEqual(expected);
  });

  it("can't have another address by X-Forwarded-For if there is no proxy", async () => {
    await using direct = await startTestService({ ROLE: "api", RATE_LIMITS: `failed_authentication=${QUOTA}/60` });
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= QUOTA; attempt++) statuses.push(await guess(direct, `203.0.113.${attempt}`, WRONG));
    expect(statuses).toEqual(TOGETHER);
  });
});
