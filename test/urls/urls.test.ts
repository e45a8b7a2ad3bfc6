import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { itNeeds } from "../support/needs.ts";
import { withKey, walk } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { shortened } from "./support/urls.ts";
import type { Body, Client } from "../support/client.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://example.com/a";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const shorten = async (body: unknown) => (await service.as())("POST", "/urls", body);
const inYears = (years: number, days = 0) => {
  const at = new Date();
  at.setUTCFullYear(at.getUTCFullYear() + years);
  return new Date(at.getTime() + days * 86_400_000).toISOString();
};
const refusedField = (pointer: string, code: unknown = expect.any(String)) => ({
  errors: expect.arrayContaining([expect.objectContaining({ in: "body", pointer, code })]),
});

describe("POST /urls", () => {
  it(`${sentence("The service doesn't check that the target is reachable.")} It never sends a request to it`, async () => {
    let callers = 0;
    const trap = createServer((socket) => {
      callers++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(trap, "listening");
    const target_url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/`;
    const { body } = await shorten({ target_url });
    expect((await service.anonymous()("GET", `/u/${body.id}`)).headers.get("location")).toBe(target_url);
    // Proves that the server counts its callers.
    await fetch(target_url).catch(() => undefined);
    expect(callers).toBe(1);
    await new Promise((done) => trap.close(done));
  });

  it("creates short codes from 62 letters and digits, all equally likely", async () => {
    const ada = await service.as();
    const codes: string[] = [];
    const create = async () => {
      for (let url = 0; url < 50; url++) codes.push((await ada("POST", "/urls", { target_url: TARGET })).body.id);
    };
    await Promise.all(Array.from({ length: 8 }, create));
    expect(codes).toHaveLength(400);
    expect(new Set(codes).size).toBe(codes.length);
    const counts = new Map<string, number>();
    for (const sign of codes.join("")) counts.set(sign, (counts.get(sign) ?? 0) + 1);
    const wanted = (codes.length * 8) / 62;
    // Chi-square with 61 degrees of freedom: above 120 by chance in one of a hundred thousand runs.
    const deviation = [...Array(62).keys()].reduce(
      (sum, index) => sum + ((counts.get(ALPHABET[index]!) ?? 0) - wanted) ** 2 / wanted,
      0,
    );
    expect(deviation).toBeLessThan(120);
  });

  itNeeds("one server", "creates another short code if the random one is in use, up to four times in a row", async () => {
    await shorten({ target_url: TARGET, id: "in-use-already" });
    // The database changes the codes of the next rows to one in use, as if the service had drawn it.
    await service.db.$executeRaw`CREATE SEQUENCE draws`;
    await service.db.$executeRaw`
      CREATE FUNCTION draw_again() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF nextval('draws') <= 4 THEN NEW.id = 'in-use-already'; END IF; RETURN NEW; END $$`;
    await service.db
      .$executeRaw`CREATE TRIGGER draw_again BEFORE INSERT ON short_urls FOR EACH ROW EXECUTE FUNCTION draw_again()`;
    try {
      const created = await shorten({ target_url: TARGET });
      expect(created).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^[0-9A-Za-z]{8}$/) } });
      const rows = await service.db.$queryRaw<{ draws: number }[]>`SELECT last_value::int AS draws FROM draws`;
      expect(rows).toEqual([{ draws: 5 }]);
    } finally {
      await service.db.$executeRaw`DROP TRIGGER draw_again ON short_urls`;
    }
  });

  it.each(["abcd", "Boathouse-doors_2", "0___", "x".repeat(64)])("accepts %s as a custom short code", async (id) => {
    const created = await shorten({ target_url: TARGET, id });
    expect(created).toMatchObject({ status: 201, body: { id } });
    expect(created.headers.get("location")).toBe(`/urls/${id}`);
  });

  const NEVER = sentence("It is case-sensitive and never reused, even after the short URL is deleted.");
  it(`${sentence("**An id is never reused.**")} ${NEVER}`, async () => {
    const ada = await service.as();
    for (const id of ["CaseCase", "casecase"])
      expect(await ada("POST", "/urls", { target_url: `https://example.com/${id}`, id })).toMatchObject({ status: 201 });
    expect(await ada("DELETE", "/urls/CaseCase")).toMatchObject({ status: 204 });
    expect(await service.anonymous()("GET", "/u/CaseCase")).toMatchObject({ status: 410 });
    expect((await service.anonymous()("GET", "/u/casecase")).headers.get("location")).toBe("https://example.com/casecase");
    for (const caller of [ada, await service.as()])
      expect(await caller("POST", "/urls", { target_url: TARGET, id: "CaseCase" })).toMatchObject(problem(409, "id_taken"));
  });

  const EXACTLY = sentence("The service returns the URL exactly as you send it, only with the scheme in lower case.");
  it.each(
    [
      "http://example.com",
      "https://example.com?q=1",
      "https://EXAMPLE.com/%7Euser/../x;p=1?q=a+b&c=%20#top",
      "https://example.com:8443/",
      "http://[2001:db8::1]/x",
      "https://xn--bcher-kva.example/",
      "http://127.1/",
      "HTTPS://Example.com/A",
      "hTTps://HTTPS.example/?HTTPS://x",
      `https://example.com/${"a".repeat(2_028)}`,
    ].map((it) => [it]),
  )(`${EXACTLY} It redirects to it. %s`, async (sent) => {
    const created = await shorten({ target_url: sent });
    const target_url = sent.replace(/^\w+/, (scheme) => scheme.toLowerCase());
    expect(created).toMatchObject({ status: 201, body: { target_url } });
    expect((await service.anonymous()("GET", `/u/${created.body.id}`)).headers.get("location")).toBe(target_url);
  });

  const TARGETS = sentence("an absolute `http` or `https` URL (RFC 3986) with a host and without credentials.");
  it.each([
    ["no value", undefined, "required"],
    ["null", null, "type"],
    ["a number", 7, "type"],
    ["a javascript: URL", "javascript:alert(1)", "pattern"],
    ["a data: URL", "data:text/html,<script>", "pattern"],
    ["an ftp: URL", "ftp://example.com/", "pattern"],
    ["only a scheme", "https://", "pattern"],
    ["no host", "https:///x", "pattern"],
    ["one slash", "https:/example.com", "pattern"],
    ["credentials", "https://user:pw@host/", "pattern"],
    ["a user name", "https://user@host/", "pattern"],
    ["a host after a backslash", "https://example.com\\@evil.example/", "pattern"],
    ["a space", "https://a b", "pattern"],
    ["a line break", "https://example.com/\nx", "pattern"],
    ["a tab", "https://exam\tple.com/", "pattern"],
    ["NUL", "https://example.com/\0", "pattern"],
    ["an incomplete IPv6 address", "http://[::1", "format"],
    ["non-ASCII letters", "https://bücher.example/", "format"],
    ["an invalid percent-encoding", "https://example.com/%zz", "format"],
    ["2049 characters", `https://example.com/${"a".repeat(2_029)}`, "maxLength"],
    ["a path", "/urls", "pattern"],
  ])(`${TARGETS} Otherwise you get 400, as for: %s`, async (_what, target_url, code) => {
    expect(await shorten({ target_url })).toMatchObject(
      problem(400, "validation_failed", { ...refusedField("/target_url", code) }),
    );
  });

  it.each(["http://1.2.3.4.5/", "http://example.com:99999/", "http://256.1.1.1/"])(
    "returns 422 target_not_allowed for %s, which resembles a URL but is invalid",
    async (target_url) => {
      expect(await shorten({ target_url })).toMatchObject(problem(422, "target_not_allowed", { ...refusedField("/target_url") }));
    },
  );

  it(`${sentence("A target on this service returns 422 `target_not_allowed`.")} In any spelling`, async () => {
    const { port } = new URL(service.url);
    for (const host of [
      ...["127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "127.0.0.1."],
      ...["127.255.255.254", "0.0.0.0", "0", "localhost", "LOCALHOST", "localhost.", "a.localhost"],
      ...["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:0:0]"],
    ]) {
      expect(await shorten({ target_url: `http://${host}:${port}/u/abcd` })).toMatchObject(problem(422, "target_not_allowed"));
    }
    const elsewhere = [
      `localhost:${Number(port) - 1}`,
      `localhost.example:${port}`,
      `notlocalhost:${port}`,
      "[::ffff:203.0.113.1]",
    ];
    for (const host of elsewhere) expect(await shorten({ target_url: `http://${host}/` })).toMatchObject({ status: 201 });
    await using everywhere = await startTestService({ ROLE: "api", HOST: "0.0.0.0" });
    const yuki = await everywhere.as();
    for (const host of ["127.0.0.1", "0.0.0.0", "localhost", "[::1]"]) {
      const target_url = `http://${host}:${new URL(everywhere.url).port}/`;
      expect(await yuki("POST", "/urls", { target_url })).toMatchObject({ status: 422, body: { code: "target_not_allowed" } });
    }
    await using named = await startTestService({ ROLE: "api", PUBLIC_URL: "https://plumb.example" });
    const ada = await named.as();
    for (const target_url of [
      "https://plumb.example/u/x",
      "http://plumb.example",
      "https://PLUMB.example:443/",
      "https://plumb.example./u/x",
    ]) {
      expect(await ada("POST", "/urls", { target_url })).toMatchObject({ status: 422, body: { code: "target_not_allowed" } });
    }
    // Other services of the machine are not this one.
    expect(await ada("POST", "/urls", { target_url: "https://localhost/" })).toMatchObject({ status: 201 });
    expect(await ada("POST", "/urls", { target_url: "https://plumb.example.com/" })).toMatchObject({
      status: 201,
      body: { short_url: expect.stringMatching(/^https:\/\/plumb\.example\/u\/\w{8}$/) },
    });
  });

  it(sentence("The rules for a target apply to it."), async () => {
    const expired_url = "https://www.example.org/over?x=%20#top";
    const created = await shorten({ target_url: TARGET, expired_url: expired_url.replace("https", "HttpS") });
    expect(created).toMatchObject({ status: 201, body: { target_url: TARGET, expired_url } });
    expect((await shorten({ target_url: TARGET })).body.expired_url).toBeNull();
    for (const [wrong, code] of [
      [null, "type"],
      ["javascript:alert(1)", "pattern"],
      ["https://user:pw@host/", "pattern"],
      ["https://example.com/%zz", "format"],
      [`https://example.com/${"a".repeat(2_029)}`, "maxLength"],
    ] as const)
      expect(await shorten({ target_url: TARGET, expired_url: wrong })).toMatchObject(
        problem(400, "validation_failed", { ...refusedField("/expired_url", code) }),
      );
    for (const wrong of ["http://1.2.3.4.5/", `${service.url}/u/abcd`, `http://localhost:${new URL(service.url).port}/`])
      expect(await shorten({ target_url: TARGET, expired_url: wrong })).toMatchObject(
        problem(422, "target_not_allowed", { ...refusedField("/expired_url", "target_not_allowed") }),
      );
  });

  it(sentence("If you choose the `id` yourself, a retry without a key returns 409 `id_taken`."), async () => {
    const ada = await service.as();
    const first = await ada("POST", "/urls", { target_url: TARGET, id: "taken-id" });
    for (const caller of [ada, await service.as()]) {
      expect(await caller("POST", "/urls", { target_url: "https://example.com/other", id: "taken-id" })).toMatchObject(
        problem(409, "id_taken"),
      );
    }
    expect(await ada("GET", "/urls/taken-id")).toMatchObject({ status: 200, body: first.body });
  });

  it("returns 201 for one of six concurrent requests for the same id, and 409 for the others", async () => {
    const callers = await Promise.all(Array.from({ length: 6 }, () => service.as()));
    const answers = await Promise.all(callers.map((it) => it("POST", "/urls", { target_url: TARGET, id: "raced-id" })));
    expect(answers.map((it) => it.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  const EXPIRY = sentence("a moment in the future, at most ten years from now");
  it.each([
    ["a minute ago", () => new Date(Date.now() - 60_000).toISOString()],
    ["long ago", () => "1999-01-01T00:00:00Z"],
    ["in ten years and a day", () => inYears(10, 1)],
    ["in eleven years", () => inYears(11)],
    ["in the year 9999", () => "9999-12-31T23:59:59.999Z"],
  ])(`${EXPIRY}. Otherwise you get 422, as for: %s`, async (_what, at) => {
    expect(await shorten({ target_url: TARGET, expires_at: at() })).toMatchObject(
      problem(422, "expires_at_invalid", { ...refusedField("/expires_at") }),
    );
  });

  it("accepts an expiry with any offset, truncates it to milliseconds, and returns it in UTC", async () => {
    const year = new Date().getUTCFullYear() + 2;
    expect(await shorten({ target_url: TARGET, expires_at: `${year}-03-01T01:30:00.123999999+01:30` })).toMatchObject({
      status: 201,
      body: { expires_at: `${year}-03-01T00:00:00.123Z` },
    });
    expect(await shorten({ target_url: TARGET, expires_at: `${year}-06-30T23:00:00-05:00` })).toMatchObject({
      status: 201,
      body: { expires_at: `${year}-07-01T04:00:00.000Z` },
    });
  });

  it(`${EXPIRY}: one minute less than ten years`, async () => {
    const expires_at = new Date(Date.parse(inYears(10)) - 60_000).toISOString();
    expect(await shorten({ target_url: TARGET, expires_at })).toMatchObject({ status: 201, body: { expires_at } });
  });
});

const rowsOf = (ownerId: string) => service.db.shortUrl.count({ where: { ownerId } });

describe("POST /urls with an Idempotency-Key", () => {
  it("returns 201 for one and 422 for the other of two concurrent requests with one key and different bodies", async () => {
    const ada = await service.as();
    const key = withKey();
    const answers = await Promise.all(
      ["https://example.com/1", "https://example.com/2"].map((target_url) => ada("POST", "/urls", { target_url }, key)),
    );
    expect(answers.map((it) => it.status).sort()).toEqual([201, 422]);
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it(`${sentence("72 hours from the first response.")} Then it is accepted again, also with another body`, async () => {
    const ada = await service.as();
    const key = randomUUID();
    await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    const storedKey = await service.db.idempotencyKey.findFirstOrThrow({ where: { key } });
    expect(storedKey.expiresAt.getTime() - storedKey.createdAt.getTime()).toBe(72 * 3_600_000);
    await service.db.idempotencyKey.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    const fresh = await ada("POST", "/urls", { target_url: "https://example.com/b" }, withKey(key));
    expect(fresh).toMatchObject({ status: 201, body: { target_url: "https://example.com/b" } });
    expect(fresh.headers.has("idempotency-replayed")).toBe(false);
    const again = await ada("POST", "/urls", { target_url: "https://example.com/b" }, withKey(key));
    expect(again).toMatchObject({ status: 201, body: { id: fresh.body.id } });
    for (const name of ["location", "etag"]) expect(again.headers.get(name)).toBe(fresh.headers.get(name));
    expect(await rowsOf(ada.userId)).toBe(2);
  });

  it("creates one short URL for five concurrent requests with an expired key", async () => {
    const ada = await service.as();
    const key = randomUUID();
    await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    await service.db.idempotencyKey.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ada("POST", "/urls", { target_url: TARGET }, withKey(key))),
    );
    expect(new Set(answers.map((it) => `${it.status} ${it.body.id}`)).size).toBe(1);
    expect(await rowsOf(ada.userId)).toBe(2);
  });

  it(sentence("Errors are not stored. The retry is a new attempt and can succeed."), async () => {
    const ada = await service.as();
    const key = withKey();
    await ada("POST", "/urls", { target_url: TARGET, id: "in-use-1" });
    expect(await ada("POST", "/urls", { target_url: TARGET, id: "in-use-1" }, key)).toMatchObject(problem(409, "id_taken"));
    expect(await ada("POST", "/urls", { target_url: TARGET, expires_at: "2000-01-01T00:00:00Z" }, key)).toMatchObject({
      status: 422,
    });
    expect(await ada("POST", "/urls", { target_url: TARGET, id: "in-use-2" }, key)).toMatchObject({
      status: 201,
      body: { id: "in-use-2" },
    });
  });
});

describe("GET /urls/{id}", () => {
  const NO_CLICK = sentence("this request doesn't count as a click.");
  it(`returns 304 until something changes, and 200 with a new ETag after a click: ${NO_CLICK}`, async () => {
    const { ada, path, link } = await shortened(service);
    const etag = (await ada("GET", path)).headers.get("etag")!;
    const unchanged = await ada("GET", path, undefined, { headers: { "If-None-Match": etag } });
    expect(unchanged).toMatchObject({ status: 304, text: "" });
    expect(unchanged.headers.get("etag")).toBe(etag);
    await service.anonymous()("GET", link);
    const changed = await eventually("a counted click", async () => {
      const answer = await ada("GET", path, undefined, { headers: { "If-None-Match": etag } });
      return answer.status === 200 ? answer : null;
    });
    expect(changed.body).toMatchObject({ click_count: 1 });
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it(sentence("An expired short URL is still returned. A deleted one returns 404."), async () => {
    const { ada, id, path } = await shortened(service);
    const expiresAt = new Date(Date.now() - 1_000);
    await service.db.shortUrl.update({ where: { id }, data: { expiresAt } });
    expect(await ada("GET", path)).toMatchObject({ status: 200, body: { expires_at: expiresAt.toISOString() } });
    expect(await ada("DELETE", path)).toMatchObject({ status: 204 });
    expect(await ada("GET", path)).toMatchObject({ status: 404 });
  });
});

const ids = (items: readonly Body[]) => items.map((it) => it.id as string);

/** A new user with `count` short URLs: all created at `createdAt`, or one after the other through the API. */
async function withUrls(count: number, createdAt?: Date): Promise<{ ada: Client; created: string[] }> {
  const ada = await service.as();
  const prefix = ada.userId.slice(-8);
  const created = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
  if (createdAt !== undefined)
    await service.db.shortUrl.createMany({
      data: created.map((id) => ({ id, ownerId: ada.userId, targetUrl: "https://example.com/", createdAt })),
    });
  else for (const id of created) await ada("POST", "/urls", { target_url: "https://example.com/", id });
  return { ada, created };
}

describe("GET /urls", () => {
  it(sentence("Returns every short URL that you created and have not deleted, including expired ones."), async () => {
    const { ada, created } = await withUrls(3);
    await service.as().then((it) => it("POST", "/urls", { target_url: "https://example.com/" }));
    const list = await ada("GET", "/urls");
    expect(list).toMatchObject({ status: 200, body: { page: { limit: 20, next_cursor: null } } });
    expect(ids(list.body.data)).toEqual(created.toReversed());
    expect(list.body.data[0]).toEqual((await ada("GET", `/urls/${created[2]}`)).body);
    await service.db.shortUrl.update({ where: { id: created[0]! }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await ada("DELETE", `/urls/${created[1]}`);
    expect(ids((await ada("GET", "/urls")).body.data)).toEqual([created[2], created[0]]);
  });

  const PAGING = sentence("Short URLs that you create while paging don't shift or repeat the items on later pages.");
  it(`${PAGING} Neither do those that you delete`, async () => {
    const { ada, created } = await withUrls(30, new Date("2026-01-01T00:00:00.000Z"));
    const doomed = created.filter((_, index) => index % 10 === 0);
    const walked = ids(
      await walk(ada, "/urls?limit=4", "after", async () => {
        await ada("POST", "/urls", { target_url: "https://example.com/new" });
        const id = doomed.shift();
        if (id !== undefined) await ada("DELETE", `/urls/${id}`);
      }),
    );
    const stable = created.filter((_, index) => index % 10 !== 0).reverse();
    expect(walked.filter((id) => stable.includes(id))).toEqual(stable);
    expect(new Set(walked).size).toBe(walked.length);
  });
});
