import { describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

const DOCUMENTS = ["/openapi.json", "/openapi.yaml", "/docs", "/docs/redoc.standalone.js", "/docs/player", "/docs/player.js"];

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

  it("has a Content-Security-Policy without unsafe scripts if it is a page", async () => {
    for (const path of ["/", "/docs", "/docs/player", "/problems/not_found"]) {
      const policy = (await get(path)).headers.get("content-security-policy")!;
      const scripts = policy.split("; ").filter((it) => it.startsWith("script-src") || it.startsWith("default-src"));
      expect(scripts.join(" ")).not.toContain("unsafe");
    }
  });
});
