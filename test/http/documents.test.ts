import { describe, expect, it } from "@jest/globals";
import type { Body } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

const CONTRACTS = [
  "/openapi.json",
  "/openapi.yaml",
  "/openapi-3.0.json",
  "/openapi-with-webhooks.json",
  "/openapi-with-webhooks.yaml",
];
const RECEIVERS = ["/docs/webhooks.ts", "/docs/webhooks.py"];
const DOCUMENTS = [...CONTRACTS, ...RECEIVERS, "/docs", "/docs/redoc.standalone.js", "/docs/player", "/docs/player.js"];

const stubbed = prepare(() => startWithHandlers(async () => undefined));

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => stubbed.caller("GET", path, undefined, { headers });

describe("a document", () => {
  it.each(DOCUMENTS)("%s returns 304 for its ETag, and 200 for any other", async (path) => {
    const first = await get(path);
    expect(first).toMatchObject({ status: 200 });
    const etag = first.headers.get("etag")!;
    expect(await get(path, { "If-None-Match": etag })).toMatchObject({ status: 304, text: "" });
    expect(await get(path, { "If-None-Match": '"another"' })).toMatchObject({ status: 200 });
  });

  it("has a different ETag for each document and each encoding", async () => {
    const etags: string[] = [];
    for (const path of DOCUMENTS)
      for (const encoding of ["gzip", "identity"]) {
        const { headers } = await get(path, { "Accept-Encoding": encoding });
        expect(headers.get("vary")).toContain("Accept-Encoding");
        etags.push(headers.get("etag")!);
      }
    expect(new Set(etags).size).toBe(etags.length);
  });

  it("has a Content-Security-Policy without content of other origins and unsafe scripts if it is a page", async () => {
    for (const path of ["/", "/docs", "/docs/player", "/problems/not_found"]) {
      const policy = (await get(path)).headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
    }
  });
});

it.each(["/", "/docs"])("no cache stores %s with the key of the demo user", async (path) => {
  const { caller, close } = await startWithHandlers(async () => undefined, {
    demo: "curl -H 'Authorization: Bearer plumb_a_key'",
  });
  const { text, headers } = await caller("GET", path);
  expect([text.includes("plumb_a_key"), headers.get("cache-control")]).toEqual([true, "no-store"]);
  expect((await get(path)).headers.get("cache-control")).toBe("public, max-age=300");
  await close();
});

describe("the document for generators of clients", () => {
  const read = async (path: string) => JSON.parse((await get(path)).text) as Record<string, unknown>;
  const namesIn = (document: object) =>
    new Set([...JSON.stringify(document).matchAll(/"#\/components\/(\w+\/\w+)"/g)].map((it) => it[1]));

  it("has everything of the whole one but webhooks, each component that it refers to, and the schemas of the events", async () => {
    const [{ webhooks, components: all, ...whole }, { components, ...others }] = [
      await read("/openapi-with-webhooks.json"),
      await read("/openapi.json"),
    ];
    expect(Object.keys(webhooks as object).length).toBeGreaterThan(0);
    expect(others).toEqual(whole);
    const kinds = Object.entries(components as Record<string, Record<string, unknown>>);
    for (const [kind, entries] of kinds)
      expect(Object.entries(entries)).toEqual(
        Object.entries((all as Record<string, Record<string, unknown>>)[kind]!).filter(([name]) => name in entries),
      );
    const present = new Set(kinds.flatMap(([kind, entries]) => Object.keys(entries).map((name) => `${kind}/${name}`)));
    const used = namesIn({ others, components });
    expect([...used].filter((it) => !present.has(it!))).toEqual([]);
    const bodies = Object.values(webhooks as Record<string, { post: { requestBody: object } }>).map((it) => it.post.requestBody);
    expect([...namesIn(bodies)].filter((it) => !present.has(it!))).toEqual([]);
    expect(present).not.toContain("parameters/WebhookSignature");
  });

  it("has an edition in OpenAPI 3.0 with the same operations, schemas and nullable fields", async () => {
    const [edition, contract] = [await read("/openapi-3.0.json"), await read("/openapi.json")] as Body[];
    expect(edition.openapi).toMatch(/^3\.0\./);
    const parts = ({ paths, components }: Body) => [
      Object.entries(paths as object).map(([path, item]) => [path, Object.keys(item as object).toSorted()]),
      Object.keys(components.schemas as object).toSorted(),
    ];
    expect(parts(edition)).toEqual(parts(contract));
    const nullables = ({ components }: Body, isNullable: (schema: Body) => boolean) =>
      Object.entries<Body>(components.schemas).flatMap(([name, { properties = {} }]) =>
        Object.entries<Body>(properties)
          .filter(([, it]) => isNullable(it))
          .map(([field]) => `${name}.${field}`),
      );
    const ofContract = nullables(
      contract,
      ({ type, oneOf = [] }) => [type].flat().includes("null") || oneOf.some((it: Body) => it.type === "null"),
    );
    expect(ofContract.length).toBeGreaterThan(20);
    expect(nullables(edition, (it) => it.nullable === true).toSorted()).toEqual(ofContract.toSorted());
  });
});
