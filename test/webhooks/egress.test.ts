import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { readConfig } from "../../src/config.ts";
import { isPublic, isPublicOrPrivate } from "../../src/webhooks/egress/addresses.ts";
import { connectChecked } from "../../src/webhooks/egress/connect.ts";
import { openEgress, type Egress, type EgressOptions } from "../../src/webhooks/egress/egress.ts";
import { allowsPrivate, checkTarget } from "../../src/webhooks/egress/target.ts";
import { createAuthority } from "../support/certificates.ts";
import { answers, answersForEver, drips, response, serve, startProxy, type Counting } from "./egress-servers.ts";
import { tricks } from "./egress-tricks.ts";

const never = new AbortController().signal;
const authority = createAuthority();
const caCertificates = [readFileSync(authority.file, "utf8")];
const NAME = "receiver.example.com";
const certificate = authority.issue(`DNS:${NAME},IP:127.0.0.1`);
/** An address that stands for a public one: the whole network 127.0.0.0/8 is this machine. */
const STAND_IN = "127.0.0.2";
const standIn = (address: string) => address === STAND_IN;
const LOOPBACK = async () => [{ address: "127.0.0.1" }];

const send = (egress: Egress, url: string, signal = never) =>
  egress.send({ url, headers: { "Content-Type": "application/json", "Webhook-Id": "1" }, body: '{"é":1}', signal });

/** The outcome of one request, without its time. */
async function outcomeOf(url: string, options: Partial<EgressOptions> = {}, signal = never) {
  const egress = openEgress({ allowsPrivate: true, timeoutMs: 20_000, caCertificates, ...options });
  const { durationMs, ...outcome } = await send(egress, url, signal);
  await egress.close();
  expect(Number.isInteger(durationMs)).toBe(true);
  return outcome;
}
const refusal = { kind: "failure", reason: "address_not_allowed" };
const failure = (reason: string) => ({ kind: "failure", reason });

describe("a URL that a stranger chose", () => {
  let canaries: Counting[];
  let port: number;
  beforeAll(async () => {
    const canary = await serve(() => undefined);
    port = canary.port;
    canaries = [canary, await serve(() => undefined, { host: "::1", port })];
  });
  afterAll(async () => {
    for (const canary of canaries) await canary[Symbol.asyncDispose]();
  });

  it.each(tricks)("sends nothing to $how", async ({ url, answers: found }) => {
    let asked = 0;
    const lookup = async () => (found?.[asked++] ?? ["127.0.0.1"]).map((address) => ({ address }));
    expect(await outcomeOf(url(port), { allowsPrivate: false, lookup })).toEqual(refusal);
    expect(asked).toBe(found === undefined ? 0 : 1);
    expect(canaries.map((it) => it.connections())).toEqual([0, 0]);
  });

  it.each(tricks.filter((it) => it.answers === undefined))("can't be registered with $how", ({ url }) => {
    expect(checkTarget(url(port), { allowsPrivate: false })).toEqual({
      kind: "refused",
      reason: expect.stringMatching(/^The URL .+\.$/),
    });
  });

  it("sends nothing to a name that is public first and private then, because it is resolved once", async () => {
    await using receiver = await serve(answers(response("yes")), { host: STAND_IN, port, tls: certificate });
    let asked = 0;
    const lookup = async () => [{ address: asked++ === 0 ? STAND_IN : "127.0.0.1" }];
    expect(await outcomeOf(`https://${NAME}:${port}/`, { allowsPrivate: false, lookup, isPublic: standIn })).toEqual({
      kind: "response",
      status: 200,
      excerpt: "yes",
    });
    expect([asked, receiver.connections()]).toEqual([1, 1]);
    expect(canaries.map((it) => it.connections())).toEqual([0, 0]);
  });

  it.each(["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect", "200 OK"])(
    "sends nothing to the address in the headers of a response with %s",
    async (status) => {
      const target = `https://127.0.0.1:${port}/`;
      const headers = `Location: ${target}\r\nRefresh: 0; url=${target}\r\nAlt-Svc: h2="127.0.0.1:${port}"; ma=9\r\n`;
      await using receiver = await serve(answers(response("", status, headers)), { host: STAND_IN, tls: certificate });
      const egress = openEgress({
        allowsPrivate: false,
        caCertificates,
        isPublic: standIn,
        lookup: async () => [{ address: STAND_IN }],
      });
      // The second request would use what the first response says about alternatives.
      for (const _ of [1, 2])
        expect(await send(egress, `https://${NAME}:${receiver.port}/`)).toMatchObject({
          kind: "response",
          status: Number(status.slice(0, 3)),
        });
      await egress.close();
      expect(canaries.map((it) => it.connections())).toEqual([0, 0]);
    },
  );

  it("sends no byte to a connection that arrived at another address than those that were checked", async () => {
    await using elsewhere = await serve(() => undefined);
    const connecting = connectChecked(["127.0.0.1"], elsewhere.port, { isAllowed: isPublic, signal: never });
    await expect(connecting).rejects.toThrow("address_not_allowed");
    await elsewhere.closed();
    expect(elsewhere.received()).toBe("");
  });

  it("leads to the next address of a name if nobody listens at the first", async () => {
    await using receiver = await serve(answers(response("yes")));
    const lookup = async () => ["127.0.0.3", "127.0.0.1"].map((address) => ({ address }));
    expect(await outcomeOf(`http://${NAME}:${receiver.port}/`, { lookup })).toMatchObject({ status: 200 });
  });
});

describe("the rules for URLs", () => {
  it.each([
    "https://good.example.com/",
    "https://good.example.com./",
    "https://good.example.com:8443/a?b=c",
    "https://münchen.example.com/ä",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
  ])("allow %s", (url) => {
    expect(checkTarget(url, { allowsPrivate: false })).toEqual({ kind: "allowed", url: new URL(url) });
  });

  it("allow 2,048 characters, encoded or not", () => {
    const url = "https://good.example.com/".padEnd(2_048, "a");
    expect(checkTarget(url, { allowsPrivate: false }).kind).toBe("allowed");
    expect(checkTarget(url.replace(/a{9}$/, "€"), { allowsPrivate: false }).kind).toBe("allowed");
    expect(checkTarget(url.replace(/a$/, "€"), { allowsPrivate: false }).kind).toBe("refused");
  });

  it.each(["http://localhost:3000/", "http://receiver/", "https://10.0.0.1/", "http://[::1]:8080/", "http://good.example.com/"])(
    "allow %s where private addresses are allowed",
    (url) => {
      expect(checkTarget(url, { allowsPrivate: true })).toEqual({ kind: "allowed", url: new URL(url) });
    },
  );

  it.each(["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/", "http://100.100.100.200/"])(
    "refuse %s, which serves credentials, even where private addresses are allowed",
    async (url) => {
      expect(checkTarget(url, { allowsPrivate: true }).kind).toBe("refused");
      const lookup = async () => [{ address: new URL(url).hostname.replaceAll(/[[\]]/g, "") }];
      expect(await outcomeOf(`http://${NAME}/`, { lookup })).toEqual(refusal);
    },
  );

  it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001:80b::200e"])(
    "know that %s is public",
    (address) => {
      expect([isPublic(address), isPublicOrPrivate(address)]).toEqual([true, true]);
    },
  );

  it.each(["", "localhost", "127.1", "1", "0x7f.1", "8.8.8.8 ", "2606:4700::1111%lo", "[::1]", "8.8.8.8/0"])(
    "know that %j is no address",
    (text) => {
      expect([isPublic(text), isPublicOrPrivate(text)]).toEqual([false, false]);
    },
  );
});

describe("a request", () => {
  it("has the method, the path, the headers and the body, and the name of the URL", async () => {
    await using receiver = await serve(answers(response("thanks")));
    expect(await outcomeOf(`http://${NAME}:${receiver.port}/a%20b?c=d`, { lookup: LOOPBACK })).toMatchObject({ status: 200 });
    const [head, body] = receiver.received().split("\r\n\r\n");
    expect(head).toMatch(/^POST \/a%20b\?c=d HTTP\/1\.1\r\n/);
    expect(head).toContain(`host: ${NAME}:${receiver.port}\r\n`);
    expect(head).toMatch(/Webhook-Id: 1\r\n/);
    expect(head).toMatch(/content-length: 8/);
    expect(Buffer.from(body!, "latin1").toString()).toBe('{"é":1}');
  });

  it.each([
    ["a character that is cut off", `a${"é".repeat(600)}`, `a${"é".repeat(511)}`],
    ["more than 1,024 bytes", "é".repeat(600), "é".repeat(512)],
    ["a NUL", "a\0b", "a\uFFFDb"],
    ["bytes that are not UTF-8", Buffer.from([0x61, 0xff, 0x62]), "a\uFFFDb"],
    ["nothing", "", ""],
  ])("returns an excerpt that PostgreSQL can store of a body with %s", async (_what, body, excerpt) => {
    await using receiver = await serve(answers(response(body)));
    expect(await outcomeOf(`http://127.0.0.1:${receiver.port}/`)).toEqual({ kind: "response", status: 200, excerpt });
  });

  it("does not decompress a body", async () => {
    await using receiver = await serve(answers(response("not gzip", "200 OK", "Content-Encoding: gzip\r\n")));
    expect(await outcomeOf(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ excerpt: "not gzip" });
  });

  it("rejects with the reason of its signal, also while it waits for a place, and frees the place", async () => {
    await using silent = await serve(() => undefined);
    const egress = openEgress({ allowsPrivate: true, connectionsMax: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const url = `http://127.0.0.1:${silent.port}/`;
    const sent = [send(egress, url, first.signal), send(egress, url, second.signal)].map((it) =>
      it.catch((error: unknown) => error),
    );
    second.abort(new Error("second"));
    expect(await sent[1]).toEqual(new Error("second"));
    first.abort(new Error("first"));
    expect(await sent[0]).toEqual(new Error("first"));
    await egress.close();
    await expect(send(egress, url)).rejects.toThrow("after close");
  });

  it("waits while as many connections are open as there may be", async () => {
    let open = 0;
    let most = 0;
    await using receiver = await serve((socket) => {
      most = Math.max(most, ++open);
      socket.on("close", () => open--);
      setImmediate(() => socket.end(response("")));
    });
    const egress = openEgress({ allowsPrivate: true, connectionsMax: 2 });
    const sent = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => send(egress, `http://127.0.0.1:${receiver.port}/`)));
    expect(sent.map((it) => it.kind)).toEqual(sent.map(() => "response"));
    // The server can see a connection close a moment after the client has closed it.
    expect(most).toBeLessThanOrEqual(4);
    expect(receiver.connections()).toBe(7);
  });

  it("rejects if a header can't be sent, because that is no failure of the receiver", async () => {
    await using receiver = await serve(answers(response("")));
    const egress = openEgress({ allowsPrivate: true });
    const request = { url: `http://127.0.0.1:${receiver.port}/`, headers: { "X-A": "a\r\nb: c" }, body: "", signal: never };
    await expect(egress.send(request)).rejects.toThrow("invalid X-A header");
    expect(receiver.received()).toBe("");
  });
});

describe("a hostile receiver", () => {
  const OK = "HTTP/1.1 200 OK\r\n";
  const ok = { kind: "response", status: 200 };
  const timeoutMs = 500;
  const rows: readonly (readonly [string, Parameters<typeof serve>[0], object])[] = [
    ["never ends its body", answersForEver(`${OK}\r\n`, "a".repeat(16_384)), { ...ok, excerpt: "a".repeat(1_024) }],
    ["sends 1 MB", answers(response("a".repeat(1_000_000))), { ...ok, excerpt: "a".repeat(1_024) }],
    ["drips its body", drips(`${OK}Content-Length: 100000\r\n\r\n`, "a"), ok],
    ["drips its headers", drips(OK, "a: b\r\n"), failure("timeout")],
    ["drips its status line", drips("HTTP/1.1 200 ", "O"), failure("timeout")],
    ["never responds", () => undefined, failure("timeout")],
    ["resets the connection", (it) => void it.resetAndDestroy(), failure("connection_failed")],
    ["closes the connection", (it) => void it.destroy(), failure("connection_failed")],
    ["closes its half", (it) => void it.end(), failure("connection_failed")],
    ["closes its half in the headers", answers(`${OK}a: b\r\n`), failure("connection_failed")],
    ["closes the connection in the body", answers(`${OK}Content-Length: 9\r\n\r\na`), { ...ok, excerpt: "a" }],
    ["sends garbage", answers("220 mail.example.com ESMTP\r\n"), failure("not_http")],
    ["sends endless garbage", answersForEver("", "\xff".repeat(16_384)), failure("not_http")],
    ["sends chunks that are garbage", answers(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nzz`), ok],
    ["sends endless extensions of a chunk", answersForEver(`${OK}Transfer-Encoding: chunked\r\n\r\n1;a=`, "a".repeat(9_000)), ok],
    ["sends endless trailers", answersForEver(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, "a: b\r\n".repeat(1_000)), ok],
    ["sends a huge header", answers(`${OK}a: ${"a".repeat(20_000)}\r\n\r\n`), failure("response_too_large")],
    ["sends endless headers", answersForEver(OK, "a: b\r\n".repeat(1_000)), failure("response_too_large")],
    ["sends a header without end", answersForEver(`${OK}a: `, "a".repeat(9_000)), failure("response_too_large")],
    ["sends endless 103", answersForEver("", "HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n".repeat(100)), failure("not_http")],
    ["sends endless 100", answersForEver("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)), failure("not_http")],
    ["switches protocols", answers("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"), failure("not_http")],
    ["has two lengths", answers(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`), failure("not_http")],
    ["sends a second response", answers(Buffer.concat([response("a"), response("b")])), { ...ok, excerpt: "a" }],
  ];

  it.each(rows)("ends the attempt and its connection in time if it %s", async (what, answer, expected) => {
    await using receiver = await serve(answer);
    const egress = openEgress({ allowsPrivate: true, timeoutMs });
    const { durationMs, ...outcome } = await send(egress, `http://127.0.0.1:${receiver.port}/`);
    expect(outcome).toMatchObject(expected);
    expect(durationMs).toBeLessThan(20 * timeoutMs);
    // What the system buffers for a connection counts as sent, so the bound is generous.
    if (!/extensions/.test(what)) expect(await receiver.closed()).toBeLessThan(16 * 2 ** 20);
    expect(receiver.connections()).toBe(1);
  });

  it("ends the attempt in time if its name server doesn't respond, or its handshake hangs", async () => {
    await using silent = await serve(() => undefined);
    const hanging = () => new Promise<never>(() => undefined);
    expect(await outcomeOf(`http://${NAME}/`, { timeoutMs: 50, lookup: hanging })).toEqual(failure("timeout"));
    expect(await outcomeOf(`https://127.0.0.1:${silent.port}/`, { timeoutMs: 50 })).toEqual(failure("timeout"));
    await silent.closed();
  });

  it("fails with a reason if its name doesn't exist, has no address, or nobody listens", async () => {
    const missing = () => Promise.reject(new Error("ENOTFOUND"));
    expect(await outcomeOf(`http://${NAME}/`, { lookup: missing })).toEqual(failure("name_not_found"));
    expect(await outcomeOf(`http://${NAME}/`, { lookup: async () => [] })).toEqual(failure("name_not_found"));
    const gone = await serve(() => undefined);
    await gone[Symbol.asyncDispose]();
    expect(await outcomeOf(`http://127.0.0.1:${gone.port}/`)).toEqual(failure("connection_failed"));
  });
});

describe("TLS", () => {
  const yes = { kind: "response", status: 200, excerpt: "yes" };
  const withTls = (tls: typeof certificate) => serve(answers(response("yes")), { tls });

  it("is for the name of the URL, with or without a dot at its end, and for its address", async () => {
    await using receiver = await withTls(certificate);
    for (const host of [NAME, `${NAME}.`, "127.0.0.1"])
      expect(await outcomeOf(`https://${host}:${receiver.port}/`, { lookup: LOOPBACK })).toEqual(yes);
  });

  it("fails with a certificate for another name, without a request", async () => {
    await using receiver = await withTls(authority.issue("DNS:other.example.com"));
    for (const host of [NAME, "127.0.0.1"])
      expect(await outcomeOf(`https://${host}:${receiver.port}/`, { lookup: LOOPBACK })).toEqual(failure("tls_failed"));
    expect(receiver.received()).toBe("");
  });

  it("fails with a certificate of an authority that nobody trusts, and with a server that doesn't speak it", async () => {
    await using receiver = await withTls(createAuthority().issue(`DNS:${NAME}`));
    await using plain = await serve(answers("HTTP/1.1 400 Bad Request\r\n\r\n"));
    for (const { port } of [receiver, plain])
      expect(await outcomeOf(`https://${NAME}:${port}/`, { lookup: LOOPBACK })).toEqual(failure("tls_failed"));
    expect(receiver.received()).toBe("");
  });
});

describe("a forward proxy", () => {
  const lookup = () => Promise.reject(new Error("The proxy resolves names."));

  it("gets the name, opens a tunnel, and can't read it", async () => {
    await using receiver = await serve(answers(response("yes")), { tls: certificate });
    await using proxy = await startProxy(receiver.port);
    expect(await outcomeOf(`https://${NAME}/hook`, { allowsPrivate: false, proxyUrl: proxy.url, lookup })).toEqual({
      kind: "response",
      status: 200,
      excerpt: "yes",
    });
    expect(proxy.received()).toMatch(/^CONNECT receiver\.example\.com:443 /);
    expect(proxy.received()).toContain(Buffer.from("someone:a-password").toString("base64"));
    expect(proxy.received()).not.toContain("POST");
    expect(receiver.received()).toMatch(/^POST \/hook /);
    expect(receiver.received()).not.toContain("roxy-");
  });

  it("doesn't weaken the certificate that a receiver must have", async () => {
    await using receiver = await serve(answers(response("yes")), { tls: authority.issue("DNS:other.example.com") });
    await using proxy = await startProxy(receiver.port);
    await using untrusted = await serve(answers(response("yes")), { tls: createAuthority().issue(`DNS:${NAME}`) });
    await using proxyToUntrusted = await startProxy(untrusted.port);
    for (const { url } of [proxy, proxyToUntrusted])
      expect(await outcomeOf(`https://${NAME}/`, { proxyUrl: url, lookup })).toEqual(failure("tls_failed"));
    expect([receiver.received(), untrusted.received()]).toEqual(["", ""]);
  });

  it.each(tricks.filter((it) => it.answers === undefined))("gets no connection for $how", async ({ url }) => {
    await using proxy = await startProxy(1);
    expect(await outcomeOf(url(4_443), { allowsPrivate: false, proxyUrl: proxy.url })).toEqual(refusal);
    expect(proxy.connections()).toBe(0);
  });

  it("is left in time if it refuses, if it doesn't respond, and if the handshake behind it hangs", async () => {
    await using refusing = await serve(answers("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
    await using silent = await serve(() => undefined);
    await using hanging = await startProxy(silent.port);
    const through = (proxyUrl: string) => outcomeOf(`https://${NAME}/`, { proxyUrl, timeoutMs: 300, lookup });
    expect(await through(`http://127.0.0.1:${refusing.port}`)).toEqual(failure("connection_failed"));
    expect(await through(`http://127.0.0.1:${silent.port}`)).toEqual(failure("timeout"));
    expect(await through(hanging.url)).toEqual(failure("timeout"));
    for (const it of [refusing, silent, hanging]) await it.closed();
  });

  it("loses its connection at once if the signal aborts while the handshake behind it hangs", async () => {
    const caller = new AbortController();
    await using silent = await serve(() => caller.abort(new Error("enough")));
    await using proxy = await startProxy(silent.port);
    const sending = outcomeOf(`https://${NAME}/`, { proxyUrl: proxy.url, timeoutMs: 600_000 }, caller.signal);
    await expect(sending).rejects.toThrow("enough");
    await proxy.closed();
  });
});

describe("the setting WEBHOOK_PRIVATE_ADDRESSES", () => {
  const production = { NODE_ENV: "production", DATABASE_URL: "postgresql://a/b", CURSOR_SECRETS: "x".repeat(16) };

  it.each([
    [{}, true],
    [{ NODE_ENV: "test" }, true],
    [production, false],
    [{ ...production, WEBHOOK_PRIVATE_ADDRESSES: "on" }, true],
    [{ WEBHOOK_PRIVATE_ADDRESSES: "off" }, false],
    [{ HOST: "::1" }, true],
    [{ HOST: "localhost", DATABASE_URL: "postgresql://127.0.0.2/b" }, true],
    [{ DATABASE_URL: "postgresql:///b?host=/run/postgresql" }, true],
    [{ DATABASE_URL: "postgresql://localhost/b?host=10.0.0.1" }, false],
    [{ HOST: "0.0.0.0" }, false],
    [{ HOST: "::" }, false],
    [{ HOST: "10.0.0.1" }, false],
    [{ NODE_ENV: "test", DATABASE_URL: "postgresql://database/b" }, false],
    [{ ROLE: "worker", DATABASE_URL: "postgresql://10.0.0.1/b" }, false],
    [{ HOST: "0.0.0.0", WEBHOOK_PRIVATE_ADDRESSES: "on" }, true],
  ])("with %j, allows private addresses: %s", (environment, expected) => {
    expect(allowsPrivate(readConfig(environment))).toBe(expected);
  });

  it("is beside WEBHOOK_PROXY, whose value is in no message", () => {
    expect(() => readConfig({ WEBHOOK_PROXY: "ftp://user:secret-word@proxy/" })).toThrow("WEBHOOK_PROXY is not a URL");
    expect(() => readConfig({ WEBHOOK_PROXY: "ftp://user:secret-word@proxy/" })).not.toThrow("secret-word");
  });
});
