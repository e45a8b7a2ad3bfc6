import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { jwtVerify } from "jose";
import { createRemoteKeys, KeysUnavailable } from "../../src/users/remote-keys.ts";
import { eventually } from "../support/eventually.ts";
import { startKeyServer, type KeyServerAnswer } from "../support/key-server.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { createIssuer, type Issuer } from "../support/tokens.ts";

let folder: string;
let issuer: Issuer;
let good: KeyServerAnswer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-issuer-"));
  issuer = await createIssuer(folder);
  good = { body: JSON.stringify(issuer.keySet) };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a service with the key set at `url`. It allows one wrong token per address. */
async function serviceWith(url: string): Promise<TestService & AsyncDisposable> {
  const service = await startTestService({
    ROLE: "api",
    ...issuer.settings,
    AUTH_JWKS: url,
    RATE_LIMITS: "failed_authentication=1/600",
  });
  return { ...service, [Symbol.asyncDispose]: () => service.close() };
}
const account = (service: TestService, token: string) => service.anonymous(`Bearer ${token}`)("GET", "/account");

const FAILING: readonly (readonly [string, KeyServerAnswer])[] = [
  ["returns 500", { status: 500, body: "{}" }],
  ["returns 503 with a key set", { status: 503, body: JSON.stringify({ keys: [] }) }],
  ["returns 404", { status: 404, body: "" }],
  ["hangs up", "hangs up"],
  ["doesn't respond", "waits"],
  ["returns an HTML page", { headers: { "Content-Type": "text/html" }, body: "<!doctype html><title>Maintenance</title>" }],
  ["returns an incomplete key set", { body: '{"keys":[{"kty":"OKP","crv":' }],
  ["returns an empty key set", { body: '{"keys":[]}' }],
  ["returns null", { body: "null" }],
  ["returns more bytes than a key set can have", { body: `{"keys":[],"x":"${"x".repeat(2 ** 21)}"}` }],
  ["redirects to another server", { status: 302, headers: { Location: "http://127.0.0.1:1/jwks.json" }, body: "" }],
];

describe("if the server of the key set", () => {
  it.each(FAILING)(
    "%s, a possibly valid token gets 503 with Retry-After, and doesn't count as a wrong token",
    async (_what, answer) => {
      await using keys = await startKeyServer(answer);
      await using service = await serviceWith(keys.url);
      const token = await issuer.sign();
      for (const refused of await Promise.all(Array.from({ length: 5 }, () => account(service, token)))) {
        expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      // All requests share one fetch.
      expect(keys.asked()).toBe(1);
      // The failures above did not count as wrong tokens. A malformed token is refused without keys.
      expect(await account(service, "a.b.c")).toMatchObject({ status: 401 });
      expect(await account(service, "a.b.c")).toMatchObject({ status: 429 });
    },
  );

  it.each([
    ["is too large", (set: string) => ({ body: set.replace("{", `{"x":"${"x".repeat(2 ** 21)}",`) })],
    ["comes from a redirect", (_set: string, elsewhere: string) => ({ status: 302, headers: { Location: elsewhere }, body: "" })],
  ])("returns a key set that %s, its keys aren't used, even if they are valid", async (_what, answer) => {
    await using elsewhere = await startKeyServer(good);
    await using keys = await startKeyServer(answer(JSON.stringify(issuer.keySet), elsewhere.url));
    await using service = await serviceWith(keys.url);
    expect(await account(service, await issuer.sign())).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(elsewhere.asked()).toBe(0);
  });

  it("fails and recovers, a token works within seconds", async () => {
    await using keys = await startKeyServer({ status: 500, body: "" });
    await using service = await serviceWith(keys.url);
    const token = await issuer.sign();
    expect(await account(service, token)).toMatchObject({ status: 503 });
    keys.answers(good);
    await eventually("the keys", async () => (await account(service, token)).status === 200, 15_000, 200);
  });

  it("stops, the last valid keys stay in use, and API keys still work", async () => {
    let url: string;
    let service: TestService & AsyncDisposable;
    {
      await using keys = await startKeyServer(good);
      url = keys.url;
      service = await serviceWith(url);
      expect(await account(service, await issuer.sign())).toMatchObject({ status: 200 });
    }
    await using closing = service;
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await account(closing, await issuer.sign({ claims: { sub: `user-${attempt}` } }))).toMatchObject({ status: 200 });
    expect(await (await closing.as())("GET", "/account")).toMatchObject({ status: 200 });
  });
});

describe("a key set", () => {
  const verify = (keys: ReturnType<typeof createRemoteKeys>, token: string) =>
    jwtVerify(token, keys).then(
      () => "good",
      (error: unknown) => (error instanceof KeysUnavailable ? "unavailable" : "wrong"),
    );
  const MINUTE_MS = 60_000;

  it("stays in use if fetching it fails, is fetched at most every 5 s, and is replaced by the next valid one", async () => {
    await using server = await startKeyServer(good);
    let nowMs = 0;
    const failures: Error[] = [];
    const keys = createRemoteKeys(new URL(server.url), { now: () => nowMs, onFailure: (error) => failures.push(error) });
    const token = await issuer.sign();
    const unknown = await issuer.sign({ header: { kid: "next" } });
    expect(await verify(keys, token)).toBe("good");
    nowMs += 9 * MINUTE_MS;
    expect([await verify(keys, token), server.asked()]).toEqual(["good", 1]);

    server.answers({ status: 500, body: "" });
    nowMs += 24 * 60 * MINUTE_MS;
    for (let use = 0; use < 10; use++) expect(await verify(keys, token)).toBe("good");
    await eventually("the failure", () => failures.length === 1);
    expect(server.asked()).toBe(2);
    // A token with a key that is not in the old set cannot be verified now.
    expect([await verify(keys, unknown), server.asked()]).toEqual(["unavailable", 2]);
    nowMs += 5_000;
    expect([await verify(keys, unknown), server.asked()]).toEqual(["unavailable", 3]);

    const changed = issuer.keySet.keys.map((key) => ({ ...key, kid: `${(key as { kid: string }).kid}-2` }));
    server.answers({ body: JSON.stringify({ keys: changed }) });
    nowMs += 5_000;
    expect(await verify(keys, await issuer.sign({ header: { kid: "EdDSA-2" } }))).toBe("good");
    expect([await verify(keys, token), await verify(keys, unknown), server.asked()]).toEqual(["wrong", "wrong", 4]);
  });

  it("is fetched once for concurrent requests", async () => {
    await using server = await startKeyServer(good);
    const keys = createRemoteKeys(new URL(server.url), { onFailure: () => undefined });
    const token = await issuer.sign();
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => verify(keys, token))))).toEqual(new Set(["good"]));
    expect(server.asked()).toBe(1);
  });
});
