/** What an upload may take: bytes, memory, time and permits. */
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { findOperation } from "../support/contract.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { residentBytes } from "../support/processes.ts";
import { rawRequest, zeros, type RawAnswer } from "../support/raw-http.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { startForSlowClients } from "../support/slow-clients.ts";
import { answersIn, type WireAnswer } from "../support/socket.ts";
import { append, queuedJobs, storedFiles, streamOf } from "../support/videos.ts";
import { witness } from "../support/witness.ts";
import { beginUpload } from "./support/resumable.ts";

const MIB = 1024 * 1024;
const LARGE_BYTES = sized(128 * MIB, 1_024 * MIB);
const PATH = "/video-uploads";
const OCTETS = { "Content-Type": "application/octet-stream" };

describe("POST /video-uploads of more than MAX_UPLOAD_BYTES", () => {
  const service = prepare(() => startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: String(MIB) }));
  const ada = prepare(() => service.as());
  type Sending = Partial<Parameters<typeof rawRequest>[2]>;
  const post = (headers: Record<string, string>, more: Sending = {}, client = ada) =>
    rawRequest(client, service.url, { method: "POST", path: PATH, headers: { ...OCTETS, ...headers }, ...more });
  const CHUNKED = { "Transfer-Encoding": "chunked" };

  /** Checks that the response is a refusal, and that nothing is stored. */
  async function refused(answer: RawAnswer): Promise<void> {
    expect(answer).toMatchObject({ status: 413 });
    expect(JSON.parse(answer.text)).toMatchObject({ code: "content_too_large" });
    expect(answer.headers.get("connection")).toBe("close");
    await eventually("no stored file", async () => (await storedFiles(service)).length === 0);
    expect(await service.db.videoUpload.count()).toBe(0);
    expect(await queuedJobs(service)).toEqual([]);
  }

  it("returns 413 for a Content-Length that is too large, before it receives any byte of the body, and without sending 100", async () => {
    const headers = { "Content-Length": String(MIB + 1) };
    await refused(await post(headers));
    const answer = await post({ ...headers, Expect: "100-continue" }, { body: zeros(MIB + 1), untilAsked: true });
    expect(answer).toMatchObject({ wasAsked: false, bytesSent: 0 });
    await refused(answer);
  });

  it("refuses a wrong credential, scope, media type, digest or key without sending 100 and reading the body", async () => {
    const poor = await service.as({ scopes: ["video_uploads:read"] });
    const anonymous = service.anonymous();
    const head = { "Content-Length": "1000", Expect: "100-continue" };
    for (const [client, headers, status] of [
      [anonymous, head, 401],
      [poor, head, 403],
      [ada, { ...head, "Content-Type": "image/jpeg" }, 415],
      [ada, { ...head, "Content-Digest": "md5=:x:" }, 400],
      [ada, { ...head, "Idempotency-Key": "short" }, 400],
    ] as const) {
      const answer = await post(headers, { body: zeros(1_000), untilAsked: true }, client);
      expect(answer).toMatchObject({ status, wasAsked: false, bytesSent: 0 });
    }
  });

  it("returns 413 for 200 MiB in chunks before it has received 50 MiB, in each of several requests", async () => {
    for (let time = 0; time < sized(4, 20); time++) {
      const answer = await post(CHUNKED, { body: zeros(200 * MIB) });
      if (time === 0) process.stderr.write(`413 to chunks over 1 MiB after ${(answer.bytesSent / MIB).toFixed(1)} MiB\n`);
      expect(answer.bytesSent).toBeLessThan(50 * MIB);
      await refused(answer);
    }
  });

  it("accepts exactly MAX_UPLOAD_BYTES, after 100 Continue or in chunks, and not one byte more", async () => {
    const exactly = { "Content-Length": String(MIB), Expect: "100-continue" };
    const waiting = await post(exactly, { body: zeros(MIB), untilAsked: true });
    expect(waiting).toMatchObject({ status: 202, wasAsked: true, bytesSent: MIB });
    expect(await ada("POST", PATH, streamOf(...zeros(MIB)))).toMatchObject({ status: 202, body: { size_bytes: MIB } });
    expect(await post(CHUNKED, { body: zeros(MIB + 1) })).toMatchObject({ status: 413 });
    expect(await service.db.videoUpload.count()).toBe(2);
  });
});

it("POST /video-uploads of a large video increases the memory of the process by less than 64 MiB", async () => {
  // In a separate process, so that the memory of the test does not count.
  await using deployment = await createDeployment();
  const service = await deployment.start("api");
  const ada = await deployment.as();
  const { url } = await service.ready();
  const headers = { ...OCTETS, "Transfer-Encoding": "chunked" };
  const send = (bytes: number) => rawRequest(ada, url, { method: "POST", path: PATH, headers, body: zeros(bytes) });
  // A small upload first, so that the code for uploads is loaded before the measurement.
  await send(MIB);
  const before = await residentBytes(service.pid);
  let highest = before;
  const sample = async () => (highest = Math.max(highest, await residentBytes(service.pid)));
  const sampling = setInterval(() => void sample().catch(() => undefined), 25);
  const answer = await send(LARGE_BYTES);
  clearInterval(sampling);
  const hash = createHash("sha256");
  for (const it of zeros(LARGE_BYTES)) hash.update(it);
  expect(answer).toMatchObject({ status: 202 });
  expect(JSON.parse(answer.text)).toMatchObject({ size_bytes: LARGE_BYTES, sha256: hash.digest("hex") });
  process.stderr.write(
    `${LARGE_BYTES / MIB} MiB in chunks: ${(before / MIB).toFixed(0)} MiB before, ${(highest / MIB).toFixed(0)} MiB at most\n`,
  );
  expect(highest - before).toBeLessThan(64 * MIB);
});

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

function begunUpload({ authorization }: Client, method = "POST", path = PATH, headers = ""): string {
  const type = method === "POST" ? "application/octet-stream" : "application/partial-upload";
  const fields = `Content-Type: ${type}\r\n${headers}Content-Length: ${100 * MIB}`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${fields}\r\n\r\nx`;
}

/** Reads until the connection has closed, with or without an error. */
const closed = (socket: Socket) => new Promise((resolve) => void socket.once("close", resolve).resume());

it("an upload that trickles returns 408, and keeps its bytes only if it is resumable", async () => {
  await using service = await startForSlowClients({ IDLE_TIMEOUT_SECONDS: "1" });
  const ada = await service.as();
  /** Sends a byte every 100 ms until the connection closes, and returns the response. */
  async function trickle(method: string, path: string, headers = ""): Promise<WireAnswer> {
    const socket = service.sendUnread(begunUpload(ada, method, path, headers));
    const drops = setInterval(() => void socket.write("x"), 100);
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => (received += text));
    await closed(socket);
    clearInterval(drops);
    return asDeclared(method, path, received);
  }
  expect(await trickle("POST", PATH)).toMatchObject({ status: 408, body: { code: "request_timeout" } });
  await eventually("no stored file", async () => (await storedFiles(service)).length === 0);
  const tooSlow = await trickle("POST", PATH, "Upload-Complete: ?1\r\n");
  const kept = await ada("HEAD", tooSlow.headers.get("location")!);
  expect([tooSlow.status, tooSlow.headers.get("upload-offset")]).toEqual([408, kept.headers.get("upload-offset")]);
  expect(kept.headers.get("upload-length")).toBe(String(100 * MIB));
  // The time limit also applies to a resumable upload, but the service stores the bytes received.
  const location = await beginUpload(ada);
  const timedOut = await trickle("PATCH", location, "Upload-Offset: 0\r\nUpload-Complete: ?0\r\n");
  const offset = timedOut.headers.get("upload-offset");
  expect(Number(offset)).toBeGreaterThan(1);
  const detail = expect.stringContaining(`The upload has ${offset} bytes. Resume from there.`);
  expect(timedOut).toMatchObject({ status: 408, body: { detail } });
  const again = await append(ada, location, 0, false, Buffer.alloc(1));
  expect([again.status, again.headers.get("upload-offset")]).toEqual([409, offset]);
});

it("one upload too many of a user returns 429 with Retry-After, of all users 503, and others are accepted when one has ended", async () => {
  await using service = await startForSlowClients({ MAX_UPLOADS_IN_FLIGHT: "3", MAX_UPLOADS_PER_USER: "2" });
  const [ada, eve] = [await service.as(), await service.as()];
  const hers = [0, 1].map(() => service.sendUnread(begunUpload(eve)));
  const isIncoming = (file: string) => file.includes("/incoming/");
  await eventually("two uploads in progress", async () => (await storedFiles(service)).filter(isIncoming).length === 2);
  const location = await beginUpload(ada);
  for (const refused of [
    await eve("POST", PATH, Buffer.from("one too many")),
    await append(eve, location, 0, false, Buffer.from("a part")),
  ]) {
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect(await ada("POST", PATH, Buffer.from("somebody else's"))).toMatchObject({ status: 202 });
  expect(await eve("GET", PATH)).toMatchObject({ status: 200 });
  service.sendUnread(begunUpload(ada));
  await eventually("three uploads in progress", async () => (await storedFiles(service)).filter(isIncoming).length === 3);
  const full = await ada("POST", PATH, Buffer.from("one too many of all"));
  expect(full).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(Number(full.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  hers[0]!.destroy();
  await eventually("a free permit", async () => (await eve("POST", PATH, Buffer.from("a permit is free"))).status === 202);
});
