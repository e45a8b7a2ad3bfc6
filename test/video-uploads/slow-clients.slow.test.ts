import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Client } from "../support/client.ts";
import { findOperation } from "../support/contract.ts";
import { eventually } from "../support/eventually.ts";
import { startForSlowClients } from "../support/slow-clients.ts";
import { answersIn, type WireAnswer } from "../support/socket.ts";
import { storeResult } from "../support/stored-result.ts";
import { storedFiles } from "../support/videos.ts";
import { witness } from "../support/witness.ts";

const MIB = 1024 * 1024;
const PATH = "/video-uploads";

/** Parses the single response on a connection and checks it against the contract, as the test client does. */
function asDeclared(method: string, path: string, received: string): WireAnswer {
  const [answer, ...more] = answersIn(received);
  expect(more).toEqual([]);
  const { status, headers, text } = answer!;
  witness(findOperation(method, path)!, {
    status,
    headers: new Headers([...headers].filter(([name]) => name !== "")),
    text,
    head: false,
  });
  return answer!;
}

const get = (client: Client, path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${client.authorization}\r\n\r\n`;
const begunUpload = (client: Client, method = "POST", path = PATH, headers = "Content-Type: application/octet-stream\r\n") =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${client.authorization}\r\n${headers}Content-Length: ${100 * MIB}\r\n\r\nx`;

/** Reads until the connection has closed, with or without an error. */
const closed = (socket: Socket) => new Promise((resolve) => void socket.once("close", resolve).resume());

/** Sends a byte every 100 ms until the connection closes. */
function trickle(socket: Socket): void {
  const drops = setInterval(() => void socket.write("x"), 100);
  socket.on("close", () => clearInterval(drops));
}

// The first two run at once, because each waits for the same long time-out.
it.concurrent("clients that stop reading take no permit from other operations, and lose theirs after a timeout", async () => {
  await using service = await startForSlowClients({ MAX_IN_FLIGHT: "4", IDLE_TIMEOUT_SECONDS: "8" });
  const ada = await service.as();
  const video = `${PATH}/${await storeResult(service, ada, createFileStore(join(service.dataDir, "objects")), randomBytes(32 * MIB))}/renditions/480p`;
  const stalled = [service.sendUnread(get(ada, video)), service.sendUnread(get(ada, video))];
  await eventually("every permit for downloads taken", async () => {
    if ((await ada("HEAD", video)).status === 503) return true;
    // The HEAD request may have held a permit when a download arrived, which was then refused. So send another download.
    stalled.push(service.sendUnread(get(ada, video)));
    return false;
  });
  for (let more = 0; more < 4; more++) service.sendUnread(get(ada, video));
  const refused = await ada("GET", video, undefined, { headers: { Range: "bytes=0-9" } });
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await ada("GET", "/urls")).toMatchObject({ status: 200 });
  await eventually(
    "a free permit for a download",
    async () => (await ada("GET", video, undefined, { headers: { Range: "bytes=0-9" } })).status === 206,
    60_000,
  );
  expect(await ada("GET", video)).toMatchObject({ status: 200 });
  const served = stalled.map(async (socket) => {
    await closed(socket);
    return socket.bytesRead;
  });
  // The service closed the stalled connections before the end of the file.
  expect((await Promise.all(served)).filter((it) => it > 32 * MIB)).toEqual([]);
});

it("an upload that trickles returns 408, and keeps its bytes only if it is resumable", async () => {
  await using service = await startForSlowClients({ IDLE_TIMEOUT_SECONDS: "1" });
  const ada = await service.as();
  const socket = service.sendUnread(begunUpload(ada));
  trickle(socket);
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  await closed(socket);
  expect(asDeclared("POST", PATH, answer)).toMatchObject({ status: 408, body: { code: "request_timeout" } });
  await eventually("no stored file", async () => (await storedFiles(service)).length === 0);
  // The time limit also applies to a resumable upload, but the service stores the bytes received.
  const location = (await ada("POST", PATH, undefined, { headers: { "Upload-Complete": "?0" } })).headers.get("location")!;
  const part = service.sendUnread(
    begunUpload(
      ada,
      "PATCH",
      location,
      "Content-Type: application/partial-upload\r\nUpload-Offset: 0\r\nUpload-Complete: ?0\r\n",
    ),
  );
  trickle(part);
  let received = "";
  part.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  await closed(part);
  const timedOut = asDeclared("PATCH", location, received);
  const offset = timedOut.headers.get("upload-offset");
  expect(Number(offset)).toBeGreaterThan(1);
  expect(timedOut).toMatchObject({
    status: 408,
    body: { detail: expect.stringContaining(`The upload has ${offset} bytes. Resume from there.`) },
  });
  const again = await ada("PATCH", location, Buffer.alloc(1), {
    headers: { "Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?0" },
  });
  expect([again.status, again.headers.get("upload-offset")]).toEqual([409, offset]);
});

it("a slow upload succeeds if it makes enough progress", async () => {
  await using service = await startForSlowClients({ IDLE_TIMEOUT_SECONDS: "2" });
  const ada = await service.as();
  const chunks = Array.from({ length: 12 }, () => randomBytes(100_000));
  let sent = 0;
  const slowly = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = chunks[sent++];
      if (chunk === undefined) return controller.close();
      await new Promise((done) => setTimeout(done, 300));
      controller.enqueue(chunk);
    },
  });
  expect(await ada("POST", PATH, slowly)).toMatchObject({ status: 202, body: { size_bytes: 1_200_000 } });
});

it("one upload too many of a user returns 429 with Retry-After, and other users can still upload", async () => {
  await using service = await startForSlowClients({ MAX_UPLOADS_IN_FLIGHT: "4", MAX_UPLOADS_PER_USER: "2" });
  const [ada, eve] = [await service.as(), await service.as()];
  const hers = [0, 1].map(() => service.sendUnread(begunUpload(eve)));
  await eventually("two uploads in progress", async () => (await storedFiles(service)).length === 2);
  const location = (await ada("POST", PATH, undefined, { headers: { "Upload-Complete": "?0" } })).headers.get("location")!;
  const part = { headers: { "Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?0" } };
  for (const refused of [
    await eve("POST", PATH, Buffer.from("one too many")),
    await eve("PATCH", location, Buffer.from("a part"), part),
  ]) {
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect(await ada("POST", PATH, Buffer.from("somebody else's"))).toMatchObject({ status: 202 });
  expect(await eve("GET", PATH)).toMatchObject({ status: 200 });
  hers[0]!.destroy();
  await eventually("a free permit", async () => (await eve("POST", PATH, Buffer.from("a permit is free"))).status === 202);
});
