import { EventEmitter, once } from "node:events";
import type { ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../src/config.ts";
import { createAdmission } from "../../src/limits/admission.ts";
import { FairQueue } from "../../src/limits/fair-queue.ts";
import { limitInFlight } from "../../src/limits/in-flight.ts";
import { limitUnverifiedCredentials } from "../../src/limits/unverified-credentials.ts";
import { unavailable } from "../../src/failure.ts";
import { Semaphore } from "../../src/util/semaphore.ts";
import { operations } from "../support/contract.ts";
import { eventually } from "../support/eventually.ts";
import { exampleRequest } from "../support/example-requests.ts";
import { startWithHandlers, type StubbedService } from "../support/stub-handlers.ts";
import { missingIds } from "../support/resources.ts";
import { openSocket } from "../support/socket.ts";

const ofCaller = (maxPerKey: number) => new Semaphore({ max: Infinity, maxPerKey });
const response = (closed: boolean) => Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;

describe("a limit on requests in flight", () => {
  it("doesn't count a request whose client has disconnected, because nothing would release it", () => {
    const admit = limitInFlight(ofCaller(1), unavailable);
    expect(admit("a", response(true))).toBe(false);
    expect(admit("a", response(false))).toBe(true);
    expect(() => admit("a", response(false))).toThrow("unavailable");
    expect(admit("b", response(false))).toBe(true);
  });

  it("has a free permit again when a response ends", () => {
    const admit = limitInFlight(ofCaller(1), unavailable);
    const first = response(false);
    expect(admit("a", first)).toBe(true);
    first.emit("close");
    expect(admit("a", response(false))).toBe(true);
  });
});

it.each([
  ["downloads of users", "getVideoOriginal"],
  ["downloads of addresses", "getPlaybackFile"],
  ["documents", null],
])("by default, two callers that hold as many %s as they can leave some to each other one", (_what, id) => {
  const { document, of } = createAdmission(readConfig({}), () => 0);
  const admit = id === null ? document : of(operations.find((it) => it.id === id)!).admit;
  const holdAll = (caller: string) => {
    for (let n = 0; n < 1_000; n++) admit(caller, response(false));
  };
  for (const caller of ["eve", "mallory"]) expect(() => holdAll(caller)).toThrow();
  for (const caller of ["ada", "tom", "yuki"]) expect(admit(caller, response(false))).toBe(true);
});

describe("permits for unverified credentials", () => {
  it("are half of all, some of them for each address, and free again after every refusal", () => {
    const callers = limitUnverifiedCredentials({ MAX_IN_FLIGHT: 6, MAX_IN_FLIGHT_PER_ADDRESS: 2 });
    const first = [callers.acquire("a"), callers.acquire("a")];
    expect(() => callers.acquire("a")).toThrow("Too many credentials");
    first.push(callers.acquire("b"));
    for (let attempt = 0; attempt < 3; attempt++)
      for (const address of ["a", "b", "c"]) expect(() => callers.acquire(address)).toThrow("Too many credentials");
    for (const permit of first) permit[Symbol.dispose]();
    const again = [callers.acquire("b"), callers.acquire("b"), callers.acquire("c")];
    expect(again).toHaveLength(3);
  });
});

describe("the counters of callers", () => {
  const queue = new FairQueue({ runningMax: 1, databaseBacklog: () => 0, targetMs: 1, waitMaxMs: 1_000 });
  const permits = ofCaller(1);
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;

  it.each([
    ["fair queue", (caller: string) => queue.admit(caller)![Symbol.dispose]()],
    ["semaphore", (caller: string) => permits.tryAcquire(caller)![Symbol.dispose]()],
  ])("stores nothing of callers that have disconnected: %s", (_what, acquireAndRelease) => {
    const heldBytes = () => (collectGarbage(), process.memoryUsage().heapUsed);
    acquireAndRelease("first");
    const before = heldBytes();
    for (let n = 0; n < 100_000; n++) acquireAndRelease(`caller ${n}`);
    expect(heldBytes() - before).toBeLessThan(4 * 2 ** 20);
  });
});

let stubbed: StubbedService | undefined;
afterEach(() => stubbed?.close());

it("a refused request releases its permit at once, also while its client has not sent the body", async () => {
  stubbed = await startWithHandlers(async () => ({ status: 204 }), { settings: { MAX_IN_FLIGHT_PER_USER: "1" } });
  const head =
    "POST /posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n";
  const socket = openSocket(stubbed.url, head);
  expect(String(await once(socket, "data"))).toContain("415");
  const headers = { Authorization: "Bearer x" };
  expect((await fetch(new URL("/account", stubbed.url), { headers })).status).toBe(204);
  socket.destroy();
});

it("downloads use at most half of the permits, and leave the others to other requests", async () => {
  let running = 0;
  stubbed = await startWithHandlers(
    () => {
      running++;
      return new Promise(() => undefined);
    },
    { settings: { MAX_IN_FLIGHT: "4", TRUST_PROXY: "1" } },
  );
  const leave = new AbortController();
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(20_000)]);
  const request = (id: string, address = "203.0.113.1") => {
    const operation = operations.find((it) => it.id === id)!;
    const { path } = exampleRequest(operation, missingIds(operation));
    return stubbed!.caller("GET", path, undefined, { signal, headers: { "X-Forwarded-For": address } });
  };
  // One of a user, and one of an address.
  const endless = [request("getVideoPoster"), request("getPlaybackFile")];
  try {
    await eventually("two running downloads", async () => running === 2);
    for (const address of ["203.0.113.2", "203.0.113.3"])
      expect(await request("getPlaybackFile", address)).toMatchObject({ status: 503 });
    expect(await request("getVideoPoster")).toMatchObject({ status: 503 });
    endless.push(request("getAccount"));
    await eventually("another running request", async () => running === 3);
  } finally {
    leave.abort();
    await Promise.allSettled(endless);
  }
});
