import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { exchange, flawsOfProblem } from "../support/socket.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
let auth: string;
beforeAll(async () => {
  auth = `Authorization: ${(await service.as()).authorization}\r\n`;
});

const POST = (headers: string, body: string) =>
  `POST /posts HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;
const GET = (target: string, headers = "") => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const postsInAll = () => service.db.post.count();

/** A second request that the service must never process: it is hidden in what one side reads as the body of the first. */
const hidden = () =>
  `POST /posts HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n{"title":"hidden","body":"x"}`;

describe("a message with ambiguous framing", () => {
  it.each([
    [
      "Content-Length and Transfer-Encoding",
      () => POST("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden()}`),
    ],
    [
      "Transfer-Encoding and Content-Length",
      () => POST("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden()}`),
    ],
    ["two different Content-Lengths", () => POST("Content-Length: 2\r\nContent-Length: 30\r\n", `{}${hidden()}`)],
    ["two lengths in one Content-Length", () => POST("Content-Length: 2, 2\r\n", `{}${hidden()}`)],
    ["a Content-Length with a sign", () => POST("Content-Length: +2\r\n", `{}${hidden()}`)],
    ["a negative Content-Length", () => POST("Content-Length: -1\r\n", `{}${hidden()}`)],
    ["a Content-Length in hexadecimal", () => POST("Content-Length: 0x2\r\n", `{}${hidden()}`)],
    ["a Content-Length that is too large", () => POST(`Content-Length: ${"9".repeat(40)}\r\n`, "{}")],
    ["an unknown transfer coding", () => POST("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${hidden()}`)],
    ["a transfer coding beside chunked", () => POST("Transfer-Encoding: gzip, chunked\r\n", `0\r\n\r\n${hidden()}`)],
    ["chunked before another coding", () => POST("Transfer-Encoding: chunked, identity\r\n", `0\r\n\r\n${hidden()}`)],
    [
      "two Transfer-Encodings",
      () => POST("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `0\r\n\r\n${hidden()}`),
    ],
    ["a space before the colon of Transfer-Encoding", () => POST("Transfer-Encoding : chunked\r\n", `0\r\n\r\n${hidden()}`)],
    ["a folded Transfer-Encoding", () => POST("Transfer-Encoding:\r\n chunked\r\n", `0\r\n\r\n${hidden()}`)],
    ["a folded header", () => POST("X-Long: a\r\n b\r\nContent-Length: 2\r\n", `{}${hidden()}`)],
    ["an invalid chunk size", () => POST("Transfer-Encoding: chunked\r\n", `zz\r\n{}\r\n0\r\n\r\n${hidden()}`)],
    ["a chunk longer than its size", () => POST("Transfer-Encoding: chunked\r\n", `1\r\n{}\r\n0\r\n\r\n${hidden()}`)],
    ["a chunk size that ends in a bare line feed", () => POST("Transfer-Encoding: chunked\r\n", `2\n{}\r\n0\r\n\r\n${hidden()}`)],
    ["20 KB of chunk extensions", () => POST("Transfer-Encoding: chunked\r\n", `2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
    ["bare line feeds", () => GET("/health").replaceAll("\r\n", "\n")],
    ["bare carriage returns", () => GET("/health", "X-A: b\rX-B: c\r\n")],
  ])("returns one 400, creates nothing, and closes the connection: %s", async (_what, message) => {
    const before = await postsInAll();
    const { answers, isClosed } = await exchange(service.url, message());
    expect(answers.map((it) => it.status)).toEqual([400]);
    expect(flawsOfProblem(answers[0]!)).toEqual([]);
    expect(answers[0]!.body.code).toMatch(/^(malformed_request|malformed_body)$/);
    expect(isClosed).toBe(true);
    expect(await postsInAll()).toBe(before);
  });

  it("isn't confused with two complete requests in sequence, which both succeed", async () => {
    const before = await postsInAll();
    const { answers } = await exchange(service.url, POST("Content-Length: 29\r\n", '{"title":"first!","body":"x"}') + hidden(), {
      expected: 2,
    });
    expect(answers.map((it) => it.status)).toEqual([201, 201]);
    expect(await postsInAll()).toBe(before + 2);
  });
});

describe("a message that isn't valid HTTP/1.1", () => {
  it.each([
    ["two Hosts", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["two equal Hosts", "GET /health HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"],
    ["two Authorizations", () => GET("/account", `${auth}${auth.replace(/_.*/, "_another\r\n")}`)],
    ["two Authorizations, of which the second is valid", () => GET("/account", `authorization: Bearer x\r\n${auth}`)],
    ["two Authorizations without an operation", () => GET("/docs", `${auth}AUTHORIZATION: Basic eDp5\r\n`)],
    ["two Content-Types", () => POST("content-type: text/plain\r\nContent-Length: 2\r\n", "{}")],
    ["no Host", "GET /health HTTP/1.1\r\nAccept: */*\r\n\r\n"],
    ["a space before a colon", "GET /health HTTP/1.1\r\nHost : a\r\n\r\n"],
    ["a header without a colon", GET("/health", "nonsense\r\n")],
    ["a control character in a header", GET("/health", "X-A: b\x01c\r\n")],
    ["NUL in a header", GET("/health", "X-A: b\0c\r\n")],
    ["an unknown method", GET("/health").replace("GET", "FETCH")],
    ["a method in lower case", GET("/health").replace("GET", "get")],
    ["another HTTP version", GET("/health").replace("1.1", "1.2")],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a TLS handshake", Buffer.from("16030100a5010000a10303", "hex")],
    ["non-ASCII bytes in the path", GET("/u/é")],
    ["NUL in the path", GET("/u/a\0b")],
    ["a space in the path", GET("/u/a b")],
    ["a URL without a host", GET("http://")],
    ["a URL with an invalid host", GET("http://[::1/health")],
    ["a URL without a path", GET("other://health")],
    ["nonsense", "nonsense\r\n\r\n"],
  ])("returns 400 malformed_request and closes the connection: %s", async (_what, message) => {
    const { answers, isClosed } = await exchange(service.url, typeof message === "function" ? message() : message);
    expect(answers.map((it) => [it.status, it.body.code])).toEqual([[400, "malformed_request"]]);
    expect(flawsOfProblem(answers[0]!)).toEqual([]);
    expect(isClosed).toBe(true);
  });

  it.each([
    ["one header of 17 KB", GET("/health", `X-Large: ${"x".repeat(17_000)}\r\n`)],
    ["3 000 headers", GET("/health", Array.from({ length: 3_000 }, (_, index) => `x${index}: 1\r\n`).join(""))],
    ["a target of 20 KB", GET(`/health?${"x".repeat(20_000)}`)],
    ["100 KB of cookies", GET("/health", `Cookie: ${"a=b; ".repeat(20_000)}\r\n`)],
  ])("returns 431 headers_too_large and closes the connection: %s", async (_what, message) => {
    const { answers, isClosed } = await exchange(service.url, message);
    expect(answers.map((it) => [it.status, it.body.code])).toEqual([[431, "headers_too_large"]]);
    expect(flawsOfProblem(answers[0]!)).toEqual([]);
    expect(isClosed).toBe(true);
  });

  it("doesn't affect the next connection", async () => {
    expect(await service.anonymous()("GET", "/health")).toMatchObject({ status: 200 });
  });
});

describe("the time for the headers of a request", () => {
  // That such a client gets 408 is in contract/provocations/protocol.ts.
  it(`is that of the contract: ${sentence("If the headers take longer than 5 seconds")}`, async () => {
    const servers: Server[] = [];
    const remember = (it: unknown) => void servers.push((it as { server: Server }).server);
    subscribe("http.server.request.start", remember);
    await service.anonymous()("GET", "/health");
    unsubscribe("http.server.request.start", remember);
    expect(servers.map((it) => it.headersTimeout)).toEqual([5_000]);
  });
});

describe("a header that is sent twice", () => {
  it.each([
    ["Idempotency-Key", "a-key-of-16-chars"],
    ["Idempotency-Key", '"a-key-of-16-chars"'],
    ["Content-Encoding", "identity"],
  ])("is refused with 4xx and creates nothing: %s: %s", async (name, value) => {
    const before = await postsInAll();
    const body = '{"title":"first!","body":"x"}';
    const header = `${name}: ${value}\r\n`;
    const { answers } = await exchange(service.url, POST(`${header}${header}Content-Length: ${body.length}\r\n`, body), {
      expected: 1,
    });
    expect([400, 415]).toContain(answers[0]!.status);
    expect(await postsInAll()).toBe(before);
  });
});

describe("a rarely used feature of HTTP/1.1", () => {
  it("is supported: 9 KB of headers, HTTP/1.0 without a Host, the absolute form of the target", async () => {
    const targets = [
      GET("/health", `X-Large: ${"x".repeat(9_000)}\r\nConnection: close\r\n`),
      "GET /health HTTP/1.0\r\n\r\n",
      GET("http://elsewhere.example/health", "Connection: close\r\n"),
    ];
    for (const message of targets) expect((await exchange(service.url, message)).answers.map((it) => it.status)).toEqual([200]);
  });

  it("is ignored: an upgrade to another protocol", async () => {
    for (const protocol of ["h2c", "websocket"]) {
      const { answers } = await exchange(
        service.url,
        GET("/health", `Connection: Upgrade\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`),
        { expected: 1 },
      );
      expect(answers.map((it) => it.status)).toEqual([200]);
    }
  });

  it("isn't supported: TRACE returns 405 without an echo, and CONNECT gets no response", async () => {
    const {
      answers: [traced],
    } = await exchange(service.url, GET("/health", "X-Secret: canary\r\nConnection: close\r\n").replace("GET", "TRACE"));
    expect(traced).toMatchObject({ status: 405 });
    expect(traced!.text).not.toContain("canary");
    expect((await exchange(service.url, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n")).answers).toEqual([]);
  });

  it("isn't supported: another spelling of a path returns 400 or 404", async () => {
    for (const target of [
      "/../health",
      "/./health",
      "/urls/../health",
      "//health",
      "/health/",
      "/health;x=1",
      "/%68ealth%00",
      "/HEALTH",
      "/health%2f",
    ]) {
      expect(
        (await exchange(service.url, GET(target, `${auth}Connection: close\r\n`))).answers.map((it) => [
          target,
          [400, 404].includes(it.status),
          it.status < 500,
        ]),
      ).toEqual([[target, true, true]]);
    }
  });

  it("is supported: OPTIONS *, which returns the methods of the service in Allow", async () => {
    const request = (method: string) => `${method} * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const [answer] = (await exchange(service.url, request("OPTIONS"))).answers;
    expect([answer!.status, answer!.headers.get("allow")!.split(", ").sort()]).toEqual([
      204,
      ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
    ]);
    for (const method of ["GET", "DELETE"])
      expect((await exchange(service.url, request(method))).answers.map((it) => it.status)).toEqual([404]);
  });
});

it(`${sentence("After 17 pipelined requests, the service closes the connection.")} No other one is processed`, async () => {
  const before = await postsInAll();
  const { answers, isClosed } = await exchange(service.url, hidden().repeat(100));
  expect(answers.map((it) => [it.status, it.headers.get("connection")])).toEqual([
    ...Array.from({ length: 16 }, () => [201, "keep-alive"]),
    [201, "close"],
  ]);
  expect([isClosed, (await postsInAll()) - before]).toEqual([true, 17]);
});
