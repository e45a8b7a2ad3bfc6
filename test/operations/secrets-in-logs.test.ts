import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { administer } from "../support/database.ts";
import { openConversation, type Conversation } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { linesIn, outcomeOf, run, temporaryDataDir, type Running } from "../support/processes.ts";
import { linkWith } from "../support/playback.ts";
import { freePorts, startTcpProxy } from "../support/tcp-proxy.ts";
import { s3rver } from "../support/s3-server.ts";
import { exchange } from "../support/socket.ts";
import { createIssuer } from "../support/tokens.ts";

/** A text that appears nowhere else. */
const planted = () => `canary${randomBytes(12).toString("hex")}`;

/** What must not be in any line, by what it is: each text is planted when it is used first. */
const secrets: Record<string, string> = { "S3 secret": "S3RVER" };
const of = (name: string) => (secrets[name] ??= planted());

const ROLE = `role_${randomBytes(8).toString("hex")}`;

const SERVER = process.env["TEST_SERVER_URL"]!;
// It is dropped after its database.
prepare(async () => {
  await administer(SERVER, `CREATE ROLE ${ROLE} SUPERUSER LOGIN PASSWORD '${of("database password")}'`);
  return { [Symbol.asyncDispose]: () => administer(SERVER, `DROP ROLE ${ROLE}`) };
});
const deployment = prepare(createDeployment);
const proxy = prepare(() => startTcpProxy(deployment.databaseUrl));
const store = prepare(async () => {
  const server = await s3rver.start();
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
});
const storeProxy = prepare(() => startTcpProxy(store.endpoint));
const issuer = prepare(createIssuer);
let service: Running;
let url: string;
let credentials: readonly string[];
let conversation: Conversation;
/** To a file that doesn't exist, expired, changed, and with a wrong path. */
let links: readonly string[];

beforeAll(async () => {
  const databaseUrl = Object.assign(new URL(proxy.url), { username: ROLE, password: of("database password") });
  service = await deployment.start("all", {
    ...issuer.settings,
    DATABASE_URL: databaseUrl.href,
    DATABASE_POOL_TIMEOUT_SECONDS: "1",
    CURSOR_SECRETS: of("secret for cursors"),
    OBJECT_STORE: `s3://${store.bucket}`,
    S3_ENDPOINT: storeProxy.url,
    S3_ACCESS_KEY_ID: of("S3 secret"),
    S3_SECRET_ACCESS_KEY: of("S3 secret"),
    RATE_LIMITS: "failed_authentication=100000/60",
    // No server listens there, so every attempt at an endpoint fails.
    WEBHOOK_PROXY: `http://proxy:${of("password of a webhook proxy")}@127.0.0.1:1024`,
    // The most detailed level.
    LOG_LEVEL: "debug",
  });
  ({ url } = await service.ready());
  const ada = await deployment.as();
  conversation = await openConversation(ada, [ada]);
  const jwt = await issuer.sign();
  const linkUntil = (ms: number) => {
    const permission = { ownerId: ada.userId, expiresAt: new Date(ms) };
    return linkWith({ jobId: randomUUID(), file: "480p.mp4" }, permission, of("secret for cursors"));
  };
  const [valid, expired] = [linkUntil(Date.now() + 3_600_000), linkUntil(0)];
  links = [valid, expired, `${valid}x`, valid.replace("480p.mp4", "a/b")];
  Object.assign(secrets, {
    "token of a link": valid.split("token=")[1]!,
    "token of an expired link": expired.split("token=")[1]!,
    // The secret itself can contain an underscore.
    "API key": ada.authorization!.split("_").slice(2).join("_"),
    "signature of a JWT": jwt.split(".")[2]!,
    "claims of a JWT": jwt.split(".")[1]!,
  });
  const tokens = [jwt, `${jwt.slice(0, -8)}AAAAAAAA`, of("wrong token")];
  credentials = [ada.authorization!, ...tokens.map((it) => `Bearer ${it}`), of("wrong token")];
});
/** Sends every kind of request with every credential. Returns the statuses. */
async function askEverything(): Promise<number[]> {
  const statuses: number[] = [];
  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    for (const authorization of credentials) {
      const response = await fetch(url + path, {
        method,
        redirect: "manual",
        headers: {
          authorization,
          "content-type": typeof body === "string" ? "application/octet-stream" : "application/json",
          "idempotency-key": of("idempotency key"),
          cookie: `session=${of("cookie")}`,
          traceparent: of("invalid traceparent"),
          "x-forwarded-for": of("cookie"),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
  };
  const message = { body: of("body of a message") };
  await ask("GET", `/posts?access_token=${of("token in a query")}`);
  for (const link of links) await ask("GET", link);
  await ask("GET", `/posts?after=${of("value of a cursor")}`);
  await ask("GET", "/posts");
  await ask("GET", "/account");
  await ask("POST", "/posts", { title: of("title of a post"), body: "x" });
  await ask("POST", "/posts", { title: of("title of a post"), unknown: 1 });
  await ask("POST", "/posts", `{"${of("title of a post")}`, { "content-type": "application/json" });
  await ask("POST", conversation.messages, message);
  await ask("POST", "/conversations", { title: of("title of a post"), member_ids: [] });
  await ask("POST", `/video-uploads?name=${of("name of an upload")}`, of("bytes of an upload"));
  await ask("POST", "/urls", { target_url: `https://example.com/${of("target of a short URL")}`, id: of("id of a short URL") });
  await ask("POST", "/webhook-endpoints", {
    url: `http://127.0.0.1:1024/${of("path of a receiver")}`,
    description: of("description of an endpoint"),
    events: ["message.created"],
  });
  for (const path of ["/u/", "//U//", "/urls/"])
    for (const method of ["GET", "PUT"]) await ask(method, path + of("id of a short URL"));
  await ask("GET", `/nowhere?${of("token in a query")}#${of("fragment")}`);
  for (const target of [`http://user:${of("password in a target")}@x/nowhere`, `/nowhere#${of("fragment")}`]) {
    const { answers } = await exchange(url, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`, { expected: 1 });
    statuses.push(answers[0]!.status);
  }
  return statuses;
}

/** The secrets that are somewhere in the output. */
const found = (output: string) =>
  Object.entries(secrets)
    .filter(([, value]) => output.includes(value))
    .map(([name]) => name);
const printed = () => service.stdout() + service.stderr();

describe("nothing that is secret is in the log, at its most detailed level", () => {
  it("when requests succeed and when they are refused", async () => {
    const statuses = await askEverything();
    expect(statuses).toEqual(expect.arrayContaining([200, 201, 202, 302, 400, 401, 403, 404, 405, 409]));
    const lines = () => linesIn(service.stdout()).filter((it) => it.msg === "request").length;
    await eventually("a line for each request", () => lines() >= statuses.length);
    expect(found(printed())).toEqual([]);
  }, 60_000);

  it("when the object store is away", async () => {
    await storeProxy.cut();
    const statuses = await askEverything();
    expect(statuses).toContain(503);
    expect(found(printed())).toEqual([]);
    await storeProxy.mend();
  }, 60_000);

  it("when the database is away", async () => {
    await proxy.cut();
    const statuses = await askEverything();
    expect(statuses.filter((it) => it === 503).length).toBeGreaterThan(10);
    await proxy.mend();
    const failures = () => linesIn(service.stdout()).filter((it) => (it["level"] as number) >= 40 && it["err"] !== undefined);
    await eventually("a line for each failure", () => failures().length > 10);
    expect(found(printed())).toEqual([]);
  }, 60_000);

  it("when the service can't start", async () => {
    await using dataDir = await temporaryDataDir();
    const nowhere = `127.0.0.1:${(await freePorts(1))[0]}`;
    const settings = { DATA_DIR: dataDir.path, LOG_LEVEL: "debug", CURSOR_SECRETS: of("secret for cursors") };
    for (const wrong of [
      { CURSOR_SECRETS: `${of("secret for cursors")},short` },
      { DATABASE_URL: `postgresql://ada:${of("database password")}@${nowhere}/x` },
      {
        ...{ DATABASE_URL: deployment.databaseUrl, OBJECT_STORE: "s3://bucket", S3_ENDPOINT: `http://${nowhere}` },
        ...{ S3_ACCESS_KEY_ID: "access", S3_SECRET_ACCESS_KEY: of("S3 secret of a store that is away") },
      },
    ]) {
      const { exit, stdout, stderr } = await outcomeOf(run({ ...settings, ...wrong }));
      expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(/CURSOR_SECRETS|cannot be used/) });
      expect(found(stdout + stderr)).toEqual([]);
    }
  }, 60_000);
});
