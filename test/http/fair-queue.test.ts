import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "@jest/globals";
import { FairQueue } from "../../src/limits/fair-queue.ts";
import { eventually } from "../support/eventually.ts";
import { openPersistentConnection } from "../support/keep-alive.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

/** A fair queue, and the requests that it has started. */
function busyQueue(options: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: unknown[] = [];
  const database = { backlog: 0 };
  const queue = new FairQueue({
    runningMax: 3,
    databaseBacklog: () => database.backlog,
    targetMs: 1,
    waitMaxMs: 60_000,
    ...options,
  });
  return {
    queue,
    begun,
    ends,
    refused,
    database,
    isOverloadedFor(caller: string): boolean {
      using arrival = queue.admit(caller);
      return arrival === null;
    },
    /** Sends requests that run until `end`. */
    send: (caller: string, count = 1): ServerResponse[] =>
      Array.from({ length: count }, () => {
        const res = response();
        void queue.start(caller, res).then((started) => {
          if (started === null || typeof started === "string") return refused.push(started);
          begun.push(caller);
          return ends.push(() => started[Symbol.dispose]());
        });
        return res;
      }),
    /** Lets the oldest running requests end, and waits until others have begun. */
    async end(count: number): Promise<void> {
      for (const it of ends.splice(0, count)) it();
      for (let n = 0; n < 5; n++) await nextTick();
    },
  };
}
/** The response, or null if it does not come soon. */
const soon = <T>(answer: Promise<T>) => Promise.race([answer, delay(200, null)]);
const response = (closed = false) => {
  const res = Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;
  responses.push(res);
  return res;
};
const responses: ServerResponse[] = [];
// Waiting requests would keep the timer of their queue running until the end of the process.
afterEach(() => responses.splice(0).forEach((it) => it.emit("close")));

describe("the fair queue", () => {
  it("starts requests of callers round robin, however many a caller has sent before", async () => {
    const { send, end, begun, ends, database } = busyQueue({ runningMax: 1 });
    send("a", 100);
    await end(0);
    expect(begun).toEqual(["a"]);
    database.backlog = 5;
    send("b", 2);
    send("c");
    database.backlog = 0;
    for (let ended = 0; ended < 4; ended++) await end(ends.length);
    expect(begun.slice(1, 6).sort()).toEqual(["a", "a", "b", "b", "c"]);
  });

  it("limits the running requests of one caller, and starts those of others at once", async () => {
    const { send, end, begun } = busyQueue();
    send("a", 10);
    send("b");
    await end(0);
    expect(begun).toEqual(["a", "a", "a", "b"]);
    await end(1);
    expect(begun).toEqual(["a", "a", "a", "b", "a"]);
  });

  it("starts only a few requests in one iteration of the event loop", async () => {
    const { send, end, begun } = busyQueue();
    for (let caller = 0; caller < 100; caller++) send(String(caller));
    await Promise.resolve();
    expect(begun).toHaveLength(8);
    await end(0);
    expect(begun.length).toBeGreaterThan(8);
    await eventually("the last request", () => begun.length === 100);
    expect(begun).toEqual(Array.from({ length: 100 }, (_, caller) => String(caller)));
  });

  it("gives every second start to a sparse flow", async () => {
    const { send, end, begun, database } = busyQueue();
    for (const caller of ["a", "b", "c"]) send(caller);
    await end(0);
    expect(begun).toEqual(["a", "b", "c"]);
    database.backlog = 5;
    for (const caller of ["a", "b", "c"]) send(caller, 2);
    send("new");
    send("newer");
    database.backlog = 0;
    await end(0);
    expect(begun.slice(3)).toEqual(["new", "a", "newer", "b", "c", "a", "b", "c"]);
  });

  it("starts fewer requests after a slow iteration of the event loop, but never none", async () => {
    const { send, begun } = busyQueue({ runningMax: 1_000 });
    send("a", 500);
    await Promise.resolve();
    const begunAfter = async (busyMs: number) => {
      const before = begun.length;
      for (const sinceMs = performance.now(); performance.now() - sinceMs < busyMs;);
      await nextTick();
      return begun.length - before;
    };
    for (let n = 0; n < 4; n++) await begunAfter(20);
    const afterSlow = await begunAfter(20);
    // One, and another one if the queue has polled again since.
    expect([1, 2]).toContain(afterSlow);
    const startsMany = () => {
      // On a busy machine, the queue would be empty before a fast iteration.
      send("a", 8);
      return begunAfter(0).then((count) => count === 8);
    };
    await eventually("an iteration with many starts", startsMany, undefined, 0);
  });

  it("starts nothing while requests wait for the database, and continues afterwards without another request", async () => {
    const { send, end, begun, database } = busyQueue();
    database.backlog = 5;
    send("a");
    send("b");
    await end(0);
    expect(begun).toEqual([]);
    database.backlog = 4;
    await eventually("both requests", () => begun.length === 2);
  });

  it("detects an overload by the number of waiting callers, not of requests", async () => {
    const { send, end, ends, database, isOverloadedFor } = busyQueue();
    database.backlog = 5;
    send("a", 1_000);
    for (let caller = 1; caller < 64; caller++) {
      expect([isOverloadedFor("a"), isOverloadedFor("new")]).toEqual([false, false]);
      send(String(caller));
    }
    await eventually("an overload", () => isOverloadedFor("new"));
    expect(isOverloadedFor("a")).toBe(true);
    database.backlog = 0;
    await eventually("no overload", async () => {
      await end(ends.length);
      return !isOverloadedFor("new");
    });
  });

  it("counts a request when it is admitted, and admits none that would wait too long", async () => {
    const { queue, isOverloadedFor } = busyQueue({ targetMs: 40 });
    const arrivals = Array.from({ length: 100 }, (_, caller) => queue.admit(String(caller)));
    const drop = (count: number) => arrivals.splice(-count).forEach((it) => it?.[Symbol.dispose]());
    // At half a millisecond for each start, one round of 100 callers takes 50 ms.
    await eventually("an overload", () => isOverloadedFor("new"));
    drop(40);
    expect([isOverloadedFor("new"), isOverloadedFor("1")]).toEqual([false, true]);
    drop(30);
    expect([isOverloadedFor("new"), isOverloadedFor("1")]).toEqual([false, false]);
  });

  it("does not count a short burst of many callers as an overload", async () => {
    const { send, end, begun, ends, isOverloadedFor } = busyQueue({ targetMs: 1_000 });
    // One round of them takes a second and a half.
    for (let caller = 0; caller < 3_000; caller++) send(String(caller));
    expect([isOverloadedFor("new"), isOverloadedFor("1")]).toEqual([false, false]);
    await eventually("every request", async () => {
      await end(ends.length);
      return begun.length === 3_000;
    });
    expect(isOverloadedFor("new")).toBe(false);
  });

  it("removes a request whose client disconnects, before or while it waits", async () => {
    const { queue, send, end, begun, refused } = busyQueue({ runningMax: 1 });
    const [, second] = send("a", 3);
    await end(0);
    second!.emit("close");
    await end(1);
    expect([refused, begun]).toEqual([[null], ["a", "a"]]);
    await expect(queue.start("a", response(true))).resolves.toBeNull();
    await end(1);
    expect(begun).toHaveLength(2);
  });

  it("drops a request if none of its caller has started for too long, but not while others of its caller start", async () => {
    const { send, end, begun, refused, database } = busyQueue({ runningMax: 1, waitMaxMs: 150 });
    send("a", 20);
    database.backlog = 5;
    send("b");
    await eventually("the refusals", async () => {
      database.backlog = 0;
      await end(begun.length > 10 ? 0 : 1);
      database.backlog = 5;
      return refused.length === 20 - begun.filter((it) => it === "a").length;
    });
    expect(begun.length).toBeGreaterThan(10);
    expect(new Set(refused)).toEqual(new Set(["too_late"]));
  });

  it("displaces the last request of the longest queue for a caller with fewer", () => {
    const { queue, send, database } = busyQueue();
    database.backlog = 5;
    const mine = send("a", 4);
    send("b", 2);
    expect(queue.displaceFor("new")).toBe(mine[3]);
    expect(queue.displaceFor("b")).toBeNull();
    expect(queue.displaceFor("a")).toBeNull();
  });
});

describe("a service whose database is held by one request", () => {
  let service: TestService;
  const start = async (settings: Readonly<Record<string, string>>) => {
    service = await startTestService({ ROLE: "api", DATABASE_POOL_SIZE: "1", DATABASE_POOL_TIMEOUT_SECONDS: "30", ...settings });
    return Promise.all(Array.from({ length: 100 }, () => service.as()));
  };
  const LOCK = "LOCK TABLE posts IN ACCESS EXCLUSIVE MODE";
  afterEach(() => service.close());

  it("returns 503 with Retry-After at once to new callers if too many wait, serves the waiting ones, and refuses nothing afterwards", async () => {
    const users = await start({ MAX_QUEUE_MS: "1" });
    // From now on, no credential needs the database.
    await Promise.all(users.map((user) => user("GET", "/account")));
    await using lock = await hold(service.databaseUrl, LOCK);
    const waiting = users.slice(0, 80).map((user) => user("GET", "/posts?limit=1"));
    await lock.blocks(1);
    // The first of these wait, too, if not all of the others have arrived.
    const last = await eventually("a refusal", async () => {
      for (const user of users.slice(80)) if ((await soon(user("GET", "/account")))?.status === 503) return user;
      return null;
    });
    const refused = await last("GET", "/account");
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(refused.headers.get("retry-after")).toBe("1");
    // A client that has to connect again after each refusal makes the overload worse.
    const connection = openPersistentConnection(service.url, `Authorization: ${last.authorization}\r\n`);
    const body = JSON.stringify({ title: "Refused", body: "before its body is read" });
    expect(await connection.ask("POST /posts", { body })).toMatchObject({ status: 503, connection: "keep-alive" });
    expect(await connection.ask("GET /health/live")).toMatchObject({ status: 200 });
    connection.socket.destroy();
    await lock.release();
    const statuses = (await Promise.all(waiting)).map((it) => it.status);
    expect(statuses.filter((it) => it === 200).length).toBeGreaterThanOrEqual(64);
    expect(statuses.filter((it) => it !== 200 && it !== 503)).toEqual([]);
    expect(await last("GET", "/account")).toMatchObject({ status: 200 });
  });

  it.each([
    ["users", "posts", "/posts?limit=1", 200],
    ["addresses that follow short URLs", "short_urls", "/u/nothing-here", 404],
  ])(
    "lets none of the %s take every permit: one with many waiting requests loses one to a new one",
    async (kind, table, path, status) => {
      const users = await start({ MAX_IN_FLIGHT: "12", TRUST_PROXY: "1" });
      const from = (address: number) => ({ headers: { "X-Forwarded-For": `203.0.113.${address}` } });
      const callers = users.slice(0, 3).map((user, n) => {
        const client = kind === "users" ? user : service.anonymous();
        return () => client("GET", path, undefined, from(n));
      });
      const [ada, ben, eve] = callers as [(typeof callers)[0], (typeof callers)[0], (typeof callers)[0]];
      for (const ask of callers) expect(await ask()).toMatchObject({ status });
      await using lock = await hold(service.databaseUrl, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const ofAda = Array.from({ length: 9 }, ada);
      const ofBen = Array.from({ length: 3 }, ben);
      await lock.blocks(1);
      await eventually("every permit taken", async () => (await ada()).status === 503);
      const ofEve = eve();
      expect(await Promise.race(ofAda)).toMatchObject({ status: 503 });
      await lock.release();
      expect(await ofEve).toMatchObject({ status });
      expect((await Promise.all(ofBen)).map((it) => it.status)).toEqual([status, status, status]);
      expect((await Promise.all(ofAda)).filter((it) => it.status === 503)).toHaveLength(1);
    },
  );
});
