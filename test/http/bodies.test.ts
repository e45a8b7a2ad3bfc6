import { describe, expect, it } from "@jest/globals";
import type { Operation } from "../../src/contract/operations.ts";
import { flawsOf, operations } from "../support/contract.ts";
import { exampleRequest, type ExampleRequest } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

const requestOf = (operation: Operation): ExampleRequest => exampleRequest(operation, missingIds(operation));
const createPost = operations.find((it) => it.id === "createPost")!;
const withJson = operations.filter((it) => it.body === "application/json");
const raw = (operation: Operation, body: string | Uint8Array, headers: Record<string, string> = {}) => {
  const request = requestOf(operation);
  return ada(request.method, request.path, body, { headers: { ...request.headers, ...headers } });
};

/** A value nested in `levels` lists. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe("a value that can't be stored, or that is nested too deeply,", () => {
  it.each([
    ["33 levels deep", { title: nested(32) }, "depth"],
    ["32 levels deep, which is left to the schema", { title: nested(31) }, "type"],
    ["an integer that JSON can't represent exactly", { title: 2 ** 53 }, "maximum"],
    ["the largest exact integer, which is left to the schema", { title: 2 ** 53 - 1 }, "type"],
    ["NUL in a name", { "a\0b": 1 }, "pattern"],
    ["half of a surrogate pair in a name", { "\ud800": 1 }, "pattern"],
  ])("returns 400 with a code of its own: %s", async (_what, body, code) => {
    const answer = await raw(createPost, JSON.stringify(body));
    expect({ status: answer.status, codes: answer.body.errors.map((it: { code: string }) => it.code) }).toEqual({
      status: 400,
      codes: expect.arrayContaining([code]),
    });
  });
});

describe("a number with more digits than JavaScript keeps", () => {
  const EXACT = sentence("Numbers in a body are never rounded: `2.9999999999999999999` is not the integer 3.");
  const putReadPosition = operations.find((it) => it.id === "putReadPosition")!;
  const position = (sequence: string) => raw(putReadPosition, `{"sequence":${sequence}}`);

  it.each([
    ...["2.9999999999999999999", "0.99999999999999999999", "1.00000000000000000000001", "9007199254740990.7"],
    ...["29999999999999999999e-19", "0.000000000000000000010000000000000000000001E20", "1e-400", "-1e-400"],
  ])(`${EXACT} %s`, async (sequence) => {
    const detail = "sequence must be integer.";
    expect(await position(sequence)).toMatchObject({
      status: 400,
      body: { errors: [{ in: "body", pointer: "/sequence", code: "type", detail }] },
    });
  });

  it.each(["3", "3.0", "3.0000000000000000000", "3e0", "0.3E+1", "30e-1", "30000000000000000000e-19", "0e-400", "-0.0"])(
    "is the integer that it is equal to: %s",
    async (sequence) => {
      // The conversation doesn't exist.
      expect(await position(sequence)).toMatchObject({ status: 404 });
    },
  );
});

describe("a body or query with more than 256 members", () => {
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

it("JSON in another character set returns 400 malformed_body if it is declared as UTF-8", async () => {
  for (const bytes of [
    Buffer.from('{"title":"a"}', "utf16le"),
    Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
    Buffer.from('{"title":"é"}', "latin1"),
    // A lone continuation byte, an overlong slash, an encoded surrogate, and half a character.
    ...[[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]].map((it) =>
      Buffer.concat([Buffer.from('{"title":"a'), Buffer.from(it), Buffer.from('"}')]),
    ),
  ]) {
    expect(await raw(createPost, bytes)).toMatchObject({ status: 400, body: { code: "malformed_body" } });
  }
});

describe("unusual names of fields and parameters", () => {
  it.each(withJson)("return 400 in $id if JavaScript uses them, and pollute no prototype", async (operation) => {
    const { body } = requestOf(operation);
    for (const name of "__proto__ constructor prototype toString hasOwnProperty then toJSON $ref __defineGetter__".split(" ")) {
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
    expect(await raw(createPost, '{"a/b~c":1}')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/a~1b~0c", code: "additionalProperties" }] },
    });
    for (const name of ["~".repeat(200), `${"x".repeat(298)}~`, `${"x".repeat(299)}🪚`, "/".repeat(200)]) {
      const { body } = await raw(createPost, JSON.stringify({ [name]: 1 }));
      expect(flawsOf({ type: "string", format: "json-pointer", maxLength: 300 }, body.errors[0].pointer)).toBeNull();
      expect(body.errors[0].pointer.isWellFormed()).toBe(true);
    }
  });
});
