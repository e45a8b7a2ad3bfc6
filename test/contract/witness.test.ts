import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { declaredCodes, declaredOutcomes, flawsOf, operations } from "../support/contract.ts";
import { sentence } from "../support/sentence.ts";
import { unseenOutcomes, witness } from "../support/witness.ts";

const getPost = operations.find((it) => it.id === "getPost")!;
const ID = "01a1efac-3ed3-7e8e-9855-dcb0c0290103";
const POST = {
  id: ID,
  author_id: ID,
  author: { id: ID, display_name: "Mara Lindqvist", deleted: false },
  title: "How we re-hung the doors",
  body: "The left one had sagged.",
  created_at: "2026-11-22T04:27:00.000Z",
  updated_at: "2026-11-22T04:27:00.000Z",
};
const PROBLEM = {
  type: "/problems/not_found",
  title: "Not found",
  status: 404,
  detail: "There is no such post.",
  code: "not_found",
  request_id: ID,
};
const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "private, no-cache",
  "X-Request-Id": ID,
  "API-Version": "1.0.0",
  ETag: '"1"',
};

const EVERY_FIELD = sentence("A response always contains every field; a field without a value is `null`.");

type Chosen = { readonly status?: number; readonly headers?: Record<string, string | null>; readonly body?: object };

/** Compares a response to `getPost` with the contract, as the clients of the tests do. */
function see({ status = 200, headers = {}, body = POST }: Chosen, head = false): void {
  const sent = Object.entries({ ...HEADERS, ...headers }).filter((it): it is [string, string] => it[1] !== null);
  witness(getPost, { status, headers: new Headers(sent), text: head ? "" : JSON.stringify(body), head });
}

const problem = (changes: object): Chosen => ({
  status: 404,
  headers: { "Content-Type": "application/problem+json", ETag: null },
  body: { ...PROBLEM, ...changes },
});

let folder: string;
let ofAll: string | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-witness-"));
  // These responses don't prove anything about the service.
  ofAll = process.env["WITNESS_FILE"];
  process.env["WITNESS_FILE"] = join(folder, "seen.txt");
});
afterAll(async () => {
  if (ofAll === undefined) delete process.env["WITNESS_FILE"];
  else process.env["WITNESS_FILE"] = ofAll;
  await rm(folder, { recursive: true });
});

describe("the witness of all responses", () => {
  it("accepts what the contract declares, and a declared problem", () => {
    see({});
    see(problem({}));
  });

  it.each<[string, Chosen, string]>([
    ["an undeclared status", { status: 201 }, "declared is application/problem+json"],
    ["an unknown header", { headers: { "X-Debug": "1" } }, "the header x-debug is not declared"],
    ["a missing required header", { headers: { ETag: null } }, "the header etag is missing"],
    ["a header in another format", { headers: { ETag: "1" } }, "the header etag: 1 is not as declared"],
    ["another media type", { headers: { "Content-Type": "text/json" } }, "the media type is text/json"],
    ["an undeclared field", { body: { ...POST, secret: "x" } }, "the body is not as declared"],
    [`a missing field: ${EVERY_FIELD}`, { body: { ...POST, title: undefined } }, "the body is not as declared"],
    ["a problem code of another operation", problem({ code: "gone", type: "/problems/gone" }), "gone is not declared here"],
    ["a problem of another status", problem({ status: 400 }), "the problem says status 400"],
    ["a problem of another type", problem({ type: "about:blank" }), "the problem is of type about:blank"],
  ])("rejects a response with %s", (_, answer, flaw) => {
    expect(() => see(answer)).toThrow(flaw);
  });

  // The contract describes these formats only in prose, because clients break on a pattern there.
  it.each([
    ["Timestamp", "2026-11-18T17:20:05.331Z", true],
    ["Timestamp", "2026-11-18T17:20:05Z", false],
    ["Timestamp", "2026-11-18T17:20:05.331+00:00", false],
    ["Timestamp", "2026-02-30T17:20:05.331Z", false],
    ["Uuid", ID, true],
    ["Uuid", ID.toUpperCase(), false],
  ])("knows whether a %s has the form of the contract: %s", (schema, text, isValid) => {
    expect(flawsOf({ $ref: `#/components/schemas/${schema}` }, text) === null).toBe(isValid);
  });
});

describe("the count of outcomes", () => {
  it("lists each declared outcome that was not seen, and is empty only if all were seen", async () => {
    const file = join(folder, "all.txt");
    const [first, ...others] = [...declaredOutcomes(), ...declaredCodes()];
    expect(unseenOutcomes(file)).toEqual([first, ...others]);
    await writeFile(file, others.join("\n"));
    expect(unseenOutcomes(file)).toEqual([first]);
    await writeFile(file, [first, ...others].join("\n"));
    expect(unseenOutcomes(file)).toEqual([]);
  });

  it("counts each code of a status, and those of default that a client of an operation can see", () => {
    const of = (id: string) =>
      declaredCodes()
        .filter((it) => it.startsWith(`${id} `))
        .map((it) => it.slice(id.length + 1));
    expect(of("listPosts")).toEqual(
      expect.arrayContaining([
        ...["400 validation_failed", "400 invalid_cursor", "400 conflicting_parameters"],
        ...["401 unauthenticated", "401 invalid_token", "default not_acceptable"],
      ]),
    );
    // Six codes of default come before an operation is found. An operation that returns no JSON ignores Accept.
    const ofDefault = declaredCodes().filter((it) => it.includes(" default "));
    expect(ofDefault.every((it) => it.endsWith(" not_acceptable"))).toBe(true);
    expect(ofDefault).toContain("getPost default not_acceptable");
    expect(ofDefault).not.toContain("deletePost default not_acceptable");
  });

  it("counts what was seen, but neither HEAD as GET nor a response that breaks the contract", async () => {
    const file = (process.env["WITNESS_FILE"] = join(folder, "noted.txt"));
    see({}, true);
    expect(() => see({ headers: { "X-Debug": "1" } })).toThrow();
    expect(unseenOutcomes(file)).toContain("getPost 200");
    see({});
    see(problem({}));
    const unseen = unseenOutcomes(file);
    expect(["getPost 200", "getPost 404 not_found", "getPost 400 validation_failed"].map((it) => unseen.includes(it))).toEqual([
      ...[false, false, true],
    ]);
  });
});
