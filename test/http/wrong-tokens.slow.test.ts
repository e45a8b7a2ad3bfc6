import { randomBytes } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { run, type Running } from "../support/processes.ts";
import { startTestService, type TestService } from "../support/service.ts";

const QUOTA = 3;

/** Starts the service with rate limits, for one test. */
async function guarded(settings: Readonly<Record<string, string>> = {}): Promise<TestService & AsyncDisposable> {
  const service = await startTestService({
    ROLE: "api",
    RATE_LIMITS: `failed_authentication=${QUOTA}/60,default=100000/60`,
    ...settings,
  });
  return { ...service, [Symbol.asyncDispose]: () => service.close() };
}

/** A well-formed key that was never issued. */
function madeUpKey(): string {
  const id = Array.from(randomBytes(12), (byte) => "abcdefghijklmnopqrstuvwxyz0123456789"[byte % 36]).join("");
  return `plumb_${id}_${randomBytes(32).toString("base64url")}`;
}

const guess = async (service: TestService, headers: Record<string, string> = {}): Promise<number> =>
  (await service.anonymous(`Bearer ${madeUpKey()}`)("GET", "/account", undefined, { headers })).status;

async function guesses(service: TestService, count: number, headersOf?: (attempt: number) => Record<string, string>) {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < count; attempt++) statuses.push(await guess(service, headersOf?.(attempt)));
  return statuses;
}

describe("an address that has sent too many wrong tokens", () => {
  it("gets 429 for the next wrong token, while every valid one works, cached or not", async () => {
    await using service = await guarded();
    const ada = await service.as();
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    expect(await guesses(service, QUOTA + 2)).toEqual([401, 401, 401, 429, 429]);
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    expect(await (await service.as())("GET", "/account")).toMatchObject({ status: 200 });
    expect(await guess(service)).toBe(429);
  });

  it("is the first 64 bits of an IPv6 address, or a whole IPv4 address in either notation", async () => {
    await using service = await guarded({ TRUST_PROXY: "1" });
    const from = (address: string) => ({ "X-Forwarded-For": address });
    expect(await guesses(service, 4, (attempt) => from(`2001:db8:1:2:${attempt}::${attempt}`))).toEqual([401, 401, 401, 429]);
    expect(await guess(service, from("2001:DB8:1:2:ffff:ffff:ffff:ffff"))).toBe(429);
    expect(await guess(service, from("2001:db8:1:3::1"))).toBe(401);
    expect(await guesses(service, 4, (attempt) => from(attempt % 2 ? "::ffff:203.0.113.1" : "203.0.113.1"))).toEqual([
      401, 401, 401, 429,
    ]);
    expect(await guess(service, from("203.0.113.2"))).toBe(401);
    expect(await guess(service, from("not an address"))).toBe(401);
  });
});

describe("unknown keys", () => {
  it("share one query at a time, so that other requests still reach the database", async () => {
    await using service = await guarded();
    const ada = await service.as();
    const { body: url } = await ada("POST", "/urls", { target_url: "https://example.com/" });
    await using holder = await hold(service.databaseUrl, "LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
    const waiting = Array.from({ length: 100 }, () => guess(service));
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

describe("X-Forwarded-For", () => {
  const warnings = (it: Running) => it.stdout().split("X-Forwarded-For, but TRUST_PROXY is 0").length - 1;
  const service = (settings: Record<string, string>, databaseUrl: string) =>
    run({ NODE_ENV: "test", ROLE: "api", DATABASE_URL: databaseUrl, LOG_LEVEL: "warn", ...settings });

  it.each([
    ["causes one warning if no proxy is trusted", {}, 1],
    ["causes no warning if one is trusted", { TRUST_PROXY: "1" }, 0],
  ])("%s", async (_what, settings, times) => {
    await using database = await guarded();
    await using started = service(settings, database.databaseUrl);
    const { url } = await started.ready();
    const ask = (headers: Record<string, string>) => fetch(`${url}/health`, { headers });
    await ask({});
    expect(warnings(started)).toBe(0);
    for (let attempt = 0; attempt < 3; attempt++) await ask({ "X-Forwarded-For": `203.0.113.${attempt}` });
    if (times > 0) await eventually("the warning", () => warnings(started) > 0);
    started.child.kill("SIGTERM");
    await started.exited;
    expect(warnings(started)).toBe(times);
  });
});
