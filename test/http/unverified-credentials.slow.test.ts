import { randomBytes } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { openPersistentConnection } from "../support/keep-alive.ts";
import { startKeyServer } from "../support/key-server.ts";
import { hold } from "../support/locks.ts";
import { scrape } from "../support/metrics.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { prepare } from "../support/prepare.ts";
import { createIssuer } from "../support/tokens.ts";

const CONNECTIONS = 560;
const QUOTA = 3;
const LIMITS = { MAX_IN_FLIGHT: "512", MAX_IN_FLIGHT_PER_ADDRESS: "128" };

const issuer = prepare(createIssuer);

/** A token that could be valid, if the key set had its key. */
async function tokenOfUnknownKey(): Promise<string> {
  const [, payload] = (await issuer.sign()).split(".");
  const header = { alg: "EdDSA", typ: "at+jwt", kid: randomBytes(8).toString("hex") };
  return `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}.${randomBytes(64).toString("base64url")}`;
}

/** Sends `rounds` requests with made-up tokens on each of many connections, and returns their statuses. */
async function attack(url: string, rounds: number): Promise<number[]> {
  const statuses = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = openPersistentConnection(url, `Authorization: Bearer ${await tokenOfUnknownKey()}\r\n`);
      const seen: number[] = [];
      for (let round = 0; round < rounds; round++) seen.push((await connection.ask("GET /account"))!.status);
      connection.socket.destroy();
      return seen;
    }),
  );
  return statuses.flat();
}

/** A well-formed key that was never issued. */
const madeUpKey = () => `Bearer plumb_${randomBytes(6).toString("hex")}_${randomBytes(32).toString("base64url")}`;
const statusOf = async (service: TestService, authorization: string) =>
  (await service.anonymous(authorization)("GET", "/account")).status;

describe("while the key server hangs and 560 connections send tokens with made-up key ids", () => {
  it.each(["from the start", "after it has sent the key set"])(
    "no request with a valid credential is refused, if it hangs %s",
    async (when) => {
      await using keys = await startKeyServer({ body: JSON.stringify(issuer.keySet) });
      await using service = await startTestService({
        ROLE: "api",
        METRICS_PORT: "0",
        ...issuer.settings,
        AUTH_JWKS: keys.url,
        ...LIMITS,
      });
      const valid: Client[] = [await service.as()];
      if (when === "from the start") keys.answers("waits");
      else {
        valid.push(service.anonymous(`Bearer ${await issuer.sign()}`));
        expect(await valid[1]!("GET", "/account")).toMatchObject({ status: 200 });
        keys.answers("waits");
        // The next unknown key is fetched only after the cooldown.
        await eventually("a new fetch", async () => {
          const asked = keys.asked();
          void service
            .anonymous(`Bearer ${await tokenOfUnknownKey()}`)("GET", "/account")
            .catch(() => undefined);
          return asked > 1;
        });
      }
      const attacking = attack(service.url, 2);
      await eventually("the attack", () => keys.asked() >= valid.length);
      const statuses: number[] = [];
      for (let request = 0; request < 120; request++)
        statuses.push((await valid[request % valid.length]!("GET", "/account")).status);
      expect(statuses.filter((it) => it !== 200)).toEqual([]);
      // A key that was never used works, too.
      expect(await (await service.as())("GET", "/account")).toMatchObject({ status: 200 });
      expect(new Set(await attacking)).toEqual(new Set([503]));
      const { sum } = await scrape(service.metricsUrl);
      expect(sum("plumbline_http_requests_shed_total", { limit: "key_set" })).toBeGreaterThan(0);
      expect(sum("plumbline_http_requests_shed_total", { limit: "all" })).toBe(0);
    },
    60_000,
  );
});

describe("callers with unverified credentials", () => {
  it("get only some permits per address and half of all, and verified callers are not refused", async () => {
    await using service = await startTestService({
      ROLE: "api",
      TRUST_PROXY: "1",
      MAX_IN_FLIGHT: "8",
      MAX_IN_FLIGHT_PER_ADDRESS: "2",
    });
    const ada = await service.as();
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    const from = (address: string, authorization = madeUpKey()) =>
      service.anonymous(authorization)("GET", "/account", undefined, { headers: { "X-Forwarded-For": address } });
    await using holder = await hold(service.databaseUrl, "LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
    const waiting = ["1", "1", "2", "2"].map((it) => from(`203.0.113.${it}`));
    await holder.blocks(1);
    for (const address of ["203.0.113.1", "203.0.113.3"]) {
      const refused = await from(address);
      expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await from(address, ada.authorization)).toMatchObject({ status: 200 });
    }
    await holder.release();
    expect((await Promise.all(waiting)).map((it) => it.status)).toEqual([401, 401, 401, 401]);
    expect(await from("203.0.113.1")).toMatchObject({ status: 401 });
  });
});

describe("unknown keys", () => {
  it("share one query at a time, so that other requests still reach the database", async () => {
    await using service = await startTestService({ ROLE: "api", RATE_LIMITS: `failed_authentication=${QUOTA}/60` });
    const ada = await service.as();
    const { body: url } = await ada("POST", "/urls", { target_url: "https://example.com/" });
    await using holder = await hold(service.databaseUrl, "LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
    const waiting = Array.from({ length: 100 }, () => statusOf(service, madeUpKey()));
    await holder.blocks(1);
    const follow = () => service.anonymous()("GET", `/u/${url.id}`);
    for (let request = 0; request < 20; request++) expect(await follow()).toMatchObject({ status: 302 });
    const [row] = await holder.query(
      "SELECT count(*)::int AS blocked FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(row).toEqual({ blocked: 1 });
    await holder.release();
    const statuses = await Promise.all(waiting);
    expect([statuses.filter((it) => it === 401).length, statuses.filter((it) => it === 429).length]).toEqual([
      QUOTA,
      100 - QUOTA,
    ]);
    expect(await (await service.as())("GET", "/account")).toMatchObject({ status: 200 });
  });
});
