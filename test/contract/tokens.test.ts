import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { exportJWK, exportSPKI, generateKeyPair } from "jose";
import { revokeApiKeys } from "../../src/auth/api-keys.ts";
import type { Answer, Client } from "../support/client.ts";
import { eventually, usedBeforeExpiry } from "../support/eventually.ts";
import { startPlannedService } from "../support/plans.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { seededRandom } from "../support/seed.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { ALGORITHMS, createIssuer } from "../support/tokens.ts";
import { itNeeds } from "../support/needs.ts";

const issuer = prepare(createIssuer);
const service = prepare(() => startTestService({ ROLE: "api", ...issuer.settings }));

const now = () => Math.floor(Date.now() / 1_000);
const account = (token: string): Promise<Answer> => service.anonymous(`Bearer ${token}`)("GET", "/account");
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a valid JWT", () => {
  it.each(ALGORITHMS)("is accepted with a signature of %s", async (algorithm) => {
    const exp = now() + 600;
    const answer = await account(
      await issuer.sign({
        algorithm,
        claims: { sub: `user-${algorithm}`, name: "Mara Lindqvist", scope: "posts:read urls:read", exp },
      }),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: {
        display_name: "Mara Lindqvist",
        scopes: ["posts:read", "urls:read"],
        credential: { kind: "jwt", expires_at: new Date(exp * 1_000).toISOString() },
      },
    });
  });

  it("belongs to one user, created once if eight tokens arrive at the same time", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 8 }, () => issuer.sign({ claims: { sub: "same-user", jti: randomUUID() } })),
    );
    const answers = await Promise.all(tokens.map(account));
    expect(answers.map((it) => it.status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map((it) => it.body.user_id)).size).toBe(1);
    expect(await service.db.user.count({ where: { subject: "same-user" } })).toBe(1);
    // Another process creates the user after this one has not found it.
    const id = randomUUID();
    const insert = "INSERT INTO users (id, display_name, issuer, subject) VALUES ($1, 'Other', $2, 'of-another-process')";
    await using other = await hold(service.databaseUrl, insert, [id, issuer.settings.AUTH_ISSUER]);
    const late = account(await issuer.sign({ claims: { sub: "of-another-process" } }));
    await other.blocks(1);
    await other.query("COMMIT");
    expect(await late).toMatchObject({ status: 200, body: { user_id: id } });
  });

  it("grants no unknown scope, and none by a part of its name", async () => {
    const answer = await account(
      await issuer.sign({ claims: { sub: "odd-scopes", scope: "posts:read admin posts posts:* POSTS:WRITE xurls:read" } }),
    );
    expect(answer.body.scopes).toEqual(["posts:read"]);
  });

  it.each([
    ["\u009b31mMara\u202e", "31mMara"],
    ["\u2066\u200b", "named-by-subject"],
  ])("gives its user a name without controls of terminals and of direction: %j", async (name, shown) => {
    const sub = `${"\u2069".repeat(shown === "31mMara" ? 1 : 2)}named-by-subject`;
    expect(await account(await issuer.sign({ claims: { sub, name } }))).toMatchObject({
      status: 200,
      body: { display_name: shown },
    });
  });

  it.each([253_402_300_800, Number.MAX_VALUE])("can expire after the year 9999: exp %d", async (exp) => {
    expect(await account(await issuer.sign({ claims: { exp } }))).toMatchObject({
      status: 200,
      body: { credential: { kind: "jwt", expires_at: "9999-12-31T23:59:59.999Z" } },
    });
  });

  it(sentence("A token has no other limit."), async () => {
    const groups = Array.from({ length: 250 }, () => randomUUID());
    const token = await issuer.sign({ claims: { sub: "member-of-many-groups", groups } });
    expect(token.length).toBeGreaterThan(12_000);
    expect(await account(token)).toMatchObject({ status: 200 });
  });

  it.each([
    ["a list of scopes and a number as name", { scope: ["posts:read"], name: 42 }],
    ["an object as scopes and a list as name", { scope: { includes: "posts:read" }, name: ["Ada"] }],
  ])("without a usable claim has none of it: %s", async (_what, claims) => {
    const sub = `without ${typeof claims.name}`;
    expect(await account(await issuer.sign({ claims: { ...claims, sub } }))).toMatchObject({
      status: 200,
      body: { display_name: sub, scopes: [] },
    });
  });

  it("can have several audiences, including this service", async () => {
    expect(
      await account(await issuer.sign({ claims: { aud: ["https://other.example", issuer.settings.AUTH_AUDIENCE] } })),
    ).toMatchObject({ status: 200 });
  });
});

/** Each token has one defect. */
const BAD: Readonly<Record<string, () => Promise<string>>> = {
  "alg none, without a signature": async () =>
    `${encoded({ alg: "none", typ: "at+jwt" })}.${(await issuer.sign()).split(".")[1]}.`,
  "alg none, with the signature of another token": async () =>
    `${encoded({ alg: "none", typ: "at+jwt" })}.${(await issuer.sign()).split(".").slice(1).join(".")}`,
  "HS256 with the public key as the secret": async () => {
    const unsigned = `${encoded({ alg: "HS256", typ: "at+jwt", kid: "RS256" })}.${(await issuer.sign()).split(".")[1]}`;
    return `${unsigned}.${createHmac("sha256", await exportSPKI(issuer.keys.RS256.publicKey))
      .update(unsigned)
      .digest("base64url")}`;
  },
  "another key, embedded as jwk": async () => {
    const { publicKey, privateKey } = await generateKeyPair("EdDSA", { extractable: true });
    return issuer.sign({ key: privateKey, header: { jwk: await exportJWK(publicKey) } });
  },
  "another key, referenced by jku": async () =>
    issuer.sign({ key: (await generateKeyPair("EdDSA")).privateKey, header: { jku: "http://127.0.0.1:1/jwks.json" } }),
  "the signature of another key": async () => issuer.sign({ key: (await generateKeyPair("EdDSA")).privateKey }),
  "an unknown kid": () => issuer.sign({ header: { kid: "unknown" } }),
  "another issuer": () => issuer.sign({ claims: { iss: "https://evil.example" } }),
  "no issuer": () => issuer.sign({ claims: { iss: undefined } }),
  "another audience": () => issuer.sign({ claims: { aud: "https://other.example" } }),
  "no audience": () => issuer.sign({ claims: { aud: undefined } }),
  "typ JWT, as in an ID token": () => issuer.sign({ header: { typ: "JWT" } }),
  "no typ": () => issuer.sign({ header: { typ: undefined } }),
  "no exp": () => issuer.sign({ claims: { exp: undefined } }),
  "an exp in the past": () => issuer.sign({ claims: { exp: now() - 60 } }),
  "an nbf in the future": () => issuer.sign({ claims: { nbf: now() + 600 } }),
  "no iat": () => issuer.sign({ claims: { iat: undefined } }),
  "no sub": () => issuer.sign({ claims: { sub: undefined } }),
  "an empty sub": () => issuer.sign({ claims: { sub: "" } }),
  "a sub that is a number": () => issuer.sign({ claims: { sub: 42 } }),
  "a sub that is a list": () => issuer.sign({ claims: { sub: ["user-1"] } }),
  "a sub that is an object": () => issuer.sign({ claims: { sub: { length: 1, includes: "x" } } }),
  "a sub that is null": () => issuer.sign({ claims: { sub: null } }),
  "an issuer in a list": () => issuer.sign({ claims: { iss: [issuer.settings.AUTH_ISSUER] } }),
  "an audience that is an object": () => issuer.sign({ claims: { aud: { includes: "x" } } }),
  "an exp that is text": () => issuer.sign({ claims: { exp: String(now() + 600) } }),
  "an exp in a list": () => issuer.sign({ claims: { exp: [now() + 600] } }),
  "an nbf that is text": () => issuer.sign({ claims: { nbf: "0" } }),
  "an iat that is text": () => issuer.sign({ claims: { iat: String(now()) } }),
  "a sub of 256 characters": () => issuer.sign({ claims: { sub: "x".repeat(256) } }),
  // Written as an escape in JSON. In UTF-8, each lone surrogate would become U+FFFD, and several subjects one user.
  "a sub with a lone surrogate": () => issuer.sign({ claims: { sub: "user-\ud800" } }),
  "an unknown critical header": async () => {
    const [, payload, signature] = (await issuer.sign()).split(".");
    return `${encoded({ alg: "EdDSA", kid: "EdDSA", typ: "at+jwt", crit: ["x"], x: 1 })}.${payload}.${signature}`;
  },
  "a changed payload": async () => {
    const [header, payload, signature] = (await issuer.sign()).split(".");
    return `${header}.${encoded({ ...(JSON.parse(Buffer.from(payload!, "base64url").toString()) as object), sub: "somebody-else" })}.${signature}`;
  },
  "two parts": async () => (await issuer.sign()).split(".").slice(0, 2).join("."),
  "four parts": async () => `${await issuer.sign()}.x`,
  "parts that are not base64url of JSON": async () => "a.b.c",
};

describe("an invalid JWT", () => {
  it.each(Object.entries(BAD))("returns 401 invalid_token: %s", async (_what, make) => {
    const answer = await account(await make());
    expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  it("returns 401 and never 5xx after random changes", async () => {
    const random = seededRandom("mutilated tokens");
    const good = await issuer.sign();
    const signs = "AZaz09-_.~+/=";
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 300; attempt++) {
      const at = random(good.length);
      const mutilated =
        random(3) === 0 ? good.slice(0, at) : `${good.slice(0, at)}${signs[random(signs.length)]}${good.slice(at + random(3))}`;
      // The unused bits of the last character don't change the signature.
      if (!sameBytes(mutilated, good)) statuses.add((await account(mutilated)).status);
    }
    expect([...statuses]).toEqual([401]);
  });

  it("gets the same response for every fault", async () => {
    const bodies = await Promise.all(Object.values(BAD).map(async (make) => (await account(await make())).body));
    expect(new Set(bodies.map((it) => JSON.stringify({ ...it, request_id: "" }))).size).toBe(1);
  });
});

describe("equal tokens that arrive together", () => {
  itNeeds("one server", "are verified once", async () => {
    await using planned = await startPlannedService(async () => {}, { ROLE: "api", ...issuer.settings });
    const token = await issuer.sign({ claims: { sub: "in-parallel" } });
    const { result, statements } = await planned.statementsOf(() =>
      Promise.all(Array.from({ length: 30 }, () => planned.anonymous(`Bearer ${token}`)("GET", "/account"))),
    );
    expect(result.map((it) => it.status)).toEqual(result.map(() => 200));
    expect(statements.filter((it) => /^SELECT .*"users"/.test(it.sql)).length).toBeLessThanOrEqual(2);
  });

  it("count as one guess each if they are wrong", async () => {
    await using guarded = await startTestService({ ROLE: "api", ...issuer.settings, RATE_LIMITS: "failed_authentication=3/600" });
    const wrong = await BAD["the signature of another key"]!();
    const answers = await Promise.all(Array.from({ length: 5 }, () => guarded.anonymous(`Bearer ${wrong}`)("GET", "/account")));
    expect(answers.map((it) => it.status).toSorted()).toEqual([401, 401, 401, 429, 429]);
    // The failure is not cached: a valid token of the same address works.
    expect(await guarded.anonymous(`Bearer ${await issuer.sign()}`)("GET", "/account")).toMatchObject({ status: 200 });
  });
});

const sameBytes = (one: string, two: string) => {
  const parts = (token: string) =>
    token
      .split(".")
      .map((it) => Buffer.from(it, "base64url").toString("hex"))
      .join(".");
  return parts(one) === parts(two);
};

describe("an API key", () => {
  it(sentence("API keys and access tokens in the query are not accepted."), async () => {
    const { authorization } = await service.as();
    const path = `/account?access_token=${authorization!.replace("Bearer ", "")}`;
    expect(await service.anonymous()("GET", path)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
  });

  it.each(["bearer", "BEARER"])(
    "is accepted after %s, because the case of a scheme doesn't count (RFC 9110, 11.1)",
    async (scheme) => {
      const { authorization } = await service.as();
      const caller = service.anonymous(authorization!.replace("Bearer", scheme));
      expect(await caller("GET", "/account")).toMatchObject({ status: 200 });
    },
  );

  it.each([0, 1, 15, 31])("is refused if only byte %d of its hash differs", async (index) => {
    const ada = await service.as();
    await service.db.$executeRaw`UPDATE api_keys
      SET secret_hash = set_byte(secret_hash, ${index}::int, get_byte(secret_hash, ${index}::int) # 1) WHERE user_id = ${ada.userId}::uuid`;
    expect(await ada("GET", "/account")).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("of a user who was deleted is refused, and so is a JWT", async () => {
    const ada = await service.as();
    // Not GET /account, which reads the user once more.
    const read = async () => {
      const token = await issuer.sign({ claims: { sub: "deleted-user", jti: randomUUID() } });
      return service.anonymous(`Bearer ${token}`)("GET", "/posts");
    };
    expect(await read()).toMatchObject({ status: 200 });
    await service.db.user.updateMany({
      where: { OR: [{ id: ada.userId }, { subject: "deleted-user" }] },
      data: { deletedAt: new Date() },
    });
    for (const answer of [await ada("GET", "/posts"), await read()])
      expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });
});

it("many callers at one address, one after the other, hold one permit for unverified credentials", async () => {
  await using narrow = await startTestService({ ROLE: "api", MAX_IN_FLIGHT_PER_ADDRESS: "1" });
  for (let caller = 0; caller < 3; caller++) expect(await (await narrow.as())("GET", "/account")).toMatchObject({ status: 200 });
});

describe("an API key in use", () => {
  // Both wait, so they run beside the others.
  it.concurrent("stops working 5 s after it is revoked, not 30 s", async () => {
    const ada: Client = await service.as();
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    expect(await revokeApiKeys(service.db, ada.userId)).toBe(1);
    const revokedMs = performance.now();
    const refused = await eventually("the end of a revoked key", async () => {
      const answer = await ada("GET", "/account");
      return answer.status === 401 ? answer : null;
    });
    expect(refused.body).toMatchObject({ code: "invalid_token" });
    expect(performance.now() - revokedMs).toBeLessThan(25_000);
  });

  it.concurrent("stops working at its expiry, even if it was used just before", async () => {
    const { ada, expiresAt, answer } = await usedBeforeExpiry(async (expiresAt) => {
      const ada = await service.as();
      await service.db.apiKey.updateMany({ where: { userId: ada.userId }, data: { expiresAt } });
      return { ada, expiresAt, answer: await ada("GET", "/account") };
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { credential: { expires_at: expiresAt.toISOString() } },
    });
    await delay(expiresAt.getTime() - Date.now() + 50);
    expect(await ada("GET", "/account")).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });
});
