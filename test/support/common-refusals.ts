import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import type { TestService } from "./service.ts";

type Spec = {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  /** A method that this path doesn't have. `allow` has those that it has. */
  readonly wrongMethod: string;
  readonly allow: string;
  /** The body of the request. Omitted if the operation has none. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Tests one operation of an area for the refusals that are the same in every area. */
export function refusesLikeEveryArea(service: () => TestService, spec: Spec): void {
  const { method, path, scope, body, headers = {} } = spec;

  describe(`${method} ${path}, like every operation`, () => {
    it("returns 401 with a challenge without a token", async () => {
      const answer = await service().anonymous()(method, path, body, { headers });
      expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
    });

    it.each([
      ["Basic x", "Basic x"],
      ["Basic bearer", "Basic bearer"],
      ["bearer with a colon", "bearer: x"],
    ])("returns 401 unauthenticated for another scheme: %s", async (_what, authorization) => {
      const answer = await service().anonymous(authorization)(method, path, body, { headers });
      expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    });

    it.each([
      ["Bearer and nothing", "Bearer"],
      ["two words", "Bearer a b"],
      ["half an API key", "Bearer plumb_x"],
      ["5 000 characters", `Bearer ${"a".repeat(5_000)}`],
    ])("returns 401 invalid_token for the credential: %s", async (_what, authorization) => {
      const answer = await service().anonymous(authorization)(method, path, body, { headers });
      expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    });

    it("returns 403 insufficient_scope for a token with all other scopes", async () => {
      const caller = await service().as({ scopes: everyScope.filter((it) => it !== scope) });
      expect(await caller(method, path, body, { headers })).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    });

    it(`returns 405 with Allow for ${spec.wrongMethod}`, async () => {
      const answer = await (await service().as())(spec.wrongMethod, path);
      expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
      expect(answer.headers.get("allow")).toBe(spec.allow);
    });

    it("returns 404 for the path with a trailing slash and in capitals", async () => {
      const caller = await service().as();
      for (const other of [`${path}/`, path.toUpperCase()]) {
        expect(await caller(method, other, body, { headers })).toMatchObject({ status: 404, body: { code: "route_not_found" } });
      }
    });

    if (body === undefined || body instanceof Uint8Array) return;

    it.each(["text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=utf-16"])(
      "returns 415 for a body sent as %s",
      async (type) => {
        const answer = await (
          await service().as()
        )(method, path, JSON.stringify(body), { headers: { ...headers, "Content-Type": type } });
        expect(answer).toMatchObject({
          status: 415,
          body: { code: "unsupported_media_type", detail: expect.stringMatching(/json/i) },
        });
      },
    );

    it("returns 413 for 200 KB of JSON", async () => {
      const answer = await (
        await service().as()
      )(method, path, { ...(body as object), padding: "x".repeat(200_000) }, { headers });
      expect(answer).toMatchObject({ status: 413, body: { code: "content_too_large" } });
    });

    it.each([
      ["nothing", ""],
      ["an open brace", "{"],
      ["an array", "[]"],
      ["null", "null"],
      ["a string", '"x"'],
      ["an unfinished object", '{"a":1'],
      ["20 000 open brackets", "[".repeat(20_000)],
      ["20 000 nested objects", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
      ["__proto__", '{"__proto__":{"x":1}}'],
    ])("returns 400 for a body that is %s", async (_what, text) => {
      const answer = await (
        await service().as()
      )(method, path, text, { headers: { ...headers, "Content-Type": "application/json" } });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: expect.stringMatching(/^(malformed_body|validation_failed)$/) },
      });
    });

    it("returns 400 for a body that isn't UTF-8", async () => {
      const bytes = Buffer.from(JSON.stringify({ ...(body as object), text: "é" }), "latin1");
      const answer = await (
        await service().as()
      )(method, path, bytes, { headers: { ...headers, "Content-Type": "application/json" } });
      expect(answer).toMatchObject({ status: 400, body: { code: "malformed_body" } });
    });
  });
}

/** Invalid page sizes. The service refuses each, instead of changing it to the nearest valid one. */
export const BAD_LIMITS = [
  "0",
  "101",
  "-1",
  "abc",
  "1.5",
  "1e1",
  "9e999",
  "",
  "+5",
  "%205",
  "0x5",
  "05",
  "5&limit=6",
  "9007199254740993",
];
