import { beforeAll, describe, expect, it } from "@jest/globals";
import express from "express";
import { readConfig } from "../../src/config.ts";
import { listen } from "../../src/http/listener.ts";
import { createClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { exchange, flawsOfProblem } from "../support/socket.ts";

// The concurrent tests in this file only wait for time to pass.
const service = prepare(() => startTestService({ ROLE: "api" }));
let auth: string;
beforeAll(async () => {
  auth = `Authorization: ${(await service.as()).authorization}\r\n`;
});

const BODY = '{"title":"A title","body":"A body"}';
const post = (headers: string) =>
  `POST /posts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n${headers}\r\n`;

describe("a slow client", () => {
  it.concurrent("gets 408 if its JSON isn't complete within ten seconds, even if it arrives steadily", async () => {
    const { answers, isClosed, tookMs } = await exchange(
      service.url,
      [post(auth), ...Array.from({ length: BODY.length - 1 }, () => " ")],
      { pauseMs: 500, timeoutMs: 28_000 },
    );
    expect(answers.map((it) => [it.status, it.body.code])).toEqual([[408, "request_timeout"]]);
    expect(flawsOfProblem(answers[0]!)).toEqual([]);
    expect(isClosed).toBe(true);
    expect(tookMs).toBeGreaterThan(9_900);
    expect(tookMs).toBeLessThan(15_000);
  });

  it.concurrent("doesn't delay other clients", async () => {
    const { promise: rest, resolve: sendRest } = Promise.withResolvers<string>();
    const dawdlers = Array.from({ length: 50 }, () => exchange(service.url, ["GET /hea", rest]));
    expect(await service.anonymous()("GET", "/health")).toMatchObject({ status: 200 });
    sendRest("lth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const statuses = (await Promise.all(dawdlers)).flatMap((it) => it.answers.map(({ status }) => status));
    // On a busy machine, a request that takes more than five seconds gets 408.
    expect(statuses.filter((it) => it !== 200 && it !== 408)).toEqual([]);
    expect(statuses).toHaveLength(50);
  });
});

describe("a client that sends Expect", () => {
  it("gets 100, and the response after it has sent the body", async () => {
    const { answers } = await exchange(service.url, [post(`${auth}Expect: 100-continue\r\n`), BODY], {
      pauseMs: 100,
      expected: 1,
    });
    expect(answers.map((it) => it.status)).toEqual([100, 201]);
  });

  it.each([
    ["without a token", 401, () => post("Expect: 100-continue\r\n")],
    ["for another media type", 415, () => post(`${auth}Expect: 100-continue\r\n`).replace("application/json", "text/plain")],
    [
      "of 200 KB",
      413,
      () => post(`${auth}Expect: 100-continue\r\n`).replace(`Content-Length: ${BODY.length}`, "Content-Length: 200000"),
    ],
    ["to an unknown path", 404, () => post(`${auth}Expect: 100-continue\r\n`).replace("/posts", "/nothing")],
    ["with an unknown token", 401, () => post("Authorization: Bearer plumb_x\r\nExpect: 100-continue\r\n")],
  ])("gets an error at once, without 100: a request %s", async (_what, status, message) => {
    // A service that waits 2 s for the body does so every time. A busy machine is only sometimes as slow.
    for (let [round, fastestMs] = [1, Infinity]; fastestMs >= 1_800; round++) {
      const { answers, isClosed, tookMs } = await exchange(service.url, message());
      expect(answers.map((it) => it.status)).toEqual([status]);
      expect(flawsOfProblem(answers[0]!)).toEqual([]);
      expect(isClosed).toBe(true);
      fastestMs = Math.min(fastestMs, tookMs);
      expect(round).toBeLessThanOrEqual(10);
    }
  });

  it("gets a normal response if its expectation isn't 100-continue", async () => {
    const { answers } = await exchange(service.url, post(`${auth}Expect: 200-maybe\r\n`) + BODY, { expected: 1 });
    expect(answers.map((it) => it.status)).toEqual([201]);
  });
});

describe("a client that gets an error while it sends", () => {
  it("can read the response, although the service ignores the rest of the body", async () => {
    const caller = service.anonymous();
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(
        await caller("POST", "/posts", Buffer.alloc(5_000_000, 0x20), { headers: { "Content-Type": "application/json" } }),
      ).toMatchObject({ status: 401 });
    }
  });

  it.concurrent("is disconnected if it continues to send a body that the service ignores", async () => {
    const { answers, tookMs } = await exchange(
      service.url,
      [
        `POST /posts HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n`,
        ...Array.from({ length: 100 }, () => Buffer.alloc(1_000)),
      ],
      { pauseMs: 100, timeoutMs: 15_000 },
    );
    expect(answers.map((it) => it.status)).toEqual([401]);
    expect(tookMs).toBeLessThan(6_000);
  });
});

describe("a body that the operation doesn't use", () => {
  it.concurrent.each([
    ["GET", "/health", 200],
    // They refuse a body, because they take none.
    ["DELETE", "/urls/NoSuchId", 400],
    ["PUT", "/conversations/01a1e35e-f078-759b-82a0-5d32985fb4e7/members/01a1e35e-f078-759b-82a0-5d32985fb4e7", 400],
    ["OPTIONS", "/posts", 204],
  ])(
    "isn't awaited: %s %s returns a response and closes the connection before the body is complete",
    async (method, path, status) => {
      const message = `${method} ${path} HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 100000\r\n\r\n`;
      const { answers, isClosed, tookMs } = await exchange(service.url, [message, ...Array.from({ length: 100 }, () => "x")], {
        pauseMs: 100,
        timeoutMs: 15_000,
      });
      expect(answers.map((it) => it.status)).toEqual([status]);
      expect(isClosed).toBe(true);
      expect(tookMs).toBeLessThan(6_000);
    },
  );
});

describe("a service that is still starting", () => {
  it("returns 503 with Retry-After until it is ready, and 200 for GET /health/live", async () => {
    const listener = await listen(readConfig({ PORT: "0" }), "1.0.0");
    try {
      const url = `http://127.0.0.1:${listener.port}`;
      const {
        answers: [refused],
      } = await exchange(url, "GET /posts HTTP/1.1\r\nHost: x\r\n\r\n");
      expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(refused!.headers.get("retry-after")).toBe("1");
      expect(flawsOfProblem(refused!)).toEqual([]);
      // An orchestrator that restarts processes that are not live must let this one start, because migrations can take long.
      const alive = await createClient(url, { userId: "", name: "" })("GET", "/health/live");
      expect(alive).toMatchObject({ status: 200, body: { status: "pass", version: "1.0.0", service_version: "1.0.0" } });
      listener.serve(express().use((_req, res) => void res.end("working")));
      expect(await eventually("the first response", async () => (await fetch(url)).text())).toBe("working");
    } finally {
      await listener.close();
    }
  });
});
