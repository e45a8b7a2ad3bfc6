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
  ["answers 500", { status: 500, body: "{}" }],
  ["answers 503 with a set of keys", { status: 503, body: JSON.stringify({ keys: [] }) }],
  ["answers 404", { status: 404, body: "" }],
  ["hangs up", "hangs up"],
  ["does not answer", "waits"],
  ["sends a page", { headers: { "Content-Type": "text/html" }, body: "<!doctype html><title>Maintenance</title>" }],
  ["sends half a set", { body: '{"keys":[{"kty":"OKP","crv":' }],
  ["sends a set of nothing", { body: '{"keys":[]}' }],
  ["sends null", { body: "null" }],
  ["sends more than a set can be", { body: `{"keys":[],"x":"${"x".repeat(2 ** 21)}"}` }],
  ["leads elsewhere", { status: 302, headers: { Location: "http://127.0.0.1:1/jwks.json" }, body: "" }],
];

describe("when the server of the key set fails", () => {
  it.each(FAILING)("and %s, a token that may be good gets 503 with Retry-After, which is no guess", async (_what, answer) => {
    await using keys = await startKeyServer(answer);
    await using service = await serviceWith(keys.url);
    const token = await issuer.sign();
    for (let attempt = 0; attempt < 5; attempt++) {
      const refused = await account(service, token);
      expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // All requests share one fetch.
    expect(keys.asked()).toBe(1);
    // The failures above did not count as wrong tokens. A malformed token is refused without keys.
    expect(await account(service, "a.b.c")).toMatchObject({ status: 401 });
    expect(await account(service, "a.b.c")).toMatchObject({ status: 429 });
  });

  it.each([
    ["is longer than a set can be", (set: string) => ({ body: set.replace("{", `{"x":"${"x".repeat(2 ** 21)}",`) })],
    ["is somewhere else", (_set: string, elsewhere: string) => ({ status: 302, headers: { Location: elsewhere }, body: "" })],
  ])("and its set %s, even good keys are not used", async (_what, answer) => {
    await using elsewhere = await startKeyServer(good);
    await using keys = await startKeyServer(answer(JSON.stringify(issuer.keySet), elsewhere.url));
    await using service = await serviceWith(keys.url);
    expect(await account(service, await issuer.sign())).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(elsewhere.asked()).toBe(0);
  });

  it("and recovers, the token works within some seconds", async () => {
    await using keys = await startKeyServer({ status: 500, body: "" });
    await using service = await serviceWith(keys.url);
    const token = await issuer.sign();
    expect(await account(service, token)).toMatchObject({ status: 503 });
    keys.answers(good);
    await eventually("the keys", async () => (await account(service, token)).status === 200, 15_000, 200);
  });

  it("and is away, the keys it has given before go on being used, and API keys work as ever", async () => {
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

describe("a key set that has become old", () => {
  const verify = (keys: ReturnType<typeof createRemoteKeys>, token: string) =>
    jwtVerify(token, keys).then(
      () => "good",
      (error: unknown) => (error instanceof KeysUnavailable ? "unavailable" : "wrong"),
    );
  const MINUTE_MS = 60_000;

  it("stays in use while it cannot be fetched anew, is asked for at most every five seconds, and is replaced by the next good one", async () => {
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

  it("is fetched once for all who need it at the same time", async () => {
    await using server = await startKeyServer(good);
    const keys = createRemoteKeys(new URL(server.url), { onFailure: () => undefined });
    const token = await issuer.sign();
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => verify(keys, token))))).toEqual(new Set(["good"]));
    expect(server.asked()).toBe(1);
  });
});
