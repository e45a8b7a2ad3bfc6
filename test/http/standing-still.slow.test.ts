import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
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
  it("are processed one after the other, in order, and use one permit together", async () => {
    await using service = await startForSlowClients({ MAX_IN_FLIGHT: "1" });
    const ada = await service.as();
    const paths = ["/posts?limit=1", "/account", "/notifications", "/nothing", "/health", "/urls", "/conversations", "/account"];
    const { answers, isClosed } = await exchange(service.url, paths.map((path) => get(path, ada.authorization)).join(""), {
      expected: paths.length,
    });
    expect(answers.map((it) => it.status)).toEqual([200, 200, 200, 404, 200, 200, 200, 200]);
    expect(answers[1]!.body.user_id).toBe(ada.userId);
    expect(isClosed).toBe(false);
  });

  it("get at most 17 responses, and the last one has Connection: close", async () => {
    await using service = await startForSlowClients();
    const { answers, isClosed } = await exchange(service.url, get("/u/nothing-here").repeat(100));
    expect(answers.map((it) => [it.status, it.headers.get("connection")])).toEqual([
      ...Array.from({ length: 16 }, () => [404, "keep-alive"]),
      [404, "close"],
    ]);
    expect(isClosed).toBe(true);
  });

  it("are processed only if they get a response", async () => {
    await using service = await startForSlowClients();
    const ada = await service.as();
    const body = '{"title":"One","body":"Two"}';
    const post = `POST /posts HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { answers } = await exchange(service.url, post.repeat(60));
    expect(answers.map((it) => it.status)).toEqual(Array.from({ length: 17 }, () => 201));
    expect(await service.db.post.count()).toBe(17);
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
  it("releases the permit of a document", async () => {
    await using service = await startForSlowClients({ MAX_DOCUMENTS_IN_FLIGHT: "1", IDLE_TIMEOUT_SECONDS: "1" });
    const anybody = service.anonymous();
    await expectPermitReleased(
      service.sendUnread(manyScripts),
      async () => (await anybody("GET", "/openapi.yaml")).status === 200,
    );
  });

  it("releases the permit of a list", async () => {
    await using service = await startForSlowClients({ MAX_IN_FLIGHT: "1", IDLE_TIMEOUT_SECONDS: "1" });
    const ada = await service.as();
    const message = await longList(service, ada);
    await expectPermitReleased(service.sendUnread(message), async () => (await ada("GET", "/urls")).status === 200);
  });

  it("releases the permit of a video", async () => {
    await using service = await startForSlowClients({ MAX_IN_FLIGHT: "2", IDLE_TIMEOUT_SECONDS: "1" });
    const ada = await service.as();
    const message = await video(service, ada);
    const path = message.split(" ")[1]!;
    const part = { headers: { Range: "bytes=0-9" } };
    await expectPermitReleased(service.sendUnread(message), async () => (await ada("GET", path, undefined, part)).status === 206);
  });

  it("stays connected if it reads 64 KiB within each timeout", async () => {
    await using service = await startForSlowClients({ IDLE_TIMEOUT_SECONDS: "2" });
    const ada = await service.as();
    const socket = service.sendUnread((await video(service, ada)).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    expect(await readSlowly(socket, 256 * 1024, 50)).toBeGreaterThan(24 * MIB);
  });
});

/** Expects that a slow reader takes a permit at first, and that the permit is free again after a while although it keeps reading. */
async function expectPermitReleased(reader: Socket, isFree: () => Promise<boolean>): Promise<void> {
  void readSlowly(reader, 2_048, 100);
  await eventually("a taken permit", async () => !(await isFree()));
  await eventually("the permit free again", isFree);
  expect(reader.destroyed).toBe(false);
}

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
