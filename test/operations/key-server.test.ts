import { beforeAll, describe, expect, it } from "@jest/globals";
import { jwtVerify } from "jose";
import { createRemoteKeys, KeysUnavailable } from "../../src/auth/remote-keys.ts";
import { eventually } from "../support/eventually.ts";
import { startKeyServer, type KeyServerAnswer } from "../support/key-server.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";

const issuer = prepare(createIssuer);
let good: { readonly body: string };
beforeAll(() => {
  good = { body: JSON.stringify(issuer.keySet) };
});

const verify = (keys: ReturnType<typeof createRemoteKeys>, token: string) =>
  jwtVerify(token, keys).then(
    () => "good",
    (error: unknown) => (error instanceof KeysUnavailable ? "unavailable" : "wrong"),
  );
const MINUTE_MS = 60_000;

/** What a server can return instead of a key set, most of it with keys that are valid. */
const WRONG: Readonly<Record<string, (elsewhere: string) => KeyServerAnswer>> = {
  "a 500 with a key set": () => ({ status: 500, ...good }),
  "a 503 with an empty key set": () => ({ status: 503, body: '{"keys":[]}' }),
  "a 404": () => ({ status: 404, body: "" }),
  nothing: () => "hangs up",
  "an HTML page": () => ({ headers: { "Content-Type": "text/html" }, body: "<!doctype html><title>Maintenance</title>" }),
  "an incomplete key set": () => ({ body: '{"keys":[{"kty":"OKP","crv":' }),
  "an empty key set": () => ({ body: '{"keys":[]}' }),
  null: () => ({ body: "null" }),
  "more bytes than a key set can have": () => ({ body: good.body.replace("{", `{"x":"${"x".repeat(2 ** 21)}",`) }),
  "a redirect to another server with a key set": (Location) => ({ status: 302, headers: { Location }, body: "" }),
};

describe("a key set", () => {
  it.each(Object.entries(WRONG))("is not replaced by %s, and without one no token can be verified", async (_what, answerOf) => {
    await using elsewhere = await startKeyServer(good);
    const wrong = answerOf(elsewhere.url);
    await using server = await startKeyServer(wrong);
    let nowMs = 0;
    const keys = createRemoteKeys(new URL(server.url), { now: () => nowMs, onFailure: () => undefined });
    const token = await issuer.sign();
    expect([await verify(keys, token), await verify(keys, token), server.asked()]).toEqual(["unavailable", "unavailable", 1]);
    server.answers(good);
    nowMs += 5_000;
    expect(await verify(keys, token)).toBe("good");
    server.answers(wrong);
    nowMs += 24 * 60 * MINUTE_MS;
    const unknown = await issuer.sign({ header: { kid: "next" } });
    expect([await verify(keys, token), await verify(keys, unknown), await verify(keys, token)]).toEqual([
      "good",
      "unavailable",
      "good",
    ]);
    expect([server.asked(), elsewhere.asked()]).toEqual([3, 0]);
  });

  it("stays in use if fetching it fails, is fetched after 10 minutes and at most every 5 s, and is replaced by the next valid one", async () => {
    await using server = await startKeyServer(good);
    let nowMs = 0;
    const failures: Error[] = [];
    const keys = createRemoteKeys(new URL(server.url), { now: () => nowMs, onFailure: (error) => failures.push(error) });
    const token = await issuer.sign();
    const unknown = await issuer.sign({ header: { kid: "next" } });
    expect(await verify(keys, token)).toBe("good");
    nowMs += 10 * MINUTE_MS - 1;
    expect([await verify(keys, token), server.asked()]).toEqual(["good", 1]);

    server.answers({ status: 500, body: "" });
    nowMs += 1;
    for (let use = 0; use < 10; use++) expect(await verify(keys, token)).toBe("good");
    await eventually("the failure", () => failures.length === 1);
    expect(server.asked()).toBe(2);
    // A token with a key that is not in the old set cannot be verified now.
    expect([await verify(keys, unknown), server.asked()]).toEqual(["unavailable", 2]);
    nowMs += 4_999;
    expect([await verify(keys, unknown), server.asked()]).toEqual(["unavailable", 2]);
    nowMs += 1;
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

it.each<readonly [string, KeyServerAnswer]>([
  ["returns 500", { status: 500, body: "{}" }],
  ["doesn't respond", "waits"],
])(
  "if the server of the key set %s, API keys work, and a possibly valid token gets 503 with Retry-After, which doesn't count as a wrong token",
  async (_what, answer) => {
    await using keys = await startKeyServer(answer);
    const settings = { ...issuer.settings, AUTH_JWKS: keys.url, RATE_LIMITS: "failed_authentication=1/600" };
    await using service = await startTestService({ ROLE: "api", ...settings });
    const account = (token: string) => service.anonymous(`Bearer ${token}`)("GET", "/account");
    const token = await issuer.sign();
    for (const refused of await Promise.all(Array.from({ length: 5 }, () => account(token)))) {
      expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // All requests share one fetch.
    expect(keys.asked()).toBe(1);
    expect(await (await service.as())("GET", "/account")).toMatchObject({ status: 200 });
    // The failures above did not count as wrong tokens. A malformed token is refused without keys.
    expect([(await account("a.b.c")).status, (await account("a.b.c")).status]).toEqual([401, 429]);
  },
);
