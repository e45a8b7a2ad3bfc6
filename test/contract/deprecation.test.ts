import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { parse } from "yaml";
import { bundleContract } from "../../scripts/contract/bundle.ts";
import { describeOperations } from "../../scripts/generate/describe-operations.ts";
import { readConfig } from "../../src/config.ts";
import type { Handlers } from "../../src/contract/contract.ts";
import { Failure } from "../../src/failure.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listener.ts";
import type { Contract } from "../../src/contract/bundle.ts";
import { createRateLimits } from "../../src/limits/rate-limiter.ts";

const ROOT = join(import.meta.dirname, "../..");
const MARK = { deprecated_at: "2026-12-01", sunset_at: "2027-06-15", link: "https://plumbline.example/changelog#2.0.0" };
const ANNOUNCED = {
  deprecation: "@1796083200",
  sunset: "Tue, 15 Jun 2027 00:00:00 GMT",
  link: '<https://plumbline.example/changelog#2.0.0>; rel="deprecation"',
};
const ALLOWED = { authorization: "Bearer good" };
const PAGE = { data: [], page: { limit: 20, next_cursor: null as string | null } };

let contract: Contract;
let url: string;
let close: () => Promise<void>;
/** The behavior of all handlers. */
let behave: () => Promise<unknown>;

/** Marks one operation in a copy of the contract as deprecated, as an author would, and serves it with the real HTTP layer. */
beforeAll(async () => {
  contract = await bundleMarked("urls/urls.yaml");
  const config = readConfig({ NODE_ENV: "test", PORT: "0" });
  const listener = await listen(config, contract.info.version);
  const principal = {
    userId: randomUUID(),
    displayName: "Ada",
    scopes: new Set(["urls:read", "posts:read"]),
    credential: { kind: "api_key", keyId: "0123456789ab", expiresAt: null },
  } as const;
  listener.serve(
    await createApp({
      config,
      documents: { contract },
      operations: describeOperations(contract),
      limits: createRateLimits(null, null),
      translators: [],
      log: pino({ level: "silent" }),
      handlers: Object.fromEntries(describeOperations(contract).map(({ id }) => [id, () => behave()])) as unknown as Handlers,
      verify: async (token) => {
        if (token !== "good") throw new Failure("invalid_token", "This token is not known.");
        return principal;
      },
    }),
  );
  url = `http://127.0.0.1:${listener.port}`;
  close = () => listener.close();
});
afterAll(() => close());

async function bundleMarked(file: string): Promise<Contract> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-deprecated-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
    cpSync(join(ROOT, "openapi"), join(folder, "openapi"), { recursive: true });
    const path = join(folder, "openapi", file);
    const item = parse(readFileSync(path, "utf8")) as { get: object };
    writeFileSync(path, JSON.stringify({ ...item, get: { ...item.get, deprecated: true, "x-deprecation": MARK } }));
    return await bundleContract(join(folder, "openapi"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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

describe("an operation that is marked as deprecated in the contract", () => {
  it.each([
    ["200", 200, "/urls", ALLOWED, async () => ({ status: 200, body: PAGE })],
    ["400 for an invalid query", 400, "/urls?limit=0", ALLOWED, async () => ({ status: 200, body: PAGE })],
    ["401 without a credential", 401, "/urls", {}, async () => ({ status: 200, body: PAGE })],
    ["406 for its Accept", 406, "/urls", { ...ALLOWED, accept: "text/html" }, async () => ({ status: 200, body: PAGE })],
    ["500 if the handler fails", 500, "/urls", ALLOWED, () => Promise.reject(new Error("broken"))],
  ])("announces the deprecation with %s", async (_what, status, path, headers, behaviour) => {
    behave = behaviour;
    const answer = await fetch(`${url}${path}`, { headers });
    expect({ status: answer.status, ...announcedBy(answer) }).toEqual({ status, ...ANNOUNCED });
  });

  it("announces the deprecation to HEAD", async () => {
    behave = async () => ({ status: 200, body: PAGE });
    expect(announcedBy(await fetch(`${url}/urls`, { method: "HEAD", headers: ALLOWED }))).toEqual(ANNOUNCED);
  });

  it("announces the deprecation next to the link to the next page", async () => {
    behave = async () => ({ status: 200, body: { ...PAGE, page: { limit: 20, next_cursor: "abc" } } });
    const answer = await fetch(`${url}/urls?limit=20`, { headers: ALLOWED });
    expect(answer.headers.get("link")).toBe(`${ANNOUNCED.link}, </urls?limit=20&after=abc>; rel="next"`);
  });

  it("exposes the headers to scripts of other origins", async () => {
    behave = async () => ({ status: 200, body: PAGE });
    const answer = await fetch(`${url}/urls`, { headers: { ...ALLOWED, origin: "https://app.example" } });
    expect(answer.headers.get("access-control-expose-headers")?.split(",")).toEqual(
      expect.arrayContaining(["Link", "Deprecation", "Sunset"]),
    );
  });

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
    ["on the same path", "POST", "/urls", 403],
    ["on another path", "GET", "/posts", 200],
  ])("announces nothing: %s", async (_where, method, path, status) => {
    behave = async () => ({ status: 200, body: { data: [], page: { limit: 20, offset: null, total: null, next_cursor: null } } });
    const answer = await fetch(`${url}${path}`, { method, headers: ALLOWED });
    expect({ status: answer.status, ...announcedBy(answer) }).toEqual({ status, deprecation: null, sunset: null, link: null });
  });

  it("declares none of the headers", () => {
    const { responses } = contract.paths["/urls"]!["post"] as Declared;
    expect(Object.keys(responses["201"]!.headers)).not.toContain("Deprecation");
  });
});
