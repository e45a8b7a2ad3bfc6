import { randomBytes, randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Answer, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service.ts";
import { startForSlowClients } from "../support/slow-clients.ts";
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

/** Waits until a request is refused, because others have every permit. */
async function expectRefusal(ask: () => Promise<Answer>, status: number, code: string): Promise<void> {
  const refused = await eventually("every permit taken", async () => {
    const answer = await ask();
    return answer.status === status && answer;
  });
  expect(refused.body).toMatchObject({ code });
  expect(refused.headers.get("retry-after")).toBe("1");
}

it("documents use no permit of the API, have a limit of their own, and release the permits of clients that stop reading", async () => {
  await using service = await startForSlowClients({
    MAX_IN_FLIGHT: "1",
    MAX_DOCUMENTS_IN_FLIGHT: "3",
    IDLE_TIMEOUT_SECONDS: "2",
  });
  const ada = await service.as();
  for (let reader = 0; reader < 3; reader++) service.sendUnread(manyScripts);
  const read = () => service.anonymous()("GET", "/docs");
  await expectRefusal(read, 503, "unavailable");
  expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
  await eventually("a free document permit", async () => (await read()).status === 200);
});

it("an address has a limited number of permits for requests without credentials, and its users have their own", async () => {
  await using service = await startForSlowClients({ MAX_IN_FLIGHT_PER_ADDRESS: "2", IDLE_TIMEOUT_SECONDS: "2" });
  const ada = await service.as();
  for (let reader = 0; reader < 2; reader++) service.sendUnread(manyScripts);
  const follow = () => service.anonymous()("GET", "/u/nothing-here");
  await expectRefusal(follow, 503, "unavailable");
  expect(await service.anonymous()("GET", "/docs")).toMatchObject({ status: 503 });
  expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
  expect(await service.anonymous()("GET", "/health")).toMatchObject({ status: 200 });
  await eventually("a free permit", async () => (await follow()).status === 404);
});

it("a user has a limited number of permits; one more request returns 429, and other users keep theirs", async () => {
  await using service = await startForSlowClients({ MAX_IN_FLIGHT_PER_USER: "3" });
  const [ada, eve] = [await service.as(), await service.as()];
  const waits = (path: string, type: string) =>
    service.sendUnread(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${eve.authorization}\r\nContent-Type: ${type}\r\nContent-Length: 9\r\n\r\n`,
    );
  const first = waits("/posts", "application/json");
  waits("/urls", "application/json");
  waits("/video-uploads", "application/octet-stream");
  await expectRefusal(() => eve("GET", "/account"), 429, "rate_limited");
  expect(await ada("GET", "/account")).toMatchObject({ status: 200 });
  first.destroy();
  await eventually("a free permit of the user", async () => (await eve("GET", "/account")).status === 200);
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
