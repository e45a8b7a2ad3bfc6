import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { createRequestLog } from "../../src/observability/request-log.ts";
import { operations } from "../support/contract.ts";
import { eventually } from "../support/eventually.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";
import { missingIds } from "../support/resources.ts";

const SECRET = "postgres://admin:hunter2@10.0.0.7/production";
const lines: string[] = [];
/** The behavior of all handlers. Each test sets it. */
let behave: () => Promise<unknown>;

const stubbed = prepare(() => startWithHandlers(() => behave(), { onLogLine: (line) => void lines.push(line) }));
const caller = prepare(async () => stubbed.caller);
const getPost = operations.find((it) => it.id === "getPost")!;

/** Expects a response that reveals nothing about the cause. The log has the cause under the id of the request. */
async function expectInternalError(operation: (typeof operations)[number], trace: string): Promise<void> {
  lines.length = 0;
  const answer = await ask(caller, exampleRequest(operation, missingIds(operation)));
  expect(answer).toMatchObject({ status: 500, body: { code: "internal_error" } });
  const whole = answer.text + JSON.stringify([...answer.headers]);
  for (const secret of [SECRET, "hunter2", trace, "Error", ".ts", "node_modules", "handler"]) expect(whole).not.toContain(secret);
  for (const name of ["etag", "location", "link"]) expect(answer.headers.has(name)).toBe(false);
  const logged = lines.find((line) => line.includes(answer.body.request_id as string) && line.includes('"defect"'));
  expect(logged).toContain(trace);
}

/** What `getPost` returns. */
const POST = {
  id: "01a1efac-3ed3-7e8e-9855-dcb0c0290103",
  author_id: "019cad9d-67a0-7f04-a2cb-593947eaa099",
  author: { id: "019cad9d-67a0-7f04-a2cb-593947eaa099", display_name: "Mara Lindqvist", deleted: false },
  title: "A title",
  body: "A body",
  created_at: "2026-11-18T17:20:05.331Z",
  updated_at: "2026-11-18T17:20:05.331Z",
};

/** JavaScript can throw any value, and some libraries do. */
const rejectWith: (reason: unknown) => Promise<never> = Promise.reject.bind(Promise);

describe("an operation whose handler fails in an unexpected way", () => {
  it.each(operations)(
    "$id returns 500 without details of the error, which is in the log with the request id",
    async (operation) => {
      behave = async () => {
        throw new Error(`connect to ${SECRET} failed`, { cause: new Error("cause-of-it") });
      };
      await expectInternalError(operation, "hunter2");
    },
  );

  it.each([
    ["a string", "hunter2 as a string"],
    ["an object with a status", { status: 400, message: "hunter2", expose: true }],
    ["undefined", undefined],
    ["null", null],
    ["an error with status 404", Object.assign(new Error("hunter2"), { status: 404, statusCode: 404, expose: true })],
    [
      "an error with status 400",
      Object.assign(new Error("hunter2"), { status: 400, statusCode: 400, expose: true, path: "/body/title" }),
    ],
    ["a string with a meaning in Express", "route"],
  ])("returns 500 if the handler throws %s", async (_what, thrown) => {
    behave = () => rejectWith(thrown);
    const answer = await ask(caller, exampleRequest(getPost, missingIds(getPost)));
    expect(answer).toMatchObject({ status: 500, body: { code: "internal_error" } });
    expect(answer.text).not.toContain("hunter2");
  });
});

describe("the log", () => {
  it("contains no token, key, cookie, body or query of a client, even after an error", async () => {
    lines.length = 0;
    const planted = {
      Authorization: "Bearer canary-token",
      "Idempotency-Key": "canary-key-1",
      Cookie: "session=canary-cookie",
      "X-Forwarded-For": "canary-address",
    };
    for (const failure of [new Error("boom"), undefined]) {
      behave = () => rejectWith(failure);
      await caller("POST", "/posts", { title: "canary-title", body: "canary-body" }, { headers: planted });
      await caller("POST", "/posts?canary-query=1", { title: "canary-title" }, { headers: planted });
      await caller("POST", "/posts", '{"canary-broken"', { headers: { ...planted, "Content-Type": "application/json" } });
      await caller("GET", "/posts?after=canary-cursor", undefined, { headers: planted });
    }
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.filter((line) => line.includes("canary"))).toEqual([]);
  });
});

it("a download that fails half-way is cut, and nothing is written into it", async () => {
  lines.length = 0;
  const bytes = Readable.from(
    (function* () {
      yield Buffer.from("the beginning");
      throw new Error("EIO");
    })(),
  );
  behave = async () => ({
    status: 200,
    headers: { "Content-Length": 100 },
    body: { contentType: "image/jpeg", open: async () => bytes },
  });
  await expect(caller("GET", `/video-uploads/${POST.id}/poster`)).rejects.toThrow();
  await eventually("the defect", () => lines.length > 1);
  expect(lines.map((it) => (JSON.parse(it) as { msg: string }).msg).toSorted()).toEqual(["defect", "request"]);
});

it("the log of a share of the requests has each that fails with 5xx, health checks too", async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  let fails = false;
  const stubbed = await startWithHandlers(() => (fails ? Promise.reject(new Error("boom")) : Promise.resolve({ status: 204 })), {
    onRequestEnd: createRequestLog(log, Number.MIN_VALUE),
  });
  for (fails of [false, true])
    for (const path of ["/health/live", "/account"])
      await fetch(new URL(path, stubbed.url), { headers: { Authorization: "Bearer x" } });
  await stubbed.close();
  const lines = logged.map((it) => JSON.parse(it) as { operation: string; status: number });
  expect(lines.map((it) => [it.operation, it.status])).toEqual([
    ["getLiveness", 500],
    ["getAccount", 500],
  ]);
});

describe("a response of a handler", () => {
  const valid = { status: 200, headers: { ETag: '"abc"' }, body: POST };
  const withBody = (change: object) => ({ ...valid, body: { ...POST, ...change } });
  const answered = (outcome: unknown) => {
    behave = async () => outcome;
    return ask(caller, exampleRequest(getPost, missingIds(getPost)));
  };

  it("is sent if it matches the contract", async () => {
    expect(await answered(valid)).toMatchObject({ status: 200, body: POST });
  });

  it.each([
    ["an undeclared column", withBody({ password_hash: "hunter2" })],
    ["a missing field", withBody({ title: undefined })],
    ["a number instead of a string", withBody({ title: 7 })],
    ["a timestamp in another format", withBody({ created_at: "2026-11-18" })],
    ["null in a field that can't be null", withBody({ body: null })],
    ["an id in capitals", withBody({ id: POST.id.toUpperCase() })],
    ["an undeclared status", { ...valid, status: 206 }],
    ["a header that can't be sent", { ...valid, headers: { ETag: '"a"\r\nSet-Cookie: x=1' } }],
  ])("is replaced by 500 if it breaks the contract: %s", async (_what, outcome) => {
    const { status, body, text, headers } = await answered(outcome);
    expect({ status, body }).toMatchObject({ status: 500, body: { code: "internal_error" } });
    expect(text).not.toContain("hunter2");
    expect([headers.has("etag"), headers.has("set-cookie")]).toEqual([false, false]);
  });
});
