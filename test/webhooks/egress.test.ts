import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../../src/config.ts";
import { isPublic, isPublicOrPrivate } from "../../src/webhooks/egress/addresses.ts";
import { openEgress, type Egress, type EgressOptions } from "../../src/webhooks/egress/egress.ts";
import { allowsPrivate, checkTarget } from "../../src/webhooks/egress/target.ts";
import { createAuthority } from "../support/certificates.ts";
import { startNameServer, type NameServer } from "../support/dns-server.ts";
import { eventually } from "../support/eventually.ts";
import { sentence } from "../support/sentence.ts";
import {
  answers,
  answersForEver,
  drips,
  response,
  serve,
  startProxy,
  type Counting,
  type TlsOfServer,
} from "./egress-servers.ts";
import { tricks } from "./egress-tricks.ts";

type Open = Extract<Awaited<ReturnType<Egress["open"]>>, { readonly kind: "open" }>;

const never = new AbortController().signal;
const authority = createAuthority();
const caCertificates = [readFileSync(authority.file, "utf8")];
const NAME = "receiver.example.com";
const certificate = authority.issue(`DNS:${NAME},IP:127.0.0.1`);
/** An address that stands for a public one: the whole network 127.0.0.0/8 is this machine. */
const STAND_IN = "127.0.0.2";
const standIn = (address: string) => address === STAND_IN;
const request = { headers: { "Content-Type": "application/json", "Webhook-Id": "1" }, body: '{"é":1}' };

/** A name server for which every name leads to this machine. */
let loopback: NameServer;
beforeAll(async () => {
  loopback = await startNameServer({ answers: () => ["127.0.0.1"] });
});
afterAll(async () => loopback[Symbol.asyncDispose]());

/** Opens a connection and sends a request on it at once. */
async function send(egress: Egress, url: string, signal = never) {
  const opened = await egress.open({ url, signal });
  return opened.kind === "open" ? opened.connection.post(request) : opened;
}

const open = (options: Partial<EgressOptions> = {}) =>
  openEgress({ allowsPrivate: true, timeoutMs: 20_000, caCertificates, nameServers: [loopback.address], ...options });

/** The outcome of one request, without its time. */
async function outcomeOf(url: string, options: Partial<EgressOptions> = {}, signal = never) {
  const egress = open(options);
  const { durationMs, ...outcome } = await send(egress, url, signal);
  await egress.close();
  expect(Number.isInteger(durationMs)).toBe(true);
  return outcome;
}

/** The outcome of one request to a name with these addresses. */
async function outcomeAt(addresses: readonly string[] | null, options: Partial<EgressOptions> = {}, url = `http://${NAME}/`) {
  await using server = await startNameServer({ answers: () => addresses });
  return await outcomeOf(url, { nameServers: [server.address], ...options });
}
const yes = { kind: "response", status: 200, retryAfter: null, excerpt: "yes" };
const refusal = { kind: "failure", reason: "address_not_allowed" };
const failure = (reason: string) => ({ kind: "failure", reason });

describe("a user-supplied URL", () => {
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

  it.each(tricks)(
    "sends nothing to $how, alone or through a proxy, and can't be registered with it",
    async ({ url, answers: found }) => {
      await using names = await startNameServer({
        answers: () => (found === undefined ? ["127.0.0.1"] : (found[names.lookups.length - 1] ?? ["127.0.0.1"])),
      });
      const refused = found === undefined ? refusal : failure("name_not_found");
      expect(await outcomeOf(url(port), { allowsPrivate: false, nameServers: [names.address] })).toEqual(refused);
      expect(names.lookups.length).toBe(found === undefined ? 0 : 1);
      expect(canaries.map((it) => it.connections())).toEqual([0, 0]);
      if (found !== undefined) return;
      expect(checkTarget(url(port), { allowsPrivate: false })).toEqual({
        kind: "refused",
        reason: expect.stringMatching(/^The URL .+\.$/),
      });
      await using proxy = await startProxy(1);
      expect(await outcomeOf(url(4_443), { allowsPrivate: false, proxyUrl: proxy.url })).toEqual(refusal);
      expect(proxy.connections()).toBe(0);
    },
  );

  it("sends nothing to a name that is public first and private then, because it is resolved once", async () => {
    await using receiver = await serve(answers(response("yes")), { host: STAND_IN, port, tls: certificate });
    await using names = await startNameServer({ answers: () => [names.lookups.length > 1 ? "127.0.0.1" : STAND_IN] });
    const options = { allowsPrivate: false, nameServers: [names.address], isPublic: standIn };
    expect(await outcomeOf(`https://${NAME}:${port}/`, options)).toEqual(yes);
    expect([names.lookups.length, receiver.connections()]).toEqual([1, 1]);
    expect(canaries.map((it) => it.connections())).toEqual([0, 0]);
  });

  it.each(["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect", "200 OK"])(
    "sends nothing to the address in the headers of a response with %s",
    async (status) => {
      const target = `https://127.0.0.1:${port}/`;
      const headers = `Location: ${target}\r\nRefresh: 0; url=${target}\r\nAlt-Svc: h2="127.0.0.1:${port}"; ma=9\r\n`;
      await using receiver = await serve(answers(response("", status, headers)), { host: STAND_IN, tls: certificate });
      await using names = await startNameServer({ answers: () => [STAND_IN] });
      const egress = open({ allowsPrivate: false, isPublic: standIn, nameServers: [names.address] });
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
    let checked = 0;
    const isPublic = () => checked++ === 0;
    expect(await outcomeOf(`https://${NAME}:${elsewhere.port}/`, { allowsPrivate: false, isPublic })).toEqual(
      failure("name_not_found"),
    );
    await elsewhere.closed();
    expect([checked, elsewhere.connections(), elsewhere.received()]).toEqual([2, 1, ""]);
  });

  it("leads to the next address of a name if no server listens at the first", async () => {
    await using receiver = await serve(answers(response("yes")));
    const url = `http://${NAME}:${receiver.port}/`;
    expect(await outcomeAt(["127.0.0.3", "127.0.0.1"], {}, url)).toMatchObject({ status: 200 });
  });
});

describe("a name", () => {
  it("has the same failure if it doesn't exist, has no address, or leads to one that is not allowed", async () => {
    const options = { allowsPrivate: false };
    for (const addresses of [[], ["other.example.com"], ["10.0.0.1"], ["8.8.8.8", "127.0.0.1"]])
      expect(await outcomeAt(addresses, options, `https://${NAME}/`)).toEqual(failure("name_not_found"));
    expect(await outcomeOf("https://10.0.0.1/", options)).toEqual(refusal);
  });

  it("has a timeout if its name server doesn't answer, or there is none, and an abort ends the lookup at once", async () => {
    await using names = await startNameServer({ answers: () => null });
    const gone = await startNameServer({ answers: () => [] });
    await gone[Symbol.asyncDispose]();
    const lost = [names, gone].map((it) => outcomeOf(`http://${NAME}/`, { nameServers: [it.address] }));
    const { durationMs, ...outcome } = await send(open({ nameServers: [names.address], timeoutMs: 50 }), `http://${NAME}/`);
    expect(outcome).toEqual(failure("timeout"));
    // A lookup without an abort takes at least three times as long.
    expect(durationMs).toBeLessThan(1_500);
    expect(await Promise.all(lost)).toEqual([failure("timeout"), failure("timeout")]);
  });

  it("leads to its addresses of one family if there are none of the other", async () => {
    await using receiver = await serve(answers(response("yes")));
    await using names = await startNameServer({ answers: (_name, family) => (family === 4 ? ["127.0.0.1"] : []) });
    const url = `http://${NAME}:${receiver.port}/`;
    expect(await outcomeOf(url, { nameServers: [names.address] })).toMatchObject({ status: 200 });
  });

  it.each(["localhost", "receiver.localhost"])("is this machine without a name server if it is %s", async (host) => {
    await using receiver = await serve(answers(response("yes")));
    await using receiver6 = await serve(answers(response("yes")), { host: "::1" });
    for (const { port } of [receiver, receiver6])
      expect(await outcomeOf(`http://${host}:${port}/`, { nameServers: ["127.0.0.1:1"] })).toMatchObject({ status: 200 });
  });

  it("isn't looked up in /etc/hosts", async () => {
    await using names = await startNameServer({ answers: () => [] });
    const url = `http://${hostname()}/`;
    expect(await outcomeOf(url, { nameServers: [names.address] })).toEqual(failure("name_not_found"));
    expect(names.lookups).toEqual([new URL(url).hostname]);
  });

  it("waits for none of 1,000 names whose name servers don't answer, and neither do the other lookups of the service", async () => {
    await using names = await startNameServer({ answers: (name) => (name.startsWith("silent") ? null : []) });
    const egress = open({ nameServers: [names.address] });
    const medianMs = async (work: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let count = 0; count < 21; count++) {
        const startedMs = performance.now();
        await work();
        times.push(performance.now() - startedMs);
      }
      return times.sort((a, b) => a - b)[10]!;
    };
    const ofReceiver = () => send(egress, `http://${NAME}/`);
    const ofService = () => lookup("localhost");
    const alone = [await medianMs(ofReceiver), await medianMs(ofService)] as const;
    const caller = new AbortController();
    const hanging = Array.from({ length: 1_000 }, (_, index) => send(egress, `http://silent${index}.test/`, caller.signal));
    // Of so many datagrams at once, some are lost: their names hang, too.
    await eventually("names that hang", () => names.lookups.filter((it) => it.startsWith("silent")).length >= 100);
    const beside = [await medianMs(ofReceiver), await medianMs(ofService)] as const;
    caller.abort(new Error("enough"));
    expect((await Promise.allSettled(hanging)).filter((it) => it.status === "rejected").length).toBe(1_000);
    await egress.close();
    // A thread that hangs would make it thousands of times.
    expect(beside[0] / alone[0]).toBeLessThan(20);
    expect(beside[1] / alone[1]).toBeLessThan(20);
  });
});

describe("the rules for URLs", () => {
  it.each([
    ...["https://good.example.com/", "https://good.example.com./", "https://good.example.com:8443/a?b=c"],
    ...["https://münchen.example.com/ä", "https://8.8.8.8/", "https://[2606:4700::1111]/"],
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
      expect(await outcomeOf(url)).toEqual(refusal);
      expect(await outcomeAt([new URL(url).hostname.replaceAll(/[[\]]/g, "")])).toEqual(failure("name_not_found"));
    },
  );

  const PUBLIC = "8.8.8.8 1.1.1.1 172.32.0.1 100.128.0.1 2606:4700::1111 2a00:1450:4001:80b::200e";
  const PRIVATE = "127.0.0.1 ::1 10.0.0.1 ::ffff:10.0.0.1 192.168.1.1 fd12::1 fd12::a9fe:a9fe 2600::5efe:a00:1";
  const NO_ADDRESS = ["", "8.8.8.8 ", ..."localhost 127.1 1 0x7f.1 2606:4700::1111%lo [::1] 8.8.8.8/0".split(" ")];
  it.each([
    ...PUBLIC.split(" ").map((it) => [it, true, true] as const),
    ...PRIVATE.split(" ").map((it) => [it, false, true] as const),
    ...NO_ADDRESS.map((it) => [it, false, false] as const),
  ])("know of %j whether it is public: %s, and allow it where private addresses are allowed: %s", (address, ...expected) => {
    expect([isPublic(address), isPublicOrPrivate(address)]).toEqual(expected);
  });

  it.each([
    ["Amazon", "169.254.169.254"],
    ["Amazon, IPv6", "fd00:ec2::254"],
    ["Amazon, for pods", "169.254.170.23"],
    ["Amazon, for pods, IPv6", "fd00:ec2::23"],
    ["Google, IPv6", "fd20:ce::254"],
    ["Azure", "168.63.129.16"],
    ["Alibaba", "100.100.100.200"],
    ["Oracle", "192.0.0.192"],
    ["Oracle, IPv6", "fd00:c1::a9fe:a9fe"],
    ["Scaleway, IPv6", "fd00:42::42"],
    ["OpenStack, IPv6", "fe80::a9fe:a9fe"],
    ["an IPv4-mapped address", "::ffff:169.254.169.254"],
    ["an IPv4-mapped address of Azure", "::ffff:a83f:8110"],
    ["an IPv4-compatible address", "::169.254.169.254"],
    ["an IPv4-translated address", "::ffff:0:169.254.169.254"],
    ["ISATAP", "2600::5efe:a9fe:a9fe"],
    ["ISATAP with the bit for a unique address", "2600::200:5efe:a9fe:a9fe"],
    ["ISATAP in a private network", "fd12:3456::5efe:6464:64c8"],
    ["NAT64", "64:ff9b::169.254.169.254"],
    ["local NAT64", "64:ff9b:1::169.254.169.254"],
    ["6to4", "2002:a9fe:a9fe::"],
    ["Teredo", "2001:0:a9fe:a9fe::1"],
    ["this network", "0.0.0.0"],
    ["this network, another address", "0.0.0.1"],
    ["the unspecified address", "::"],
    ["this network as an IPv4-compatible address", "::2"],
    ["multicast", "224.0.0.1"],
    ["multicast as an IPv4-mapped address", "::ffff:224.0.0.1"],
    ["multicast, IPv6", "ff02::1"],
    ["broadcast", "255.255.255.255"],
  ])("never allow %s", (_what, address) => {
    expect([isPublic(address), isPublicOrPrivate(address)]).toEqual([false, false]);
  });
});

describe("a request", () => {
  it("has the method, the path, the headers and the body, and the name of the URL", async () => {
    await using receiver = await serve(answers(response("thanks")));
    expect(await outcomeOf(`http://${NAME}:${receiver.port}/a%20b?c=d`)).toMatchObject({ status: 200 });
    const [head, body] = receiver.received().split("\r\n\r\n");
    expect(head).toMatch(/^POST \/a%20b\?c=d HTTP\/1\.1\r\n/);
    expect(head).toContain(`host: ${NAME}:${receiver.port}\r\n`);
    expect(head).toMatch(/Webhook-Id: 1\r\n/);
    expect(head).toMatch(/content-length: 8/);
    expect(Buffer.from(body!, "latin1").toString()).toBe('{"é":1}');
  });

  it("does not decompress a body", async () => {
    await using receiver = await serve(answers(response("not gzip", "200 OK", "Content-Encoding: gzip\r\n")));
    expect(await outcomeOf(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ excerpt: "not gzip" });
  });

  it("rejects if a header can't be sent, because that is no failure of the receiver", async () => {
    await using receiver = await serve(answers(response("")));
    const egress = open();
    const opened = await egress.open({ url: `http://127.0.0.1:${receiver.port}/`, signal: never });
    const posting = (opened as Open).connection.post({ headers: { "X-A": "a\r\nb: c" }, body: "" });
    await expect(posting).rejects.toThrow("invalid X-A header");
    expect(receiver.received()).toBe("");
    await egress.close();
  });
});

describe("a connection", () => {
  type Case = readonly [what: string, tls: typeof certificate | undefined, proxied: boolean];
  const cases: readonly Case[] = [
    ["http", undefined, false],
    ["https", certificate, false],
    ["https through a proxy", certificate, true],
  ];
  const urlOf = (port: number, tls: unknown) => `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/`;

  it.each(cases)(
    "with %s is open before anything of the request is made, and is for one request",
    async (_what, tls, proxied) => {
      await using receiver = await serve(answers(response("yes")), tls && { tls });
      await using proxy = await startProxy(receiver.port);
      const egress = open(proxied ? { proxyUrl: proxy.url } : {});
      const { connection } = (await egress.open({ url: urlOf(receiver.port, tls), signal: never })) as Open;
      await eventually("a connection", () => receiver.connections() === 1);
      expect(receiver.received()).toBe("");
      expect(await connection.post(request)).toMatchObject(yes);
      await receiver.closed();
      expect(receiver.received()).toMatch(/^POST /);
      await egress.close();
      expect(receiver.connections()).toBe(1);
    },
  );

  it.each(cases)("with %s closes when it is disposed of, or when the signal aborts", async (_what, tls, proxied) => {
    await using receiver = await serve(() => undefined, tls && { tls });
    await using proxy = await startProxy(receiver.port);
    const egress = open(proxied ? { proxyUrl: proxy.url } : {});
    const caller = new AbortController();
    const target = { url: urlOf(receiver.port, tls), signal: caller.signal };
    const [unused, aborted, posting] = (await Promise.all([1, 2, 3].map(() => egress.open(target)))) as [Open, Open, Open];
    const sent = posting.connection.post(request).catch((error: unknown) => error);
    unused.connection[Symbol.dispose]();
    unused.connection[Symbol.dispose]();
    await eventually("a request", () => receiver.received() !== "");
    caller.abort(new Error("enough"));
    expect(await sent).toEqual(new Error("enough"));
    await expect(aborted.connection.post(request)).rejects.toThrow("enough");
    await expect(egress.open(target)).rejects.toThrow("enough");
    await (proxied ? proxy : receiver).closed();
    await egress.close();
  });

  it("is not opened after close, which waits until the others are disposed of", async () => {
    await using receiver = await serve(() => undefined);
    const egress = open();
    const target = { url: urlOf(receiver.port, undefined), signal: never };
    const { connection } = (await egress.open(target)) as Open;
    let isClosed = false;
    const closing = egress.close().then(() => (isClosed = true));
    await expect(egress.open(target)).rejects.toThrow("after close");
    expect(isClosed).toBe(false);
    connection[Symbol.dispose]();
    await closing;
  });

  it("has a limit of time for opening it and for the request together, and not for what happens between", async () => {
    const timeoutMs = 1_000;
    await using silent = await serve(() => undefined);
    await using names = await startNameServer({ answers: () => delay(800, ["127.0.0.1"]) });
    const egress = open({ timeoutMs, nameServers: [names.address] });
    const opened = await egress.open({ url: `http://${NAME}:${silent.port}/`, signal: never });
    await delay(1.2 * timeoutMs);
    const { durationMs, ...outcome } = await (opened as Open).connection.post(request);
    expect(outcome).toEqual(failure("timeout"));
    expect(durationMs).toBeGreaterThanOrEqual(timeoutMs - 1);
    expect(durationMs).toBeLessThan(timeoutMs + 800);
    await egress.close();
  });

  it(`has 10 seconds by default. ${sentence("**Answer with 2xx within 10 seconds,**")}`, async () => {
    await using silent = await serve(() => undefined);
    const egress = openEgress({ allowsPrivate: true });
    const opened = await egress.open({ url: `http://127.0.0.1:${silent.port}/`, signal: never });
    const timers = jest.spyOn(globalThis, "setTimeout");
    const ended = (opened as Open).connection.post(request);
    const [[end, leftMs = 0] = []] = timers.mock.calls;
    timers.mockRestore();
    // What it took to connect counts, too.
    expect(leftMs).toBeLessThanOrEqual(10_000);
    expect(leftMs).toBeGreaterThan(8_000);
    end!();
    expect(await ended).toMatchObject(failure("timeout"));
    await egress.close();
  });

  it("ends as one to no HTTP server if the receiver speaks first", async () => {
    await using mail = await serve(() => undefined, { greeting: "220 mail.example.com ESMTP\r\n" });
    const egress = open();
    const { connection } = (await egress.open({ url: urlOf(mail.port, undefined), signal: never })) as Open;
    await eventually("a greeting", () => mail.connections() === 1);
    await setImmediate();
    expect(await connection.post(request)).toMatchObject(failure("not_http"));
  });

  it("fails if the receiver closes it before the request", async () => {
    await using closing = await serve(() => undefined, { greeting: null });
    const egress = open();
    const { connection } = (await egress.open({ url: urlOf(closing.port, undefined), signal: never })) as Open;
    await closing.closed();
    expect(await connection.post(request)).toMatchObject(failure("connection_failed"));
  });
});

/** Counts what this process reads on the sockets of undici until it is disposed of. */
function countReadBytes() {
  const sockets: Socket[] = [];
  const onConnected = (message: unknown) => void sockets.push((message as { readonly socket: Socket }).socket);
  subscribe("undici:client:connected", onConnected);
  return {
    read: () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    [Symbol.dispose]: () => void unsubscribe("undici:client:connected", onConnected),
  };
}

describe("a hostile receiver", () => {
  const OK = "HTTP/1.1 200 OK\r\n";
  const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
  const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
  const ok = { kind: "response", status: 200, retryAfter: null };
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
    ["sends chunks that are garbage", answers(`${CHUNKED}zz\r\nzz`), ok],
    ["sends endless extensions of a chunk", answersForEver(`${CHUNKED}1;a=`, "a".repeat(9_000)), ok],
    ["sends endless empty lines", answersForEver("", "\r\n".repeat(9_000)), failure("response_too_large")],
    ["sends endless empty lines after a 100", answersForEver(CONTINUE, "\r\n".repeat(9_000)), failure("not_http")],
    ["sends endless small chunks", answersForEver(CHUNKED, "1\r\na\r\n".repeat(1_000)), { ...ok, excerpt: "a".repeat(1_024) }],
    ["sends endless zeros in the size of a chunk", answersForEver(CHUNKED, "0".repeat(9_000)), ok],
    ["sends endless trailers", answersForEver(`${CHUNKED}0\r\n`, "a: b\r\n".repeat(1_000)), ok],
    ["sends a huge header", answers(`${OK}a: ${"a".repeat(20_000)}\r\n\r\n`), failure("response_too_large")],
    ["sends endless headers", answersForEver(OK, "a: b\r\n".repeat(1_000)), failure("response_too_large")],
    ["sends a header without end", answersForEver(`${OK}a: `, "a".repeat(9_000)), failure("response_too_large")],
    ["sends endless 103", answersForEver("", "HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n".repeat(100)), failure("not_http")],
    ["sends endless 100", answersForEver("", CONTINUE.repeat(100)), failure("not_http")],
    ["switches protocols", answers("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"), failure("not_http")],
    ["has the status 600", answers(response("a", "600 X")), failure("not_http")],
    ["has the status 999", answers(response("a", "999 Request denied")), failure("not_http")],
    ["has the status 042", answers(response("a", "042 X")), failure("not_http")],
    ["has the status 1000", answers(response("a", "1000 X")), failure("not_http")],
    ["has two lengths", answers(`${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`), failure("not_http")],
    ["sends a second response", answers(Buffer.concat([response("a"), response("b")])), { ...ok, excerpt: "a" }],
  ];

  it.each(rows)("ends the attempt and its connection in time if it %s", async (what, answer, expected) => {
    await using receiver = await serve(answer);
    using counter = countReadBytes();
    // Only these end by the timeout, and on a busy machine the others can take longer than a short one.
    const timeoutMs = /^drips|^never responds/.test(what) ? 500 : 20_000;
    const egress = openEgress({ allowsPrivate: true, timeoutMs });
    const { durationMs, ...outcome } = await send(egress, `http://127.0.0.1:${receiver.port}/`);
    expect(outcome).toMatchObject(expected);
    expect(durationMs).toBeLessThan(10_000);
    // What the system buffers for a connection counts as sent, so the bound is generous.
    expect(await receiver.closed()).toBeLessThan(16 * 2 ** 20);
    expect(counter.read()).toBeLessThan(2 ** 20);
    expect(receiver.connections()).toBe(1);
  });

  it("ends the attempt in time if its handshake hangs", async () => {
    await using silent = await serve(() => undefined);
    expect(await outcomeOf(`https://127.0.0.1:${silent.port}/`, { timeoutMs: 50 })).toEqual(failure("timeout"));
    await silent.closed();
  });

  it("fails with a reason if no server listens", async () => {
    const gone = await serve(() => undefined);
    await gone[Symbol.asyncDispose]();
    expect(await outcomeOf(`http://127.0.0.1:${gone.port}/`)).toEqual(failure("connection_failed"));
  });
});

describe("TLS", () => {
  const withTls = (tls: TlsOfServer) => serve(answers(response("yes")), { tls });

  it("is for the name of the URL, with or without a dot at its end, and for its address", async () => {
    await using receiver = await withTls(certificate);
    for (const host of [NAME, `${NAME}.`, "127.0.0.1"]) expect(await outcomeOf(`https://${host}:${receiver.port}/`)).toEqual(yes);
  });

  it("fails with a certificate for another name, without a request", async () => {
    await using receiver = await withTls(authority.issue("DNS:other.example.com"));
    for (const host of [NAME, "127.0.0.1"])
      expect(await outcomeOf(`https://${host}:${receiver.port}/`)).toEqual(failure("tls_failed"));
    expect(receiver.received()).toBe("");
  });

  it("fails with a certificate of an untrusted authority, and with a server without TLS", async () => {
    await using receiver = await withTls(createAuthority().issue(`DNS:${NAME}`));
    await using plain = await serve(answers("HTTP/1.1 400 Bad Request\r\n\r\n"));
    for (const { port } of [receiver, plain]) expect(await outcomeOf(`https://${NAME}:${port}/`)).toEqual(failure("tls_failed"));
    expect(receiver.received()).toBe("");
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("fails with a server that wants a certificate, with %s", async (version) => {
    const tls = { ...certificate, requestCert: true, minVersion: version, maxVersion: version };
    await using receiver = await withTls(tls);
    expect(await outcomeOf(`https://${NAME}:${receiver.port}/`)).toEqual(failure("tls_failed"));
    expect(receiver.received()).toBe("");
  });
});

describe("a forward proxy", () => {
  /** The proxy resolves the names, so there is no name server. */
  const nameServers = ["127.0.0.1:1"];
  const http = { allowsPrivate: true, nameServers };

  it("gets the name, opens a tunnel, and can't read it", async () => {
    await using receiver = await serve(answers(response("yes")), { tls: certificate });
    await using proxy = await startProxy(receiver.port);
    expect(await outcomeOf(`https://${NAME}/hook`, { allowsPrivate: false, proxyUrl: proxy.url, nameServers })).toEqual(yes);
    expect(proxy.received()).toMatch(/^CONNECT receiver\.example\.com:443 /);
    expect(proxy.received()).toContain(Buffer.from("someone:a-password").toString("base64"));
    expect(proxy.received()).not.toContain("POST");
    expect(receiver.received()).toMatch(/^POST \/hook /);
    expect(receiver.received()).not.toContain("roxy-");
  });

  it("gets the whole URL of a receiver without TLS, and its password", async () => {
    await using proxy = await serve(answers(response("yes")));
    const proxyUrl = `http://some%20one:a-password@localhost:${proxy.port}`;
    expect(await outcomeOf(`http://${NAME}:8080/hook?a=b`, { ...http, proxyUrl })).toEqual(yes);
    expect(proxy.received()).toMatch(
      /^POST http:\/\/receiver\.example\.com:8080\/hook\?a=b HTTP\/1\.1\r\nhost: receiver\.example\.com:8080\r\n/,
    );
    expect(proxy.received()).toContain(`Proxy-Authorization: Basic ${btoa("some one:a-password")}\r\n`);
  });

  it.each(["http", "https"])("can have TLS itself, in front of a receiver with %s", async (scheme) => {
    const tls = authority.issue("DNS:localhost");
    await using receiver = await serve(answers(response("yes")), { tls: certificate });
    await using tunnel = await startProxy(receiver.port, tls);
    await using forwarding = await serve(answers(response("yes")), { tls });
    const { port } = scheme === "https" ? tunnel : forwarding;
    const through = (host: string) => outcomeOf(`${scheme}://${NAME}/`, { ...http, proxyUrl: `https://${host}:${port}` });
    expect(await through("localhost")).toEqual(yes);
    expect(await through("127.0.0.1")).toEqual(failure("tls_failed"));
  });

  it.each(["http", "https"])("that wants another password is no response of a receiver with %s", async (scheme) => {
    const refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
    await using proxy = await serve(answers(refusal));
    const options = { ...http, proxyUrl: `http://127.0.0.1:${proxy.port}` };
    expect(await outcomeOf(`${scheme}://${NAME}/`, options)).toEqual(failure("connection_failed"));
    await proxy.closed();
  });

  it("doesn't weaken the certificate that a receiver must have", async () => {
    await using receiver = await serve(answers(response("yes")), { tls: authority.issue("DNS:other.example.com") });
    await using proxy = await startProxy(receiver.port);
    await using untrusted = await serve(answers(response("yes")), { tls: createAuthority().issue(`DNS:${NAME}`) });
    await using proxyToUntrusted = await startProxy(untrusted.port);
    for (const { url } of [proxy, proxyToUntrusted])
      expect(await outcomeOf(`https://${NAME}/`, { proxyUrl: url, nameServers })).toEqual(failure("tls_failed"));
    expect([receiver.received(), untrusted.received()]).toEqual(["", ""]);
  });

  it("is left in time if it refuses, if it doesn't respond, and if the handshake behind it hangs", async () => {
    await using refusing = await serve(answers("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
    await using silent = await serve(() => undefined);
    await using hanging = await startProxy(silent.port);
    const through = (proxyUrl: string) => outcomeOf(`https://${NAME}/`, { proxyUrl, timeoutMs: 300, nameServers });
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

  it("is beside WEBHOOK_DNS_SERVERS, which has IP addresses", () => {
    const read = (text: string) => readConfig({ WEBHOOK_DNS_SERVERS: text }).WEBHOOK_DNS_SERVERS;
    expect(readConfig({}).WEBHOOK_DNS_SERVERS).toBeUndefined();
    expect(read("192.0.2.1, 192.0.2.1:5353 [2001:db8::1]:53,2001:db8::1")).toEqual([
      "192.0.2.1",
      "192.0.2.1:5353",
      "[2001:db8::1]:53",
      "2001:db8::1",
    ]);
    for (const text of [",", "dns.example.com", "192.0.2.1:", "192.0.2.1:65536", "192.0.2", "192.0.2.1/24", "https://192.0.2.1"])
      expect(() => read(text)).toThrow("The setting WEBHOOK_DNS_SERVERS is a list of IP addresses of name servers");
  });

  it("is beside WEBHOOK_PROXY, whose value is in no message", () => {
    expect(() => readConfig({ WEBHOOK_PROXY: "ftp://user:secret-word@proxy/" })).toThrow("WEBHOOK_PROXY is not a URL");
    expect(() => readConfig({ WEBHOOK_PROXY: "ftp://user:secret-word@proxy/" })).not.toThrow("secret-word");
  });
});
