import { randomBytes, randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import type { TestService } from "../support/service.ts";
import { startForSlowClients } from "../support/slow-clients.ts";
import { exchange } from "../support/socket.ts";
import { storeResult } from "../support/stored-result.ts";

const MIB = 1024 * 1024;
const SCRIPT = "/docs/redoc.standalone.js";
const get = (path: string, authorization?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization === undefined ? "" : `Authorization: ${authorization}\r\n`}\r\n`;

/** More than the buffers of any connection can hold. */
const manyScripts = get(SCRIPT).repeat(16);

/** Reads from a paused stream, at most `bytes` at a time, until it ends. Returns the number of bytes read. */
async function readSlowly(socket: Socket, bytes: number, everyMs: number): Promise<number> {
  let read = 0;
  const timer = setInterval(() => {
    const chunk = socket.read(Math.min(bytes, Math.max(1, socket.readableLength))) as Buffer | null;
    read += chunk?.length ?? 0;
  }, everyMs);
  await new Promise((done) => socket.once("close", done));
  clearInterval(timer);
  return read;
}

describe("pipelined requests on one connection", () => {
  const service = prepare(() => startForSlowClients({ MAX_IN_FLIGHT: "1" }));

  it("are processed one after the other, in order, and use one permit together", async () => {
    const ada = await service.as();
    const paths = ["/posts?limit=1", "/account", "/notifications", "/nothing", "/health", "/urls", "/conversations", "/account"];
    const messages = paths.map((path) => get(path, ada.authorization)).join("");
    const { answers, isClosed } = await exchange(service.url, messages, { expected: paths.length });
    expect(answers.map((it) => it.status)).toEqual([200, 200, 200, 404, 200, 200, 200, 200]);
    expect(answers[1]!.body.user_id).toBe(ada.userId);
    expect(isClosed).toBe(false);
  });
});

describe("documents", () => {
  it("use no permit of the API, have a limit of their own, and release the permits of clients that stop reading", async () => {
    await using service = await startForSlowClients({
      MAX_IN_FLIGHT: "1",
      MAX_DOCUMENTS_IN_FLIGHT: "3",
      IDLE_TIMEOUT_SECONDS: "2",
    });
    const ada = await service.as();
    for (let reader = 0; reader < 3; reader++) service.sendUnread(manyScripts);
    const refused = await eventually("every document permit taken", async () => {
      const answer = await service.anonymous()("GET", "/docs");
      return answer.status === 503 && answer;
    });
    expect(refused.body).toMatchObject({ code: "unavailable" });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    await eventually("a free document permit", async () => (await service.anonymous()("GET", "/docs")).status === 200);
  });
});

describe("an address", () => {
  it("has a limited number of permits for requests without credentials, and its users have their own", async () => {
    await using service = await startForSlowClients({ MAX_IN_FLIGHT_PER_ADDRESS: "2", IDLE_TIMEOUT_SECONDS: "2" });
    const ada = await service.as();
    for (let reader = 0; reader < 2; reader++) service.sendUnread(manyScripts);
    const refused = await eventually("every permit of the address taken", async () => {
      const answer = await service.anonymous()("GET", "/u/nothing-here");
      return answer.status === 503 && answer;
    });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await service.anonymous()("GET", "/docs")).toMatchObject({ status: 503 });
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    expect(await service.anonymous()("GET", "/health")).toMatchObject({ status: 200 });
    await eventually("a free permit", async () => (await service.anonymous()("GET", "/u/nothing-here")).status === 404);
  });
});

describe("a user", () => {
  it("has a limited number of permits; one more request returns 429, and other users keep theirs", async () => {
    await using service = await startForSlowClients({ MAX_IN_FLIGHT_PER_USER: "3" });
    const [ada, eve] = [await service.as(), await service.as()];
    const waits = (path: string, type: string, { authorization }: Client) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: ${type}\r\nContent-Length: 9\r\n\r\n`;
    const hers = [
      service.sendUnread(waits("/posts", "application/json", eve)),
      service.sendUnread(waits("/urls", "application/json", eve)),
      service.sendUnread(waits("/video-uploads", "application/octet-stream", eve)),
    ];
    const refused = await eventually("every permit of the user taken", async () => {
      const answer = await eve("GET", "/account");
      return answer.status === 429 && answer;
    });
    expect(refused.body).toMatchObject({ code: "rate_limited" });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
    hers[0]!.destroy();
    await eventually("a free permit of the user", async () => (await eve("GET", "/account")).status === 200);
  });
});

describe("a client that reads very slowly", () => {
  type Slow = readonly [message: string, ask: () => Promise<{ readonly status: number }>, status: number];
  const slow: readonly [string, Record<string, string>, (service: TestService, ada: Client) => Promise<Slow>][] = [
    [
      "a document",
      { MAX_DOCUMENTS_IN_FLIGHT: "1" },
      async (service) => [manyScripts, () => service.anonymous()("GET", "/openapi.yaml"), 200],
    ],
    ["a list", { MAX_IN_FLIGHT: "1" }, async (service, ada) => [await longList(service, ada), () => ada("GET", "/urls"), 200]],
    [
      "a video",
      { MAX_IN_FLIGHT: "2" },
      async (service, ada) => {
        const message = await video(service, ada);
        return [message, () => ada("GET", message.split(" ")[1]!, undefined, { headers: { Range: "bytes=0-9" } }), 206];
      },
    ],
  ];
  it.each(slow)("releases the permit of %s", async (_what, limits, prepared) => {
    await using service = await startForSlowClients({ ...limits, IDLE_TIMEOUT_SECONDS: "1" });
    const [message, ask, status] = await prepared(service, await service.as());
    const isFree = async () => (await ask()).status === status;
    const reader = service.sendUnread(message);
    // Before that, the request below could have the permit.
    await once(reader, "readable");
    void readSlowly(reader, 2_048, 100);
    await eventually("a taken permit", async () => !(await isFree()));
    // It is free again after a while, although the client keeps reading.
    await eventually("the permit free again", isFree);
    expect(reader.destroyed).toBe(false);
  });
});

async function longList(service: TestService, ada: Client): Promise<string> {
  await service.db.post.createMany({
    data: Array.from({ length: 100 }, () => ({
      id: randomUUIDv7(),
      authorId: ada.userId,
      title: "Long",
      body: "🪵".repeat(10_000),
    })),
  });
  return get(`/posts?limit=100&author=${ada.userId}`, ada.authorization).repeat(16);
}

async function video(service: TestService, ada: Client): Promise<string> {
  const id = await storeResult(service, ada, createFileStore(join(service.dataDir, "objects")), randomBytes(24 * MIB));
  return get(`/video-uploads/${id}/renditions/480p`, ada.authorization);
}
