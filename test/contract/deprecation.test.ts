import { describe, expect, it } from "@jest/globals";
import { describeOperations } from "../../scripts/generate/describe-operations.ts";
import { readContract, type Contract } from "../../src/contract/bundle.ts";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

const MARK = { deprecated_at: "2026-12-01", sunset_at: "2027-06-15", link: "https://plumbline.example/changelog#2.0.0" };
const ANNOUNCED = {
  deprecation: "@1796083200",
  sunset: "Tue, 15 Jun 2027 00:00:00 GMT",
  link: '<https://plumbline.example/changelog#2.0.0>; rel="deprecation"',
};
const PAGE = { data: [], page: { limit: 20, next_cursor: null as string | null } };
const ALLOWED = { authorization: "Bearer good" };

/** A step of the bundling, which implied-responses.slow.test.ts runs as a whole. */
type Step = { AnnounceDeprecation(): { readonly Root: { leave(root: Contract): void } } };

/** One operation is marked as deprecated in a copy of the contract, and the real HTTP layer serves it. */
const contract = structuredClone(readContract());
/** The behavior of all handlers. */
let behave: () => Promise<unknown>;
const stubbed = prepare(async () => {
  Object.assign(contract.paths["/urls"]!["get"] as object, { deprecated: true, "x-deprecation": MARK });
  const rule = new URL("../../openapi/rules/deprecation.js", import.meta.url).href;
  ((await import(rule)) as Step).AnnounceDeprecation().Root.leave(contract);
  return startWithHandlers(() => behave(), { contract, operations: describeOperations(contract) });
});

/** Not a client of the tests, which compare each response with the contract of the service. */
const ask = (path: string, headers: Readonly<Record<string, string>> = ALLOWED, method = "GET") =>
  fetch(`${stubbed.url}${path}`, { method, headers });

/** The three headers of a response about a deprecation. */
const announcedBy = ({ headers }: Response) => ({
  deprecation: headers.get("deprecation"),
  sunset: headers.get("sunset"),
  link: headers.get("link"),
});

type Declared = {
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers: Readonly<
          Record<string, { readonly required?: boolean; readonly schema: { readonly pattern: string }; readonly example: string }>
        >;
      }
    >
  >;
};

const page = async () => ({ status: 200, body: PAGE });
const withNext = async () => ({ status: 200, body: { ...PAGE, page: { limit: 20, next_cursor: "abc" } } });
const NEXT = { link: `${ANNOUNCED.link}, </urls?limit=20&after=abc>; rel="next"` };

describe("an operation that is marked as deprecated in the contract", () => {
  it.each<[string, number, string, Readonly<Record<string, string>>, () => Promise<unknown>, object?]>([
    ["200", 200, "GET /urls", ALLOWED, page],
    ["200 to HEAD", 200, "HEAD /urls", ALLOWED, page],
    ["200 next to the link to the next page", 200, "GET /urls?limit=20", ALLOWED, withNext, NEXT],
    ["400 for an invalid query", 400, "GET /urls?limit=0", ALLOWED, page],
    ["401 without a credential", 401, "GET /urls", {}, page],
    ["406 for its Accept", 406, "GET /urls", { ...ALLOWED, accept: "text/html" }, page],
    ["500 if the handler fails", 500, "GET /urls", ALLOWED, () => Promise.reject(new Error("broken"))],
  ])(
    "announces the deprecation with %s, also to scripts of other origins",
    async (_what, status, request, headers, does, more = {}) => {
      behave = does;
      const [method, path = ""] = request.split(" ");
      const answer = await ask(path, { ...headers, origin: "https://app.example" }, method);
      expect({ status: answer.status, ...announcedBy(answer) }).toEqual({ status, ...ANNOUNCED, ...more });
      expect(answer.headers.get("access-control-expose-headers")?.split(",")).toEqual(
        expect.arrayContaining(["Link", "Deprecation", "Sunset"]),
      );
    },
  );

  it("declares the headers on each of its responses, in the form that it sends", () => {
    const { responses } = contract.paths["/urls"]!["get"] as Declared;
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "400", "401", "403", "429", "500", "503", "default"]));
    for (const [status, { headers }] of Object.entries(responses)) {
      for (const [name, value] of [
        ["Deprecation", ANNOUNCED.deprecation],
        ["Sunset", ANNOUNCED.sunset],
        ["Link", ANNOUNCED.link],
      ] as const) {
        expect({ status, name, required: headers[name]?.required, example: headers[name]?.example }).toEqual({
          status,
          name,
          required: status === "200",
          example: value,
        });
        expect(value).toMatch(new RegExp(headers[name]!.schema.pattern, "u"));
      }
    }
  });
});

describe("an operation that isn't deprecated", () => {
  it.each([
    ["on the same path", "POST", "/urls", 400],
    ["on another path", "GET", "/posts", 200],
  ])("announces nothing: %s", async (_where, method, path, status) => {
    behave = async () => ({ status: 200, body: { data: [], page: { limit: 20, offset: null, total: null, next_cursor: null } } });
    const answer = await ask(path, { ...ALLOWED, "content-type": "application/json" }, method);
    expect({ status: answer.status, ...announcedBy(answer) }).toEqual({ status, deprecation: null, sunset: null, link: null });
  });

  it("declares none of the headers", () => {
    const { responses } = contract.paths["/urls"]!["post"] as Declared;
    expect(Object.keys(responses["201"]!.headers)).not.toContain("Deprecation");
  });
});
