import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { declaredResponse, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest, pathWith } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { exchange } from "../support/socket.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

const ORIGIN = "https://app.example";
const service = prepare(() => startTestService({ ROLE: "api", CORS_ORIGINS: `${ORIGIN}, https://other.example` }));
const ada = prepare(() => service.as());

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Headers of every response of the service. */
const EVERYWHERE = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-frame-options": expect.stringMatching(/^(SAMEORIGIN|DENY)$/),
  "strict-transport-security": expect.stringMatching(/^max-age=\d+/),
  "cross-origin-opener-policy": "same-origin",
  "api-version": expect.stringMatching(/^\d+\.\d+\.\d+$/),
};

describe("every response", () => {
  const SAFE = sentence(
    "Every response of an operation has `X-Content-Type-Options: nosniff` and a `Content-Security-Policy` that allows no scripts and no requests.",
  );
  it.each(operations)(`${SAFE} $id, with and without credentials, which reveals no server software`, async (operation) => {
    for (const caller of [ada, service.anonymous()]) {
      const { headers } = await ask(caller, exampleRequest(operation, missingIds(operation)));
      expect(Object.fromEntries(headers)).toMatchObject(EVERYWHERE);
      for (const name of ["x-powered-by", "server", "x-aspnet-version", "set-cookie", "via"])
        expect([name, headers.has(name)]).toEqual([name, false]);
      expect(headers.get("cache-control")).toMatch(/^(no-store|private, no-cache)$/);
    }
  });

  it("has a new request id of version 7, and never the one that the client sent", async () => {
    const seen = new Set<string>();
    for (const sent of ["01a1efb0-be44-7990-afcc-e07c3e7fb97b", "x", "../../etc/passwd", "a".repeat(1_000)]) {
      const { headers } = await ada("GET", "/account", undefined, { headers: { "X-Request-Id": sent } });
      expect(headers.get("x-request-id")).not.toBe(sent);
      expect(headers.get("x-request-id")).toMatch(VERSION_7);
      seen.add(headers.get("x-request-id")!);
    }
    expect(seen.size).toBe(4);
    const { answers } = await exchange(service.url, "this is not HTTP\r\n\r\n");
    expect(answers[0]!.headers.get("x-request-id")).toMatch(VERSION_7);
  });

  it("has no header that a client injected into a value", async () => {
    const injected = "x\r\nSet-Cookie: canary=1";
    const tries = [
      () => ada("POST", "/urls", { target_url: `https://example.com/${injected}` }),
      () => ada("POST", "/urls", { target_url: "https://example.com/%0d%0aSet-Cookie:canary=1" }),
      () => ada("GET", `/u/${encodeURIComponent(injected)}`),
      () => ada("GET", `/posts?after=${encodeURIComponent(injected)}`),
      () => ada("GET", `/nothing/${encodeURIComponent(injected)}`),
    ];
    for (const attempt of tries) {
      const answer = await attempt();
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers.has("set-cookie")).toBe(false);
    }
    const { body } = await ada("POST", "/urls", { target_url: "https://example.com/%0d%0aSet-Cookie:canary=1" });
    const followed = await service.anonymous()("GET", `/u/${body.id}`);
    expect([followed.headers.get("location"), followed.headers.has("set-cookie")]).toEqual([
      "https://example.com/%0d%0aSet-Cookie:canary=1",
      false,
    ]);
  });
});

describe("each common header", () => {
  /** The names of the headers that a response has more than once. */
  async function repeated(url: string, method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
    const sent = request(`${url}${path}`, { method, headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    const missing = Object.keys(EVERYWHERE).filter((name) => response.headers[name] === undefined);
    const twice = Object.entries(response.headersDistinct).filter(([name, values]) => name in EVERYWHERE && values!.length > 1);
    return { status: response.statusCode, missing, twice };
  }
  const once200 = { status: 200, missing: [], twice: [] };

  it("is sent once, whatever sends the response", async () => {
    const authorization = ada.authorization!;
    const { headers, body } = await ada("POST", "/urls", { target_url: "https://example.com" });
    const tries = [
      [200, "GET", "/health", {}],
      [304, "GET", `/urls/${body.id}`, { authorization, "If-None-Match": headers.get("etag")! }],
      [404, "GET", "/nothing", {}],
      [405, "PATCH", "/health", {}],
      [405, "PATCH", "/docs", {}],
      [204, "OPTIONS", "/posts", {}],
      [200, "GET", "/docs", {}],
      [404, "GET", "/u/nothing", { Accept: "text/html" }],
      [413, "POST", "/posts", { authorization, "Content-Type": "application/json", "Content-Length": "1000000" }],
    ] as const;
    for (const [status, method, path, sent] of tries)
      expect([method, path, await repeated(service.url, method, path, sent)]).toEqual([method, path, { ...once200, status }]);
  });

  it("is sent once by a problem that replaces a download", async () => {
    const open = () => Promise.reject(new Error("It is gone."));
    const broken = await startWithHandlers(async () => ({ status: 200, body: { contentType: "video/mp4", open } }));
    await using _broken = { [Symbol.asyncDispose]: () => broken.close() };
    expect(await repeated(broken.url, "GET", "/health")).toEqual({ ...once200, status: 500 });
  });
});

describe("scripts of other origins", () => {
  const ANY_PATH = sentence(
    "The service handles preflight requests, also for paths that don't exist, so that a script can read the 404.",
  );
  const TRACED = sentence(
    "Libraries for tracing can add `traceparent`, `tracestate`, `baggage` and `sentry-trace` to each request.",
  );
  const TRACING = ["traceparent", "tracestate", "baggage", "sentry-trace"];
  const paths = [...Map.groupBy(operations, (it) => it.path)].map(([path, group]) => ({ path, group }));
  const preflight = (path: string, origin: string, method: string, headers = "authorization,content-type") =>
    service.anonymous()("OPTIONS", path, undefined, {
      headers: { Origin: origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers },
    });

  it.each(paths)(
    "can call $path with all its methods and headers if their origin is allowed, after a preflight without credentials",
    async ({ group }) => {
      const path = pathWith(group[0]!, missingIds(group[0]!));
      for (const operation of group) {
        const answer = await preflight(path, ORIGIN, operation.method.toUpperCase());
        expect(answer).toMatchObject({ status: 204, text: "" });
        expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
        expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/i);
        expect(answer.headers.get("access-control-allow-methods")!.split(/, ?/)).toContain(operation.method.toUpperCase());
        expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
        const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase().split(/, ?/);
        const taken = parametersOf(operation)
          .filter((it) => it.in === "header")
          .map((it) => it.name.toLowerCase());
        const always = ["authorization", "content-type", "consistency-token", "idempotency-key", ...TRACING];
        expect([...always, ...taken].filter((it) => !allowed.includes(it))).toEqual([]);
      }
    },
  );

  it(`${ANY_PATH} ${TRACED}`, async () => {
    for (const path of ["/nothing", "/posts/", "/posts/%E9", "/POSTS"]) {
      const allowed = await preflight(path, ORIGIN, "PATCH", ["if-match", ...TRACING].join());
      expect(allowed).toMatchObject({ status: 204, text: "" });
      expect(allowed.headers.get("access-control-allow-origin")).toBe(ORIGIN);
      expect(allowed.headers.get("access-control-allow-methods")!.split(",")).toContain("PATCH");
      const headers = allowed.headers.get("access-control-allow-headers")!.toLowerCase().split(",");
      expect(["if-match", ...TRACING].filter((it) => !headers.includes(it))).toEqual([]);
      const answer = await ada("PATCH", path, {}, { headers: { Origin: ORIGIN } });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
        path === "/posts/%E9" ? 400 : 404,
        ORIGIN,
      ]);
    }
    expect((await preflight("/nothing", "https://evil.example", "GET")).headers.get("access-control-allow-origin")).toBeNull();
    expect(await service.anonymous()("OPTIONS", "/nothing")).toMatchObject({ status: 404, body: { code: "route_not_found" } });
  });

  it("get no CORS headers if their origin isn't allowed, even if its name is similar", async () => {
    for (const origin of [
      "https://evil.example",
      "https://app.example.evil.example",
      "http://app.example",
      "https://app.example:8443",
      "null",
      "https://APP.example.",
      "*",
    ]) {
      expect((await preflight("/posts", origin, "POST")).headers.get("access-control-allow-origin")).toBeNull();
      expect(
        (await ada("GET", "/posts?limit=1", undefined, { headers: { Origin: origin } })).headers.get(
          "access-control-allow-origin",
        ),
      ).toBeNull();
    }
  });

  it("can read every header that the contract declares, also on errors", async () => {
    for (const caller of [ada, service.anonymous()]) {
      const { headers } = await caller("GET", "/posts?limit=1", undefined, { headers: { Origin: ORIGIN } });
      expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
      const exposed = headers.get("access-control-expose-headers")!.toLowerCase().split(/, ?/);
      const declared = new Set(
        operations.flatMap((it) =>
          Object.keys(rawOperation(it).responses).flatMap((status) => [...declaredResponse(it, status)!.headers.keys()]),
        ),
      );
      expect([...declared].filter((it) => !exposed.includes(it))).toEqual([]);
    }
  });
});
