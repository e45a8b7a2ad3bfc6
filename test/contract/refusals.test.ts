import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { resolve } from "../../src/contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../src/contract/operations.ts";
import type { Answer, Client } from "../support/client.ts";
import { contract, declaredResponse, flawsOf, operations, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest, pathWith } from "../support/example-requests.ts";
import { createResources, gather, missingIds } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { inTurn } from "../support/size.ts";
import { exchange } from "../support/socket.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { withKey } from "../support/conversations.ts";

const service = prepare(() => startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: "100000" }));
const ada = prepare(() => service.as());
const people = prepare(() => gather(service));

/** Of values that have the same effect everywhere, those for one operation. */
const some = <T>(values: readonly T[], operation: Operation) => inTurn(values, operations.indexOf(operation));

/** A valid request for a resource that doesn't exist. */
const requestOf = (operation: Operation) => exampleRequest(operation, missingIds(operation));
const paths = [...Map.groupBy(operations, (it) => it.path)];
const withBody = operations.filter((it) => it.body !== null);
const withoutBody = operations.filter((it) => it.body === null);
const first = operations[0]!;

/** The contract has no entry for a request that reaches no operation, but the response must have the same form as others. */
function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
  const { headers, content } = declaredResponse(first, "default")!;
  expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json\b/);
  expect(flawsOf(content["application/problem+json"]!.schema, answer.body)).toBeNull();
  expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
  for (const [name, { required }] of headers) if (required) expect([name, answer.headers.has(name)]).toEqual([name, true]);
}

describe("a method that a path doesn't have", () => {
  it.each(paths.map(([path, group]) => ({ path, group })))(
    "returns 405 with exactly the methods of $path in Allow",
    async ({ group }) => {
      const own = group.map((it) => it.method.toUpperCase());
      const allowed = [...own, "OPTIONS", ...(own.includes("GET") ? ["HEAD"] : [])].sort();
      const path = pathWith(group[0]!, missingIds(group[0]!));
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"].filter(
        (it) => !allowed.includes(it),
      )) {
        const answer = await ada(method, path, method === "GET" || method === "HEAD" ? undefined : { any: 1 });
        expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allowed);
        if (method === "HEAD") expect(answer.status).toBe(405);
        else expectProblem(answer, 405, "method_not_allowed");
      }
    },
  );

  it.each(paths.map(([path, group]) => ({ path, group })))(
    "isn't OPTIONS, which returns the methods of $path in Allow",
    async ({ group }) => {
      const answer = await service.anonymous()("OPTIONS", pathWith(group[0]!, missingIds(group[0]!)));
      expect(answer.status).toBe(204);
      for (const { method } of group) expect(answer.headers.get("allow")).toContain(method.toUpperCase());
    },
  );
});

describe("Accept, Content-Type and the body", () => {
  const [inJson, inAnotherForm] = [true, false].map((it) =>
    operations.filter((operation) => (operation.produces === JSON_TYPE) === it),
  );

  it.each(inJson!)("$id returns 406 for every Accept that excludes JSON, and names application/json", async (operation) => {
    for (const accept of some(
      [
        "application/xml",
        "text/html",
        "image/*, text/*;q=0.5",
        "application/json;q=0",
        "application/json;q=0, */*",
        "application/*;q=0.0, image/*",
        "application/problem+json",
      ],
      operation,
    )) {
      const answer = await ask(ada, requestOf(operation), { Accept: accept });
      expect({ accept, status: answer.status, body: answer.body }).toMatchObject({
        accept,
        status: 406,
        body: { code: "not_acceptable", detail: expect.stringContaining("application/json") },
      });
    }
  });

  it.each(inJson!)("$id returns its usual status for every Accept that allows JSON, with any parameters", async (operation) => {
    const usual = (await ask(ada, requestOf(operation))).status;
    for (const accept of some(
      [
        "*/*",
        "",
        "application/json",
        "application/*",
        "APPLICATION/JSON",
        "application/json;charset=utf-8",
        "application/json; charset=iso-8859-1; q=0.2",
        'application/json;q=0.5;profile="a, b;q=0"',
        'application/json; profile="\\", text/html"',
        "application/*;version=1.0",
        "text/html, application/xhtml+xml, application/json;q=0.1",
        "text/html, image/gif, *;q=0.2, */*;q=0.2",
      ],
      operation,
    )) {
      // A user for each, because some resources can be created only a few times.
      const { status } = await ask(await service.as(), requestOf(operation), { Accept: accept });
      expect({ accept, status }).toEqual({ accept, status: usual });
    }
  });

  it.each(inAnotherForm!)("$id returns its usual status for any Accept, because its response isn't JSON", async (operation) => {
    const usual = (await ask(ada, requestOf(operation))).status;
    for (const accept of some(
      ["text/html", "image/*", "image/avif,image/webp;q=0.8", "application/json", "application/xml;q=0", "*/*;q=0", "x"],
      operation,
    )) {
      // A user for each, because some resources can be created only a few times.
      const { status } = await ask(await service.as(), requestOf(operation), { Accept: accept });
      expect({ accept, status }).toEqual({ accept, status: usual });
    }
  });

  const accepted = ({ headers }: Answer) => [headers.get("accept"), headers.get("accept-encoding")];
  it.each(withBody)("$id returns 415 for another media type, another charset and a compressed body", async (operation) => {
    const request = requestOf(operation);
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "video/mp4",
      "application/merge-patch+json",
      "application",
      "a/b/c",
      ";",
      "application/json,application/json",
    ];
    const { content } = resolve<{ content: object }>(contract, rawOperation(operation).requestBody!);
    const taken = Object.keys(content).map((it) => it.replace(/\*$/, ""));
    for (const type of some(types, operation).filter((it) => !taken.some((start) => it.startsWith(start)))) {
      const answer = await ada(request.method, request.path, "{}", { headers: { ...request.headers, "Content-Type": type } });
      expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
      expect(answer.body.detail).toContain(operation.body);
      expect(accepted(answer)).toEqual([operation.bodies.join(", "), null]);
    }
    for (const encoding of ["gzip", "br", "x-unknown", "identity, gzip"]) {
      const answer = await ask(ada, request, { "Content-Encoding": encoding });
      expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
      expect(accepted(answer)).toEqual([null, "identity"]);
    }
    if (operation.body === "application/json")
      for (const charset of some(["utf-16", "utf-16le", "iso-8859-1", "us-ascii", "utf-7", "x"], operation)) {
        const answer = await ask(ada, request, { "Content-Type": `application/json; charset=${charset}` });
        expect([answer.status, ...accepted(answer)]).toEqual([415, "application/json", null]);
      }
  });

  it.each(withBody.filter((it) => it.body === "application/json"))(
    "$id accepts its media type in capitals, with the charset UTF-8 and with parameters",
    async (operation) => {
      const usual = (await ask(ada, requestOf(operation))).status;
      for (const type of [
        "APPLICATION/JSON",
        "application/json; charset=UTF-8",
        'application/json;charset="utf-8"',
        "application/json; profile=x",
      ]) {
        expect((await ask(ada, requestOf(operation), { "Content-Type": type })).status).toBe(usual);
      }
    },
  );

  it.each(withBody)(
    "$id returns 413 for 200 KB, with or without Content-Length, and the client can read it",
    async (operation) => {
      const { method, path, headers } = requestOf(operation);
      const large = Buffer.alloc(200_000, 0x20);
      const chunks = () =>
        ReadableStream.from([large.subarray(0, 90_000), large.subarray(90_000, 150_000), large.subarray(150_000)]);
      for (const body of [large, large, chunks(), chunks()]) {
        const answer = await ada(method, path, body, { headers });
        // If the resource doesn't exist, an upload gets 404 first: the service reads its bytes only after it finds the resource.
        if (operation.path.includes("{") && operation.body !== "application/json" && answer.status === 404) continue;
        expect(answer).toMatchObject({ status: 413, body: { code: "content_too_large" } });
      }
    },
  );

  const isRequired = (operation: Operation) =>
    resolve<{ required: boolean }>(contract, rawOperation(operation).requestBody!).required;
  it.each(withBody.filter((it) => it.body === JSON_TYPE))(
    "$id returns 400 malformed_body for invalid JSON, and without a body if a field is required",
    async (operation) => {
      const { method, path, headers } = requestOf(operation);
      for (const body of [...(isRequired(operation) ? [undefined, ""] : []), "{", "nonsense", '{"a":1}}'])
        expect(await ada(method, path, body, { headers })).toMatchObject({ status: 400, body: { code: "malformed_body" } });
    },
  );

  const optional = withBody.filter((it) => !isRequired(it));
  const SAME = "If no field of a JSON body is required, a POST without a body is the same as one with an empty object.";
  it.each(optional)(`${sentence(SAME)} $id`, async (operation) => {
    const { method, path, headers } = exampleRequest(operation, await createResources(operation, people));
    const send = (body: unknown, type: Readonly<Record<string, string>>) => people.owner(method, path, body, { headers: type });
    const { status } = await send({}, headers);
    expect(status).toBeLessThan(300);
    expect(await send(undefined, {})).toMatchObject({ status });
    for (const type of [JSON_TYPE, "application/x-www-form-urlencoded"])
      expect(await send("", { "Content-Type": type })).toMatchObject({ status });
  });
});

describe("a body for an operation that takes none", () => {
  /** Sends bytes unchanged, because `fetch` sends no body with GET. */
  const statusAndErrors = async (operation: Operation, framing: string, bytes: string) => {
    const { method, path } = requestOf(operation);
    const credential = `Authorization: ${ada.authorization}\r\nContent-Type: application/json\r\n`;
    const sent = exchange(service.url, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${credential}${framing}\r\n\r\n${bytes}`, {
      expected: 1,
    });
    const [answer] = (await sent).answers;
    return { status: answer!.status, errors: answer!.body?.errors };
  };
  const sized = (operation: Operation, text: string) =>
    statusAndErrors(operation, `Content-Length: ${Buffer.byteLength(text)}`, text);
  const chunked = (operation: Operation, text: string) =>
    statusAndErrors(
      operation,
      "Transfer-Encoding: chunked",
      `${text === "" ? "" : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`}0\r\n\r\n`,
    );

  it.each(withoutBody.filter((it) => !it.ignoresUnknownQuery))(
    "$id returns 400 for it, unless it is empty or an empty object",
    async (operation) => {
      const detail = "The body must be left out: this operation takes none.";
      for (const text of some(['{"role":"owner"}', "null", "[]", "{", "x", `{${" ".repeat(100)}}`], operation))
        for (const send of [sized, chunked])
          expect({ text, ...(await send(operation, text)) }).toEqual({
            text,
            status: 400,
            errors: [{ in: "body", pointer: "", code: "unexpected_body", detail }],
          });
      const { status: usual } = await ask(ada, requestOf(operation));
      for (const text of ["", "{}", " { } \r\n"])
        for (const send of [sized, chunked])
          expect({ text, status: (await send(operation, text)).status }).toEqual({ text, status: usual });
    },
  );

  it.each(withoutBody.filter((it) => it.ignoresUnknownQuery))("$id ignores it", async (operation) => {
    const { status: usual } = await ask(service.anonymous(), requestOf(operation));
    expect((await sized(operation, '{"role":"owner"}')).status).toBe(usual);
  });
});

describe("parameters and paths", () => {
  it.each(operations.filter((it) => !it.ignoresUnknownQuery))(
    "$id returns 400 with the name of an unknown query parameter",
    async (operation) => {
      const request = requestOf(operation);
      for (const name of some(["nonsense", "LIMIT", "limit[]", "limit[a]", "limit.", "__proto__", "access_token"], operation)) {
        const path = `${request.path}${request.path.includes("?") ? "&" : "?"}${name}=1`;
        // The validator takes brackets for another spelling of the name before them.
        const error = /\W/.test(name) ? {} : { pointer: `/${name}`, code: "additionalProperties" };
        expect(await ask(ada, { ...request, path })).toMatchObject({
          status: 400,
          body: { code: "validation_failed", errors: [{ in: "query", ...error }] },
        });
      }
    },
  );

  it.each(operations.filter((it) => it.ignoresUnknownQuery))("$id ignores unknown query parameters", async (operation) => {
    const request = requestOf(operation);
    const usual = (await ask(ada, request)).status;
    for (const query of ["nonsense=1", "x=%00", "%00=x", "limit=abc&limit=", "%", "a[b]=1"])
      expect((await ask(ada, { ...request, path: `${request.path}?${query}` })).status).toBe(usual);
  });

  const CASE = sentence("**Paths** are case-sensitive and have no trailing slash.");
  it.each(operations)(
    `${CASE} $id returns 404 with one, in capitals, with a double slash, with another segment and under /v1`,
    async (operation) => {
      const { method, path, headers, body } = requestOf(operation);
      const capitals = path.replace(/[a-z]+/, (it) => it.toUpperCase());
      // Of an operation with a page, it is the path of the same resource, which doesn't exist.
      const code = operation.pageStatuses.length > 0 ? "not_found" : "route_not_found";
      for (const other of [`${path.replace(/\?.*$/, "")}/`, capitals, `/${path}`])
        expectProblem(await ada(method, other, body, { headers }), 404, code);
      for (const other of [`/v1${path}`, `/__proto__${path}`])
        expectProblem(await ada(method, other, body, { headers }), 404, "route_not_found");
    },
  );

  const ID = sentence("A malformed id returns 400, an unknown one 404.");
  it.each(operations.filter((it) => it.path.includes("{")))(
    `${ID} So does $id for a path that isn't percent-encoded UTF-8`,
    async (operation) => {
      const { method, headers, body } = requestOf(operation);
      // An operation without 404 has a response for each valid id; a rule of the contract says which operations can lack it.
      if (declaredResponse(operation, "404") !== null && operation.scopes !== null)
        expect(await ask(ada, requestOf(operation))).toMatchObject({ status: 404, body: { code: "not_found" } });
      for (const garbage of some(
        ["!", "%E0%A4%A", "%", "%zz", "%ff", "%ED%A0%80", "a%00b", "%2e%2e%2f", "🪚", "a b"],
        operation,
      )) {
        const path = operation.path.replaceAll(/\{\w+\}/g, encodeURI(garbage).replaceAll("%25", "%"));
        const answer = await ada(method, path, body, { headers });
        expect({ garbage, status: answer.status, code: answer.body?.code }).toEqual({
          garbage,
          status: 400,
          code: "validation_failed",
        });
      }
    },
  );

  it("returns 414 for a target of more than 8 KiB, and accepts a shorter one", async () => {
    expectProblem(await ada("GET", `/health?${"x".repeat(8_200)}`), 414, "uri_too_long");
    expect((await ada("GET", `/health?${"x".repeat(8_000)}`)).status).toBe(200);
  });
});

const guarded = operations.filter((it) => it.scopes !== null);
const scoped = guarded.filter((it) => it.scopes!.length > 0);
const takesBody = (it: Operation) => it.body !== null;

/** Invalid bodies. The service must check the credential and the scope before it refuses one of them. */
const BAD_BODIES: readonly (readonly [string, string | Uint8Array, string])[] = [
  ["broken JSON", "{", "application/json"],
  ["another media type", "x", "text/plain"],
  ["200 KB", Buffer.alloc(200_000, 0x20), "application/json"],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), "application/json"],
  ["an unknown field", '{"nonsense":1}', "application/json"],
];

async function refusals(caller: Client, operation: Operation): Promise<ReadonlySet<string>> {
  const path = pathWith(operation, missingIds(operation));
  const method = operation.method.toUpperCase();
  const answers = [await caller(method, `${path}?nonsense=1`), await caller(method, path.replace(/\/[^/]{30,}/, "/not-an-id"))];
  if (takesBody(operation))
    for (const [, body, type] of BAD_BODIES)
      answers.push(await caller(method, path, body, { headers: { "Content-Type": type } }));
  return new Set(answers.map((it) => `${it.status} ${it.body.code}`));
}

describe("the order of checks", () => {
  it.each(guarded)("$id returns 401 without a valid token, whatever else is wrong", async (operation) => {
    expect([...(await refusals(service.anonymous(), operation))]).toEqual(["401 unauthenticated"]);
    expect([...(await refusals(service.anonymous("Bearer plumb_x"), operation))]).toEqual(["401 invalid_token"]);
  });

  it.each(scoped)(
    "$id returns 403 insufficient_scope to a token without its scope, whatever else is wrong",
    async (operation) => {
      const caller = await service.as({ scopes: everyScope.filter((it) => !operation.scopes!.includes(it)) });
      expect([...(await refusals(caller, operation))]).toEqual(["403 insufficient_scope"]);
    },
  );

  it.each(operations.filter(takesBody))("$id returns 415 and 413 before it checks the parameters", async (operation) => {
    const caller = await service.as();
    const path = `${pathWith(operation, missingIds(operation))}?nonsense=1`;
    const method = operation.method.toUpperCase();
    expect(await caller(method, path, "x", { headers: { "Content-Type": "text/plain" } })).toMatchObject({ status: 415 });
    expect(
      await caller(method, path, Buffer.alloc(200_000, 0x20), { headers: { "Content-Type": operation.body! } }),
    ).toMatchObject({ status: 413 });
  });

  it.each(operations.filter((it) => it.path.includes("{") && !it.ignoresUnknownQuery))(
    "$id returns 400 before it checks access to the resource, to the owner and to a stranger",
    async (operation) => {
      const people = await gather(service);
      const request = exampleRequest(operation, await createResources(operation, people));
      for (const caller of [people.owner, people.stranger]) {
        const path = `${request.path}${request.path.includes("?") ? "&" : "?"}nonsense=1`;
        expect(await ask(caller, { ...request, path })).toMatchObject({
          status: 400,
          body: { code: "validation_failed" },
        });
      }
    },
  );

  it("returns 404 for an unknown path first, then 405, then 406, and all of them before 401", async () => {
    const anonymous = service.anonymous();
    expect(await anonymous("PUT", "/posts", "{", { headers: { Accept: "application/xml" } })).toMatchObject({ status: 405 });
    expect(await anonymous("POST", "/posts", "{", { headers: { Accept: "application/xml" } })).toMatchObject({ status: 406 });
    expect(await anonymous("PUT", "/nothing", "{", { headers: { Accept: "application/xml" } })).toMatchObject({ status: 404 });
  });

  it("returns 404 and 403 for the resource before it checks If-Match", async () => {
    const { owner, stranger } = await gather(service);
    const { headers } = await owner("POST", "/posts", { title: "A title", body: "A body" });
    const stale = { headers: { "If-Match": '"stale"' } };
    expect(await stranger("PATCH", headers.get("location")!, { title: "x" }, stale)).toMatchObject({
      status: 403,
      body: { code: "not_the_author" },
    });
    expect(await owner("PATCH", headers.get("location")!, { title: "x" }, stale)).toMatchObject({ status: 412 });
    await owner("DELETE", headers.get("location")!);
    expect(await owner("PATCH", headers.get("location")!, { title: "x" }, stale)).toMatchObject({ status: 404 });
  });

  it("returns a replay or 422 for the key before it checks the rules of the operation", async () => {
    const ada = await service.as();
    const key = withKey();
    const body = { target_url: "https://example.com/", id: "rule-after-key" };
    await ada("POST", "/urls", body, key);
    // The id is taken now. Even so, the retry succeeds, and the other request is refused for its reused key.
    expect(await ada("POST", "/urls", body, key)).toMatchObject({ status: 201 });
    expect(await ada("POST", "/urls", { ...body, target_url: "https://example.com/other" }, key)).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
  });
});
