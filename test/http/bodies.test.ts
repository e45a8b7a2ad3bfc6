import { gzipSync } from "node:zlib";
import { describe, expect, it } from "@jest/globals";
import { resolve } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { contract, flawsOf, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest, type ExampleRequest } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

const requestOf = (operation: Operation): ExampleRequest => exampleRequest(operation, missingIds(operation));
const TIMES_MAX = 30;
const withJson = operations.filter((it) => it.body === "application/json");
const raw = (operation: Operation, body: string | Uint8Array, headers: Record<string, string> = {}) => {
  const request = requestOf(operation);
  return ada(request.method, request.path, body, { headers: { ...request.headers, ...headers } });
};

type Schema = { readonly properties?: Readonly<Record<string, { readonly $ref?: string }>>; readonly type?: unknown };
const schemaOf = (operation: Operation) => {
  const { content } = resolve<{ content: Record<string, { schema: { readonly [key: string]: unknown } }> }>(
    contract,
    rawOperation(operation).requestBody!,
  );
  return resolve<Schema>(contract, content["application/json"]!.schema);
};

describe("characters that can't be stored", () => {
  const fields = withJson.flatMap((operation) =>
    Object.keys(schemaOf(operation).properties ?? {}).map((field) => ({ operation, id: operation.id, field })),
  );

  it("have a test for every field of every body", () => {
    expect(fields.length).toBeGreaterThan(8);
  });

  it.each(fields)(
    "return 400 with a pointer to the field $field of $id: NUL and lone halves of surrogate pairs",
    async ({ operation, field }) => {
      const { body } = requestOf(operation);
      for (const text of ["a\0b", "\0", "a\ud800b", "\udfff"]) {
        for (const value of [text, [text], { x: text }]) {
          const answer = await raw(operation, JSON.stringify({ ...(body as object), [field]: value }), {
            "Content-Type": "application/json",
          });
          expect(answer).toMatchObject({
            status: 400,
            body: { code: "validation_failed", errors: [{ in: "body", pointer: expect.stringContaining(`/${field}`) }] },
          });
        }
      }
    },
  );

  it.each(operations.filter((it) => it.queryParameters.length > 0))(
    "return 400 in each query parameter of $id: NUL",
    async (operation) => {
      const request = requestOf(operation);
      for (const name of operation.queryParameters) {
        for (const value of ["%00", "a%00b"])
          expect(await ask(ada, { ...request, path: `${request.path}?${name}=${value}` })).toMatchObject({
            status: 400,
            body: { errors: [{ in: "query", pointer: `/${name}` }] },
          });
      }
    },
  );

  it("return 400 in the name of a field, with an empty pointer", async () => {
    for (const name of ["a\0b", "\ud800"])
      expect(await raw(withJson[0]!, JSON.stringify({ [name]: 1 }))).toMatchObject({
        status: 400,
        body: { errors: [{ in: "body", pointer: "" }] },
      });
  });
});

describe("numbers that JSON can't represent exactly", () => {
  it.each(withJson)("return 400 in $id and are never rounded", async (operation) => {
    for (const number of ["9007199254740993", "-9007199254740993", "1e400", "1e30", "0.1e-400"]) {
      const [field = "unknown"] = Object.keys(schemaOf(operation).properties ?? {});
      expect(await raw(operation, `{"${field}":${number}}`)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    }
  });
});

describe("a body that is expensive to parse", () => {
  /**
   * The least CPU time of some attempts in this process, in which the service runs too. It tries until one costs less than
   * `enoughMs`, because a garbage collection or another test may fall on several attempts, one after the other.
   */
  const cheapestMs = async (attempt: () => Promise<unknown>, { attempts = 3, enoughMs = 0 } = {}): Promise<number> => {
    let cheapest = Infinity;
    for (let round = 0; round < attempts && cheapest >= enoughMs; round++) {
      const before = process.cpuUsage();
      await attempt();
      const { user, system } = process.cpuUsage(before);
      cheapest = Math.min(cheapest, (user + system) / 1_000);
    }
    return cheapest;
  };

  /** What grows with the square of the size takes hundreds of times as long as one long text of the same size. */
  const LONG_TEXT = JSON.stringify({ title: "x".repeat(130_000) });
  const allowedMs = async () => TIMES_MAX * (await cheapestMs(() => raw(withJson[0]!, LONG_TEXT)));

  const items = (count: number, item: (index: number) => unknown) =>
    JSON.stringify({ member_ids: Array.from({ length: count }, (_, index) => item(index)) });
  it.each([
    ["20 000 different numbers", items(20_000, (index) => index + 10_000)],
    ["16 000 strings", items(16_000, (index) => String(index + 10_000))],
    ["11 000 objects", items(11_000, (index) => ({ a: index }))],
    ["13 000 arrays", items(13_000, (index) => [1, index])],
    ["3 300 ids", items(3_300, (index) => `01a1e35e-f078-759b-82a0-${String(index).padStart(12, "0")}`)],
    ["40 000 empty arrays", items(40_000, () => [])],
    ["60 000 open brackets", "[".repeat(60_000)],
    ["60 000 nested arrays", `${"[".repeat(60_000)}${"]".repeat(60_000)}`],
    ["20 000 nested objects", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
    ["12 000 unknown fields", JSON.stringify(Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`k${index}`, 1])))],
    ["128 KB of spaces", " ".repeat(131_000)],
    ["a string of 128 KB", JSON.stringify({ title: "x".repeat(130_000) })],
    ["spaces before NUL", JSON.stringify({ title: `${" ".repeat(120_000)}\0` })],
    ["a number of 128 KB", `{"title":${"9".repeat(130_000)}}`],
  ])("returns 400 in a time that grows with its size, and no faster: %s", async (_what, text) => {
    const operation = operations.find((it) => it.id === "createConversation")!;
    const enoughMs = await allowedMs();
    const attempt = async () => expect(await raw(operation, text)).toMatchObject({ status: 400 });
    expect(await cheapestMs(attempt, { attempts: 20, enoughMs })).toBeLessThan(enoughMs);
  });

  it("returns 415 before it is decompressed: 100 MB that gzip makes small", async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000, 0x20));
    const packed = bomb.subarray(0, 120_000);
    const enoughMs = await allowedMs();
    const attempt = async () =>
      expect(await raw(withJson[0]!, packed, { "Content-Encoding": "gzip" })).toMatchObject({ status: 415 });
    expect(await cheapestMs(attempt, { attempts: 20, enoughMs })).toBeLessThan(enoughMs);
  });
});

describe("a body or query with more than 256 members", () => {
  const createPost = operations.find((it) => it.id === "createPost")!;
  const unknown = (count: number) => Array.from({ length: count }, (_, index) => [`k${index}`, 1] as const);
  const code = ({ status, body }: { status: number; body: { errors?: { pointer: string; code: string }[] } }) => ({
    status,
    first: body.errors?.map(({ pointer, code: it }) => `${pointer} ${it}`)[0],
  });

  it("returns 400 for the whole value, while a body with 256 members gets up to 50 separate errors", async () => {
    const within = await raw(createPost, JSON.stringify(Object.fromEntries(unknown(256))));
    expect(within.body.errors.map((it: { code: string }) => it.code)).toContain("additionalProperties");
    expect(within.body.errors).toHaveLength(50);
    for (const beyond of [
      Object.fromEntries(unknown(257)),
      { title: Object.fromEntries(unknown(200)), body: Object.fromEntries(unknown(60)) },
      Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => 1)),
    ])
      expect(code(await raw(createPost, JSON.stringify(beyond)))).toEqual({ status: 400, first: " maxProperties" });
    const list = { member_ids: Array.from({ length: 257 }, () => 1) };
    expect(code(await raw(createPost, JSON.stringify(list)))).toEqual({ status: 400, first: "/member_ids maxItems" });
  });

  it("returns 400 as a query too, unless the operation ignores unknown parameters", async () => {
    const query = unknown(257)
      .map((it) => it.join("="))
      .join("&");
    expect(code(await ada("GET", `/posts?${query}`))).toEqual({ status: 400, first: " maxProperties" });
    expect(await ada("GET", `/health?${query}`)).toMatchObject({ status: 200 });
  });
});

describe("JSON in a character set other than UTF-8", () => {
  it.each(["utf-16", "utf-16le", "iso-8859-1", "us-ascii", "utf-7", "x"])("returns 415: %s", async (charset) => {
    expect(await raw(withJson[0]!, "{}", { "Content-Type": `application/json; charset=${charset}` })).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type" },
    });
  });

  it("returns 400 malformed_body if it is declared as UTF-8", async () => {
    for (const bytes of [
      Buffer.from('{"title":"a"}', "utf16le"),
      Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
      Buffer.from('{"title":"é"}', "latin1"),
    ]) {
      expect(await raw(withJson[0]!, bytes)).toMatchObject({ status: 400, body: { code: "malformed_body" } });
    }
  });
});

describe("unusual names of fields and parameters", () => {
  it.each(withJson)("return 400 in $id if JavaScript uses them, and pollute no prototype", async (operation) => {
    const { body } = requestOf(operation);
    for (const name of [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "then",
      "toJSON",
      "$ref",
      "__defineGetter__",
    ]) {
      const unusual = `{${JSON.stringify(name)}:{"polluted":true}`;
      const text = JSON.stringify(body)
        .replace(/^\{(?=")/, `${unusual},`)
        .replace(/^\{(?=\})/, unusual);
      expect(await raw(operation, text)).toMatchObject({
        status: 400,
        body: { code: "validation_failed", errors: [{ code: "additionalProperties", pointer: `/${name}` }] },
      });
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("are escaped in the pointer of the error if they contain a slash or a tilde", async () => {
    expect(await raw(withJson[0]!, '{"a/b~c":1}')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/a~1b~0c", code: "additionalProperties" }] },
    });
    for (const name of ["~".repeat(200), `${"x".repeat(298)}~`, `${"x".repeat(299)}🪚`, "/".repeat(200)]) {
      const { body } = await raw(withJson[0]!, JSON.stringify({ [name]: 1 }));
      expect(flawsOf({ type: "string", format: "json-pointer", maxLength: 300 }, body.errors[0].pointer)).toBeNull();
      expect(body.errors[0].pointer.isWellFormed()).toBe(true);
    }
  });

  it("return 400 as parameters such as limit[] or Limit, because only the exact name is valid", async () => {
    const limited = operations.filter((it) => parametersOf(it).some(({ name }) => name === "limit"));
    for (const operation of limited) {
      const request = requestOf(operation);
      for (const query of ["limit[]=5", "limit[a]=5", "Limit=5", "limit%00=5", "limit.=5"])
        expect(await ask(ada, { ...request, path: `${request.path}?${query}` })).toMatchObject({
          status: 400,
          body: { code: "validation_failed" },
        });
    }
  });
});
