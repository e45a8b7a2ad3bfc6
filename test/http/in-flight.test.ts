import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { limitInFlight } from "../../src/admission/in-flight.ts";
import { unavailable } from "../../src/failure.ts";
import { operations } from "../support/contract.ts";
import { eventually } from "../support/eventually.ts";
import { exampleRequest } from "../support/example-requests.ts";
import { startWithHandlers, type StubbedService } from "../support/stub-handlers.ts";
import { missingIds } from "../support/resources.ts";

const response = (closed: boolean) => Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;

describe("a limit on requests in flight", () => {
  it("doesn't count a request whose client has disconnected, because nothing would release it", () => {
    const admit = limitInFlight(1, unavailable);
    expect(admit("a", response(true))).toBe(false);
    expect(admit("a", response(false))).toBe(true);
    expect(() => admit("a", response(false))).toThrow("unavailable");
    expect(admit("b", response(false))).toBe(true);
  });

  it("has a free slot again when a response ends", () => {
    const admit = limitInFlight(1, unavailable);
    const first = response(false);
    expect(admit("a", first)).toBe(true);
    first.emit("close");
    expect(admit("a", response(false))).toBe(true);
  });
});

let stubbed: StubbedService | undefined;
afterEach(() => stubbed?.close());

it("downloads use at most half of the slots, and leave the others to other requests", async () => {
  let running = 0;
  stubbed = await startWithHandlers(
    () => {
      running++;
      return new Promise(() => undefined);
    },
    { settings: { MAX_IN_FLIGHT: "4" } },
  );
  const leave = new AbortController();
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(20_000)]);
  const request = (id: string) => {
    const operation = operations.find((it) => it.id === id)!;
    const { path } = exampleRequest(operation, missingIds(operation));
    return stubbed!.caller("GET", path, undefined, { signal });
  };
  const endless = [request("getVideoPoster"), request("getVideoRendition")];
  try {
    await eventually("two running downloads", async () => running === 2);
    expect(await request("getVideoPoster")).toMatchObject({ status: 503 });
    endless.push(request("getAccount"));
    await eventually("another running request", async () => running === 3);
  } finally {
    leave.abort();
    await Promise.allSettled(endless);
  }
});
