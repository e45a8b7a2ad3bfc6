import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createClient, type Client } from "../support/client.ts";
import { declaredCodes, declaredOutcomes } from "../support/contract.ts";
import { unseenOutcomes } from "../support/witness.ts";

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

type Chosen = { readonly status?: number; readonly headers?: Record<string, string | undefined>; readonly body?: unknown };

/** A server that returns what the test chooses, and a client that compares it with the contract. */
let server: Server;
let client: Client;
let chosen: Chosen;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-witness-"));
  // Responses of this server don't prove anything about the service.
  delete process.env["WITNESS_FILE"];
  server = createServer((req, res) => {
    const { status = 200, headers = {}, body = POST } = chosen;
    for (const [name, value] of Object.entries({ ...HEADERS, ...headers })) if (value !== undefined) res.setHeader(name, value);
    res
      .writeHead(status)
      .end(body === undefined || req.method === "HEAD" ? "" : typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { userId: ID, name: "Ada" });
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

function get(answer: Chosen, method = "GET") {
  chosen = answer;
  return client(method, `/posts/${ID}`);
}

const problem = (changes: object) => ({
  status: 404,
  headers: { "Content-Type": "application/problem+json", ETag: undefined },
  body: { ...PROBLEM, ...changes },
});

describe("a client of the tests", () => {
  it.each<[string, Chosen]>([
    ["what the contract declares", {}],
    ["a declared problem", problem({})],
  ])("accepts a response with %s", async (_, answer) => {
    await expect(get(answer)).resolves.toMatchObject({ status: answer.status ?? 200 });
  });

  it.each<[string, Chosen, string]>([
    ["an undeclared status", { status: 201 }, "declared is application/problem+json"],
    ["an unknown header", { headers: { "X-Debug": "1" } }, "the header x-debug is not declared"],
    [
      "a header of another operation",
      { headers: { "Idempotency-Replayed": "true" } },
      "the header idempotency-replayed is not declared",
    ],
    ["a cookie", { headers: { "Set-Cookie": "a=b" } }, "the header set-cookie is not declared"],
    ["a missing required header", { headers: { ETag: undefined } }, "the header etag is missing"],
    ["a header in another format", { headers: { ETag: "1" } }, "the header etag: 1 is not as declared"],
    ["another media type", { headers: { "Content-Type": "text/json" } }, "the media type is text/json"],
    ["an undeclared field", { body: { ...POST, secret: "x" } }, "the body is not as declared"],
    ["a missing field", { body: { ...POST, title: undefined } }, "the body is not as declared"],
    ["a time in another zone", { body: { ...POST, created_at: "2026-11-22T05:27:00.000+01:00" } }, "the body is not as declared"],
    [
      "a problem code of another operation",
      problem({ code: "gone", type: "/problems/gone" }),
      "the problem code gone is not declared here",
    ],
    ["a problem of another status", problem({ status: 400 }), "the problem says status 400"],
    ["a problem of another type", problem({ type: "about:blank" }), "the problem is of type about:blank"],
  ])("rejects a response with %s", async (_, answer, flaw) => {
    await expect(get(answer)).rejects.toThrow(flaw);
  });
});

describe("the count of outcomes", () => {
  const count = async (...seen: string[]) => {
    const file = join(folder, "seen.txt");
    await writeFile(file, seen.map((it) => `${it}\n`).join(""));
    return unseenOutcomes(file);
  };

  it("lists each declared outcome that was not seen, and is empty only if all were seen", async () => {
    const [first, second, ...others] = [...declaredOutcomes, ...declaredCodes];
    expect(await count(...others)).toEqual([first, second]);
    expect(await count(first!, second!, ...others)).toEqual([]);
    expect(unseenOutcomes(join(folder, "nothing.txt"))).toEqual([first, second, ...others]);
  });

  it("counts each code of a status, and those of default that a client of an operation can see", async () => {
    const of = (id: string) => declaredCodes.filter((it) => it.startsWith(`${id} `)).map((it) => it.slice(id.length + 1));
    expect(of("listPosts")).toEqual(
      expect.arrayContaining([
        ...["400 validation_failed", "400 invalid_cursor", "400 conflicting_parameters"],
        ...["401 unauthenticated", "401 invalid_token", "default not_acceptable"],
      ]),
    );
    // Six codes of default come before an operation is found. An operation that returns no JSON ignores Accept.
    const ofDefault = declaredCodes.filter((it) => it.includes(" default "));
    expect(ofDefault.every((it) => it.endsWith(" not_acceptable"))).toBe(true);
    expect(ofDefault).toContain("getPost default not_acceptable");
    expect(ofDefault).not.toContain("deletePost default not_acceptable");

    const file = (process.env["WITNESS_FILE"] = join(folder, "codes.txt"));
    await get(problem({}));
    expect(unseenOutcomes(file)).not.toContain("getPost 404 not_found");
    expect(unseenOutcomes(file)).toContain("getPost 400 validation_failed");
    delete process.env["WITNESS_FILE"];
  });

  it("counts neither HEAD as GET nor a response that breaks the contract", async () => {
    const file = (process.env["WITNESS_FILE"] = join(folder, "noted.txt"));
    const isUnseen = () => unseenOutcomes(file).includes("getPost 200");
    await get({}, "HEAD");
    await get({ headers: { "X-Debug": "1" } }).catch(() => undefined);
    expect(isUnseen()).toBe(true);
    await get({});
    expect(isUnseen()).toBe(false);
    delete process.env["WITNESS_FILE"];
  });
});
