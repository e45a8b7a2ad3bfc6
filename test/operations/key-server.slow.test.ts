import { beforeAll, describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { startKeyServer, type KeyServerAnswer } from "../support/key-server.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";

const issuer = prepare(createIssuer);
let good: KeyServerAnswer;
beforeAll(() => {
  good = { body: JSON.stringify(issuer.keySet) };
});

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

/** What a key server does that can't answer; `key-server.test.ts` has all of it. */
const FAILING: readonly (readonly [string, KeyServerAnswer])[] = [
  ["returns 500", { status: 500, body: "{}" }],
  ["doesn't respond", "waits"],
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
