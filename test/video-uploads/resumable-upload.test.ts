import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Upload } from "tus-js-client";
import { beginAttempt } from "../../src/video-uploads/store.ts";
import type { Answer } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { rawRequest, zeros } from "../support/raw-http.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { answersIn, exchange } from "../support/socket.ts";
import { forwardBoth, startTcpProxy } from "../support/tcp-proxy.ts";
import { append as appendTo, finished, sha256Of, smallClip, storedFiles, streamOf, uploadPath } from "../support/videos.ts";
import { chunkOf, headOf, openRequest, statusesIn, type OpenRequest } from "./support/open-request.ts";
import { idIn, storedBytesBut } from "./support/resumable.ts";
import { watchRequests } from "./support/seen-requests.ts";

const MIB = 1024 * 1024;
const MAX_BYTES = 16 * MIB;
const service = prepare(() => startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: String(MAX_BYTES) }));
const ada = prepare(() => service.as());

const PARTIAL = { "Content-Type": "application/partial-upload" };
const LAST_PART = { ...PARTIAL, "Upload-Complete": "?1" };

const post = (headers: Record<string, string> = {}, bytes?: Uint8Array, name = "clip.mp4", client = ada) =>
  client("POST", `/video-uploads?name=${name}`, bytes, { headers: { "Upload-Complete": "?0", ...headers } });
/** Begins an upload and returns its `Location`. */
async function begin(headers: Record<string, string> = {}, bytes: Uint8Array = new Uint8Array(0), client = ada): Promise<string> {
  const begun = await post(headers, bytes, undefined, client);
  expect(begun).toMatchObject({ status: 204, text: "" });
  expect(begun.headers.get("upload-offset")).toBe(String(bytes.length));
  return begun.headers.get("location")!;
}
const append = (location: string, offset: number, isLast: boolean, bytes: Uint8Array | ReadableStream, client = ada) =>
  appendTo(client, location, offset, isLast, bytes);
const patch = (location: string, offset: number, body: unknown, headers: Record<string, string>) =>
  ada("PATCH", location, body, { headers: { ...PARTIAL, "Upload-Offset": String(offset), ...headers } });
const open = (method: string, path: string, headers: Record<string, string>, body: Uint8Array, version?: string) =>
  openRequest(ada, service.url, [method, path, headers], body, version);
const MISMATCH = { status: 409, body: { code: "upload_offset_mismatch" } };
const KEY_REUSED = { status: 422, body: { code: "idempotency_key_reused" } };
/** The response to the last bytes of an upload. */
const whole = (...parts: readonly Uint8Array[]) => {
  const bytes = Buffer.concat(parts);
  return { status: 202, body: { size_bytes: bytes.length, sha256: sha256Of(bytes) } };
};
const headersOf = ({ headers }: Answer, ...names: string[]) => names.map((it) => headers.get(it));
/** Offset, completeness and length in a response. */
const stateIn = (answer: Answer) => headersOf(answer, "upload-offset", "upload-complete", "upload-length").join(" ");
/** The same by HEAD. */
async function stateOf(location: string): Promise<string> {
  const head = await ada("HEAD", location);
  expect(head.status).toBe(204);
  return stateIn(head);
}
/** Does something while a trigger runs a statement. */
async function withTrigger<T>(event: string, statement: string, work: () => Promise<T>): Promise<T> {
  const run = (sql: string) => service.db.$executeRawUnsafe(sql);
  await run(`CREATE FUNCTION acts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement} END $$`);
  await run(`CREATE TRIGGER acts BEFORE ${event} EXECUTE FUNCTION acts()`);
  return work().finally(() => run("DROP FUNCTION acts CASCADE"));
}
const offsetOf = async (location: string) => Number((await stateOf(location)).split(" ")[0]);
const digestOf = (bytes: Uint8Array, algorithm: "sha-256" | "sha-512" = "sha-256") =>
  `${algorithm}=:${hash(algorithm.replace("-", ""), bytes, "base64")}:`;

describe("a resumable upload", () => {
  /** Sends the beginning of a longer body, and breaks the connection after the service has stored it. */
  async function sendAndBreak(method: string, path: string, headers: Record<string, string>, bytes: Buffer): Promise<void> {
    const before = new Set(await storedFiles(service));
    const chunk = Buffer.concat(chunkOf(bytes));
    const sent = open(method, path, { "Transfer-Encoding": "chunked", ...headers }, chunk);
    // Bytes that the service has not read yet are lost with the connection.
    await eventually("the bytes in the store", async () => (await storedBytesBut(service, before)) >= bytes.length);
    sent.socket.destroy();
  }

  /** The number of bytes that count, without a request for the offset. Infinity for a complete upload. */
  async function recordedIn(location: string): Promise<number> {
    const row = await service.db.partialUpload.findUnique({ where: { id: idIn(location) } });
    return Number(row?.offsetBytes ?? Infinity);
  }

  /** Requests the offset after `least` bytes are recorded. */
  async function offsetAt(location: string, least: number) {
    await eventually(`${least} bytes or more on record`, async () => (await recordedIn(location)) >= least);
    const head = await ada("HEAD", location);
    expect(head.status).toBe(204);
    return { offset: Number(head.headers.get("upload-offset")), complete: head.headers.get("upload-complete") };
  }

  const OFFSET = sentence(
    "Returns the number of bytes stored in `Upload-Offset`, and in `Upload-Length` the size of the whole upload, if it is known.",
  );
  it(`${sentence("With `?0` you get 204.")} ${OFFSET} Connections break at 30, 60 and 90 %, and no byte is lost`, async () => {
    const clip = await smallClip();
    const location = await begin({ "Upload-Length": String(clip.length) });
    let sent = 0;
    for (const share of [0.3, 0.6, 0.9]) {
      const until = Math.floor(clip.length * share);
      await sendAndBreak("PATCH", location, { ...LAST_PART, "Upload-Offset": String(sent) }, clip.subarray(sent, until));
      ({ offset: sent } = await offsetAt(location, until));
      expect(sent).toBe(until);
    }
    const last = await append(location, sent, true, clip.subarray(sent));
    expect(last).toMatchObject({ status: 202, body: { sha256: sha256Of(clip), size_bytes: clip.length, name: "clip.mp4" } });
    // Only here: no other test needs a worker, which would process the clips of all of them.
    await using _worker = await startWorkerOf(service);
    expect(await finished(ada, last.body)).toMatchObject({ status: "succeeded" });
    expect(await offsetAt(location, clip.length)).toEqual({ offset: clip.length, complete: "?1" });
  });

  it("returns 202 for a complete POST like a plain upload, and stores the bytes once, as one object", async () => {
    const clip = await smallClip();
    const before = new Set(await storedFiles(service));
    const answer = await ada("POST", "/video-uploads", clip, { headers: { "Upload-Complete": "?1" } });
    expect(answer).toMatchObject(whole(clip));
    expect(answer.headers.get("location")).toBe(uploadPath(answer.body));
    const uploaded = (await storedFiles(service)).filter((it) => !before.has(it));
    expect(uploaded).toEqual([expect.stringContaining(answer.body.id)]);
    expect((await stat(join(service.dataDir, uploaded[0]!))).size).toBe(clip.length);
  });

  /** Sends a PATCH whose first bytes have arrived. `go` sends the others. */
  async function sending(location: string, offset: number, [first, second]: readonly [Buffer, Buffer]) {
    const before = new Set(await storedFiles(service));
    const { promise: goOn, resolve: go } = Promise.withResolvers<void>();
    async function* body() {
      yield first;
      await goOn;
      yield second;
    }
    const answer = append(location, offset, false, ReadableStream.from(body())).catch(() => null);
    await eventually("the first bytes in the store", async () => (await storedBytesBut(service, before)) >= first.length);
    return { answer, go };
  }
  /**
   * Sends a PATCH that gets the offset after its first bytes, then sends more, and then breaks. Returns the offset that it got.
   */
  async function askAndBreak(location: string, offset: number, parts: readonly Buffer[]): Promise<number[]> {
    const before = new Set(await storedFiles(service));
    const asked: number[] = [];
    const part = { ...PARTIAL, "Upload-Offset": String(offset), "Upload-Complete": "?0", "Transfer-Encoding": "chunked" };
    const { socket } = open("PATCH", location, part, new Uint8Array(0));
    let sent = 0;
    for (const bytes of parts) {
      if (sent > 0) asked.push((await offsetBy("HEAD", location))[1] as number);
      socket.write(Buffer.concat(chunkOf(bytes)));
      sent += bytes.length;
      await eventually("the bytes in the store", async () => (await storedBytesBut(service, before)) >= sent);
    }
    socket.destroy();
    return asked;
  }

  const offsetBy = async (method: "GET" | "HEAD", location: string) => {
    const { status, headers } = await ada(method, location);
    return [status, Number(headers.get("upload-offset")), headers.get("upload-complete")];
  };

  const DOES_NOT = sentence("Getting the offset doesn't interrupt a request that is still sending to the same upload.");
  it(`${DOES_NOT} The service never discards bytes that it has confirmed, whatever offset a client has read before`, async () => {
    const location = await begin();
    await append(location, 0, false, randomBytes(1_000));
    const slow = await sending(location, 1_000, [randomBytes(10_000), randomBytes(10_000)]);
    for (const method of ["HEAD", "GET", "HEAD"] as const) expect(await offsetBy(method, location)).toEqual([204, 11_000, "?0"]);
    slow.go();
    expect(await slow.answer).toMatchObject({ status: 204 });
    const refused = await append(location, 11_000, false, randomBytes(10));
    expect(refused).toMatchObject(MISMATCH);
    expect(stateIn(refused)).toBe("21000 ?0 ");
  });

  it("continues at the offset that HEAD returned, without later bytes of the request that it replaces", async () => {
    const location = await begin();
    const stale = await sending(location, 0, [Buffer.alloc(10_000, "a"), Buffer.alloc(10_000, "b")]);
    expect(await offsetBy("HEAD", location)).toEqual([204, 10_000, "?0"]);
    const rest = Buffer.alloc(500, "c");
    expect(await append(location, 10_000, true, rest)).toMatchObject(whole(Buffer.alloc(10_000, "a"), rest));
    stale.go();
    expect((await stale.answer)?.status).not.toBe(204);
  });

  const LATER = sentence("If you get the offset again later, it includes the bytes that have arrived since.");
  it(`${LATER} Only the one that a client got last can replace bytes, also with the last bytes`, async () => {
    const location = await begin({ "Upload-Length": "100000" });
    const bytes = randomBytes(100_000);
    const part = (from: number, to: number) => bytes.subarray(from, to);
    const noise = randomBytes(5_000);
    await append(location, 0, false, part(0, 5_000));
    expect(await askAndBreak(location, 5_000, [part(5_000, 10_000), part(10_000, 20_000), noise])).toEqual([10_000, 20_000]);
    await eventually("the end of the broken request", async () => (await recordedIn(location)) === 25_000);
    expect(await append(location, 20_000, false, part(20_000, 30_000))).toMatchObject({ status: 204 });
    expect(await askAndBreak(location, 30_000, [part(30_000, 40_000), noise])).toEqual([40_000]);
    await eventually("the end of the broken request", async () => (await recordedIn(location)) === 45_000);
    expect(await append(location, 40_000, true, part(40_000, 100_000))).toMatchObject(whole(bytes));
    expect((await storedFiles(service)).filter((it) => it.includes(`${idIn(location)}/pieces`))).toEqual([]);
    // The same if no byte follows.
    const second = await begin();
    expect(await askAndBreak(second, 0, [part(0, 10_000), noise])).toEqual([10_000]);
    await eventually("the end of the broken request", async () => (await recordedIn(second)) === 15_000);
    expect(await append(second, 10_000, true, new Uint8Array(0))).toMatchObject(whole(part(0, 10_000)));
    const third = await begin();
    expect(await askAndBreak(third, 0, [part(0, 10_000), part(10_000, 20_000), noise])).toEqual([10_000, 20_000]);
    await eventually("the end of the broken request", async () => (await recordedIn(third)) === 25_000);
    expect(await append(third, 10_000, false, randomBytes(10))).toMatchObject(MISMATCH);
  });

  const TAKES_OVER = "If another request is still sending to the same upload, this request takes over and the other one ends.";
  it(`${sentence(TAKES_OVER)} Its bytes are kept`, async () => {
    const location = await begin();
    const bytes = randomBytes(20_000);
    const stale = await sending(location, 0, [bytes.subarray(0, 10_000), Buffer.alloc(1)]);
    // This client has not requested the offset, and sends a wrong one.
    const refused = await append(location, 1, false, randomBytes(10));
    expect(refused).toMatchObject(MISMATCH);
    expect(refused.headers.get("upload-offset")).toBe("10000");
    stale.go();
    await stale.answer;
    expect(await append(location, 10_000, true, bytes.subarray(10_000))).toMatchObject(whole(bytes));
  });

  const OTHERWISE = "Otherwise nothing is stored, and you get 409 `upload_offset_mismatch` with the correct `Upload-Offset`.";
  it(sentence(OTHERWISE), async () => {
    const location = await begin();
    await append(location, 0, false, randomBytes(1000));
    for (const offset of [0, 999, 1001]) {
      const refused = await append(location, offset, false, randomBytes(10));
      expect(refused).toMatchObject(MISMATCH);
      expect(refused.headers.get("upload-offset")).toBe("1000");
    }
    expect(await offsetAt(location, 1000)).toEqual({ offset: 1000, complete: "?0" });
  });

  it("accepts at most one of two concurrent appends, and never mixes their bytes", async () => {
    for (let round = 0; round < 5; round++) {
      const location = await begin();
      const [a, b] = [randomBytes(300_000), randomBytes(300_000)];
      const answers = await Promise.all(
        [append(location, 0, false, a), append(location, 0, false, b)].map((it) => it.catch(() => null)),
      );
      expect(answers.filter((it) => it?.status === 204).length).toBeLessThanOrEqual(1);
      const { offset } = await offsetAt(location, 0);
      expect(offset).toBeLessThanOrEqual(300_000);
      const rest = randomBytes(10);
      const last = await append(location, offset, true, rest);
      expect(last).toMatchObject({ status: 202, body: { size_bytes: offset + 10 } });
      expect([a, b].map((it) => sha256Of(Buffer.concat([it.subarray(0, offset), rest])))).toContain(last.body.sha256);
    }
  });

  it("accepts only bytes that match Content-Digest and Repr-Digest, and keeps its earlier bytes otherwise", async () => {
    const location = await begin();
    const [first, second] = [randomBytes(1_000), randomBytes(500)];
    const all = Buffer.concat([first, second]);
    const send = (offset: number, complete: string, bytes: Buffer, digests: Record<string, string>) =>
      patch(location, offset, bytes, { "Upload-Complete": complete, ...digests });
    const wrong = { status: 422, body: { code: "digest_mismatch" } };
    for (const algorithm of ["sha-256", "sha-512"] as const) {
      expect(await send(0, "?0", first, { "Content-Digest": digestOf(second, algorithm) })).toMatchObject(wrong);
      expect(await stateOf(location)).toBe("0 ?0 ");
    }
    expect(await send(0, "?0", first, { "Content-Digest": digestOf(first, "sha-512") })).toMatchObject({ status: 204 });
    for (const algorithm of ["sha-256", "sha-512"] as const) {
      expect(await send(1_000, "?1", second, { "Repr-Digest": digestOf(second, algorithm) })).toMatchObject(wrong);
      expect(await stateOf(location)).toBe("1000 ?0 1500");
    }
    expect((await storedFiles(service)).filter((it) => it.includes(idIn(location)))).toHaveLength(1);
    const unsupported = { "Repr-Digest": digestOf(all), "Content-Digest": "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:" };
    for (const [header, value] of Object.entries(unsupported)) {
      const errors = [{ in: "header", pointer: `/${header.toLowerCase()}` }];
      const refused = { status: 400, body: { code: "validation_failed", errors } };
      expect(await send(1_000, "?0", second, { [header]: value })).toMatchObject(refused);
    }
    const right = { "Content-Digest": digestOf(second), "Repr-Digest": digestOf(all, "sha-512") };
    expect(await send(1_000, "?1", second, right)).toMatchObject(whole(all));
  });

  it("returns 422 for a single request that does not match its Content-Digest or Repr-Digest", async () => {
    const [clip, other] = [await smallClip(), randomBytes(10)];
    const send = (headers: Record<string, string>) => ada("POST", "/video-uploads", clip, { headers });
    for (const complete of [{}, { "Upload-Complete": "?1" }])
      for (const header of ["Content-Digest", "Repr-Digest"]) {
        const refused = await send({ ...complete, [header]: digestOf(other, "sha-512") });
        expect(refused).toMatchObject({ status: 422, body: { code: "digest_mismatch" } });
        expect(await send({ ...complete, [header]: digestOf(clip, "sha-512") })).toMatchObject({ status: 202 });
      }
  });

  it("stores nothing of a body with a Content-Digest that breaks off, because it can't be checked", async () => {
    const location = await begin();
    const bytes = randomBytes(1_000);
    const headers = { ...PARTIAL, "Upload-Offset": "0", "Upload-Complete": "?0", "Content-Digest": digestOf(bytes) };
    await sendAndBreak("PATCH", location, headers, bytes.subarray(0, 900));
    expect(await append(location, 0, false, bytes)).toMatchObject({ status: 204 });
    expect(await offsetAt(location, 1_000)).toEqual({ offset: 1_000, complete: "?0" });
  });

  it(sentence("With `?0`, you get 204 with the same `Location` and the current `Upload-Offset`."), async () => {
    const clip = await smallClip();
    const headers = { "Idempotency-Key": `begin-${randomBytes(8).toString("hex")}`, "Upload-Length": String(clip.length) };
    const location = await begin(headers);
    await append(location, 0, false, clip.subarray(0, 100));
    const again = await post(headers);
    expect([again.status, ...headersOf(again, "location", "upload-offset", "idempotency-replayed")]).toEqual([
      ...[204, location, "100", "true"],
    ]);
    await append(location, 100, true, clip.subarray(100));
    const after = await post(headers);
    expect([after.status, ...headersOf(after, "location", "upload-offset", "upload-complete")]).toEqual([
      ...[204, location, String(clip.length), "?1"],
    ]);
  });

  const OF_THE_JOB = sentence("With `?1`, you get the 202 of the job.");
  it(`${OF_THE_JOB} ${sentence("While bytes are missing, you get 409 `upload_offset_mismatch` instead")}`, async () => {
    const clip = await smallClip();
    const headers = { "Idempotency-Key": `whole-${randomBytes(8).toString("hex")}`, "Upload-Complete": "?1" };
    const type = { "Content-Type": "application/octet-stream" };
    const half = Math.floor(clip.length / 2);
    await sendAndBreak("POST", "/video-uploads", { ...type, ...headers }, clip.subarray(0, half));
    const post = () => ada("POST", "/video-uploads", clip, { headers });
    const unfinished = await eventually("the beginning on record", async () => {
      const answer = await post();
      return answer.headers.get("upload-offset") === String(half) && answer;
    });
    expect(unfinished).toMatchObject(MISMATCH);
    const location = unfinished.headers.get("location")!;
    const first = await append(location, half, true, clip.subarray(half));
    expect(first).toMatchObject(whole(clip));
    await beginAttempt(service.db, { videoUploadId: first.body.id, attempt: 1 }, "probing");
    const again = await post();
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(headersOf(again, "location", "idempotency-replayed")).toEqual([first.headers.get("location"), "true"]);
    // The same key with another `Upload-Complete` is another request.
    expect(await ada("POST", "/video-uploads", undefined, { headers: { ...headers, "Upload-Complete": "?0" } })).toMatchObject(
      KEY_REUSED,
    );
  });

  it(sentence("If the upload was deleted or has expired, a new one starts."), async () => {
    const clip = await smallClip();
    const key = () => ({ "Idempotency-Key": `begin-${randomBytes(8).toString("hex")}` });
    const [cancelled, deleted, removed] = [key(), key(), key()];
    const deleteWhole = async (location: string) => ada("DELETE", uploadPath((await append(location, 0, true, clip)).body));
    const ends = [
      [cancelled, (location: string) => ada("DELETE", location)],
      [deleted, deleteWhole],
      [removed, () => service.db.partialUpload.deleteMany()],
    ] as const;
    for (const [headers, end] of ends) {
      const first = await begin(headers);
      await end(first);
      const second = await begin(headers);
      expect(second).not.toBe(first);
      // A retry finds the second upload.
      const again = await post(headers);
      expect([again.status, ...headersOf(again, "location", "idempotency-replayed")]).toEqual([204, second, "true"]);
      expect(await post(headers, undefined, "another.mp4")).toMatchObject(KEY_REUSED);
      expect(await append(second, 0, true, clip)).toMatchObject(whole(clip));
    }
  });

  it("is created only once by concurrent requests with a key whose earlier upload was cancelled", async () => {
    const headers = { "Idempotency-Key": `begin-${randomBytes(8).toString("hex")}` };
    await ada("DELETE", await begin(headers));
    const begun = await Promise.all(Array.from({ length: 5 }, () => post(headers)));
    expect(begun.map((it) => it.status)).toEqual([204, 204, 204, 204, 204]);
    expect(new Set(begun.map((it) => it.headers.get("location"))).size).toBe(1);
  });

  it("returns 409 with the offset for a POST if another process takes the upload over before it completes", async () => {
    // The trigger acts as another process that takes the upload at the worst moment: after the last byte and before the job.
    const taking = "UPDATE ON partial_uploads FOR EACH ROW WHEN (NEW.piece_count <> OLD.piece_count)";
    const refused = await withTrigger(taking, "NEW.writer := gen_random_uuid(); RETURN NEW;", () =>
      ada("POST", "/video-uploads", randomBytes(1_000), { headers: { "Upload-Complete": "?1" } }),
    );
    expect(refused).toMatchObject(MISMATCH);
    expect(stateIn(refused)).toBe("1000 ?0 ");
    expect(refused.headers.get("location")).toMatch(/\/transfer$/);
  });

  it("refuses bytes beyond Upload-Length long before their end, stores none of them, and can still be completed", async () => {
    const location = await begin({ "Upload-Length": "2000" });
    const bytes = randomBytes(2_000);
    expect(await append(location, 0, false, bytes.subarray(0, 500))).toMatchObject({ status: 204 });
    const endless = await rawRequest(ada, service.url, {
      method: "PATCH",
      path: location,
      headers: { ...PARTIAL, "Upload-Offset": "500", "Upload-Complete": "?0", "Transfer-Encoding": "chunked" },
      body: zeros(8 * 1024 * 1024),
    });
    expect(endless.status).toBe(400);
    expect(endless.bytesSent).toBeLessThan(8 * 1024 * 1024);
    expect((await storedFiles(service)).filter((it) => it.includes(idIn(location)))).toHaveLength(1);
    expect(await append(location, 500, true, bytes.subarray(500))).toMatchObject(whole(bytes));
  });

  it("can't be read, resumed or cancelled by another user", async () => {
    const location = await begin();
    const eve = await service.as();
    const slow = await sending(location, 0, [Buffer.from("begun"), Buffer.from(" and ended")]);
    expect(await eve("GET", location)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await append(location, 0, false, randomBytes(10), eve)).toMatchObject({ status: 404 });
    expect(await eve("DELETE", location)).toMatchObject({ status: 404 });
    // Eve's requests have not stopped Ada's request.
    slow.go();
    expect(await slow.answer).toMatchObject({ status: 204 });
    expect(await offsetAt(location, 15)).toMatchObject({ offset: 15 });
  });

  it(sentence("Deletes a resumable upload that is not complete, with all bytes received."), async () => {
    const location = await begin();
    await append(location, 0, false, randomBytes(1000));
    const id = idIn(location);
    expect((await storedFiles(service)).some((it) => it.includes(id))).toBe(true);
    expect(await ada("DELETE", location)).toMatchObject({ status: 204 });
    expect((await storedFiles(service)).some((it) => it.includes(id))).toBe(false);
    expect(await ada("GET", location)).toMatchObject({ status: 404 });
    expect(await ada("DELETE", location)).toMatchObject({ status: 404 });
  });

  it("is resumed automatically by an existing client library after a broken connection, without starting again", async () => {
    const bytes = randomBytes(6 * 1024 * 1024);
    const location = Promise.withResolvers<string>();
    const isRecorded = async () => Number((await ada("HEAD", await location.promise)).headers.get("upload-offset")) > 0;
    let cuts = 0;
    await using proxy = await startTcpProxy(service.url, (client, target) => {
      let carriedBytes = 0;
      client.on("data", (bytes) => {
        carriedBytes += bytes.length;
        if (cuts > 0 || carriedBytes <= 4 * 1024 * 1024) return;
        cuts++;
        client.pause();
        void eventually("the offset of the first bytes", isRecorded).finally(() => client.destroy());
      });
      forwardBoth(client, target);
    });
    using requests = watchRequests();
    // Its code supports the draft protocol, but its types do not yet.
    await new Promise<void>((done, fail) => {
      const options = {
        endpoint: `${proxy.url}/video-uploads`,
        protocol: "ietf-draft-05",
        headers: { Authorization: ada.authorization! },
        retryDelays: [0, 100, 500],
        onError: fail,
        onSuccess: () => done(),
        onUploadUrlAvailable: () => location.resolve(new URL(client.url!).pathname),
      };
      const client = new Upload(bytes, options);
      client.start();
    });
    expect(cuts).toBe(1);
    const { body } = await ada("GET", "/video-uploads?limit=1");
    expect(body.data[0]).toMatchObject({ sha256: sha256Of(bytes), size_bytes: bytes.length });
    const offsets = requests.seen
      .filter((it) => it.method === "PATCH" && it.status !== null)
      .map((it) => Number(it.headers["upload-offset"]));
    // The client does not start again, because the service stores the bytes from before the cut.
    expect(offsets).toHaveLength(1);
    expect(offsets[0]).toBeGreaterThan(0);
    // On a busy machine, the connection may break again. Each time, the client gets the offset with HEAD.
    expect(new Set(requests.seen.filter((it) => it.method === "HEAD").map((it) => it.status))).toEqual(new Set([204]));
  });
});

/** A video of a thousand bytes, of which no two parts are the same. */
const WHOLE = Buffer.from(Array.from({ length: 1_000 }, (_, n) => (n * n + (n >> 5)) % 251));
const LENGTH = WHOLE.length;
const STORED = 400;

/** Sends the rest of the video. The job must have exactly its bytes. */
async function completes(location: string): Promise<void> {
  const offset = Number((await stateOf(location)).split(" ")[0]);
  const last = await append(location, offset, true, WHOLE.subarray(offset));
  expect(last).toMatchObject(whole(WHOLE));
  expect(await stateOf(location)).toBe(`${LENGTH} ?1 ${LENGTH}`);
}
const sized = (bytes: number) => new Uint8Array(bytes);
const chunked = (bytes: number) => streamOf(new Uint8Array(bytes));

describe("the length of an upload", () => {
  it.each<[what: string, headers: Record<string, string>, bytes: number | null, refusal: string]>([
    ["a whole body that is shorter than Upload-Length", { "Upload-Complete": "?1", "Upload-Length": "20" }, 10, "upload_length"],
    ["a whole body that is longer than Upload-Length", { "Upload-Complete": "?1", "Upload-Length": "10" }, 20, "upload_length"],
    ["a first part that is longer than Upload-Length", { "Upload-Complete": "?0", "Upload-Length": "10" }, 20, "upload_length"],
    ["an Upload-Length of 0", { "Upload-Complete": "?0", "Upload-Length": "0" }, 0, "malformed_body"],
    ["a whole body without bytes", { "Upload-Complete": "?1" }, 0, "malformed_body"],
    [
      "an Upload-Length beyond max-size",
      { "Upload-Complete": "?0", "Upload-Length": String(MAX_BYTES + 1) },
      0,
      "content_too_large",
    ],
    ["a Content-Length beyond max-size", { "Upload-Complete": "?1" }, MAX_BYTES + 1, "content_too_large"],
  ])("is refused at once with %s, and nothing is stored", async (_what, headers, bytes, refusal) => {
    const [uploads, files] = [await service.db.partialUpload.count(), await storedFiles(service)];
    const refused = await ada("POST", "/video-uploads", sized(bytes!), { headers });
    expect([refused.body.code, refused.body.errors?.[0].code]).toContain(refusal);
    expect(refused.headers.get("location")).toBeNull();
    expect(refused.headers.get("upload-limit")).toEqual(
      refusal === "content_too_large" ? expect.stringContaining(`max-size=${MAX_BYTES}, `) : null,
    );
    expect([await service.db.partialUpload.count(), await storedFiles(service)]).toEqual([uploads, files]);
  });

  const LAST = { "Upload-Complete": "?1" };
  const MORE = { "Upload-Complete": "?0" };
  const of = (bytes: number) => ({ "Upload-Length": String(bytes) });
  type Lie = [what: string, headers: Record<string, string>, body: Uint8Array | ReadableStream, kept: number, code?: string];
  const LIES: Lie[] = [
    ["a shorter Upload-Length", { ...MORE, ...of(999) }, sized(10), 0],
    ["a longer Upload-Length", { ...MORE, ...of(1_001) }, sized(10), 0],
    ["an Upload-Length that has already arrived", { ...LAST, ...of(400) }, sized(0), 0],
    ["a last part that is too short", LAST, sized(599), 0],
    ["a last part that is too long", LAST, sized(601), 0],
    ["an empty last part", LAST, sized(0), 0],
    ["a part that is too long", MORE, sized(601), 0],
    ["a last part in chunks that is too short", LAST, chunked(599), 599],
    ["a last part in chunks that is too long", LAST, chunked(601), 0],
    ["a part in chunks that is too long", MORE, chunked(601), 0],
    ["an empty last part in chunks", LAST, streamOf(), 0],
  ];
  const SAME = sentence("each later announcement must be the same;");
  const EXACTLY = sentence("the upload is complete only with exactly this many bytes;");
  it.each(LIES)(`${SAME} ${EXACTLY} Refused: %s`, async (_what, headers, body, kept) => {
    const location = await begin({ "Upload-Length": String(LENGTH) }, WHOLE.subarray(0, STORED));
    const refused = await patch(location, STORED, body, headers);
    expect(refused).toMatchObject(
      problem(400, "validation_failed", { errors: [{ in: "header", pointer: "/upload-length", code: "upload_length" }] }),
    );
    expect(stateIn(refused)).toBe(`${STORED + kept} ?0 `);
    expect(await stateOf(location)).toBe(`${STORED + kept} ?0 ${LENGTH}`);
    if (kept === 0) await completes(location);
  });

  it.each<Lie>([
    ["is shorter than what has arrived", { ...MORE, ...of(399) }, sized(0), 0, "validation_failed"],
    ["differs from the end of the last part", { ...LAST, ...of(401) }, sized(2), 0, "validation_failed"],
    ["ends within the part", { ...MORE, ...of(405) }, sized(10), 0, "validation_failed"],
    ["is beyond max-size", { ...MORE, ...of(MAX_BYTES + 1) }, sized(10), 0, "content_too_large"],
  ])("is not recorded if it %s", async (_what, headers, body, _kept, code) => {
    const location = await begin({}, WHOLE.subarray(0, STORED));
    const refused = await patch(location, STORED, body, headers);
    expect(refused.body.code).toBe(code);
    expect(stateIn(refused)).toBe(`${STORED} ?0 `);
    expect(await stateOf(location)).toBe(`${STORED} ?0 `);
    await completes(location);
  });

  const DEVICE = sentence(
    "`HEAD` returns the number as `Upload-Length`, so that another device that has only the address can show the progress.",
  );
  it(`${DEVICE} A PATCH can announce it, and repeat it`, async () => {
    const location = await begin({}, WHOLE.subarray(0, STORED));
    for (const offset of [STORED, STORED + 1])
      expect(await patch(location, offset, WHOLE.subarray(offset, offset + 1), { ...MORE, ...of(LENGTH) })).toMatchObject({
        status: 204,
      });
    const device = await service.anonymous(ada.authorization)("HEAD", location);
    expect(stateIn(device)).toBe(`${STORED + 2} ?0 ${LENGTH}`);
    await completes(location);
  });

  it(`${sentence("they count towards your storage quota;")} Also if a later request announces them`, async () => {
    const reserved = async (location: string) =>
      (await service.db.uploadReservation.findUnique({ where: { partialId: idIn(location) } }))?.sizeBytes;
    expect(await reserved(await begin(of(LENGTH)))).toBe(BigInt(LENGTH));
    const location = await begin();
    expect(await reserved(location)).toBeUndefined();
    expect(await patch(location, 0, sized(0), { ...MORE, ...of(LENGTH) })).toMatchObject({ status: 204 });
    expect(await reserved(location)).toBe(BigInt(LENGTH));
  });

  it("is not announced by a retry of a POST, which stores nothing and gets the state of the upload", async () => {
    const headers = { ...LAST, ...of(LENGTH), "Idempotency-Key": "a-key-that-is-repeated" };
    const first = await ada("POST", "/video-uploads", streamOf(WHOLE.subarray(0, STORED)), { headers });
    expect(first).toMatchObject({ status: 400, body: { errors: [{ code: "upload_length" }] } });
    for (const body of [WHOLE, sized(0), sized(7)]) {
      const again = await ada("POST", "/video-uploads", body, { headers });
      expect(again).toMatchObject(MISMATCH);
      expect([again.headers.get("location"), stateIn(again)]).toEqual([first.headers.get("location"), `${STORED} ?0 `]);
    }
    await completes(first.headers.get("location")!);
  });
});

const COMPLETE = "When the upload is complete, a request with bytes returns 400, and one without 409.";
it(`an upload that is complete: ${sentence(COMPLETE)} It is never changed`, async () => {
  const location = await begin();
  await completes(location);
  const last = [WHOLE.subarray(STORED), { "Upload-Complete": "?1" }] as const;
  const whole = `${LENGTH} ?1 `;
  for (const [offset, body, headers, status, code] of [
    [STORED, ...last, 409, "upload_offset_mismatch"],
    [LENGTH, sized(0), { "Upload-Complete": "?1" }, 409, "upload_offset_mismatch"],
    [LENGTH, sized(1), { "Upload-Complete": "?1" }, 400, "validation_failed"],
    [LENGTH, chunked(1), { "Upload-Complete": "?0" }, 400, "validation_failed"],
  ] as const) {
    const refused = await patch(location, offset, body, headers);
    expect([refused.status, refused.body.code, stateIn(refused)]).toEqual([status, code, whole]);
  }
  expect(await stateOf(location)).toBe(`${LENGTH} ?1 ${LENGTH}`);
  const { body } = await ada("GET", location.replace("/transfer", ""));
  expect(body).toMatchObject({ size_bytes: LENGTH, sha256: sha256Of(WHOLE) });
});

describe("a request that is cut off", () => {
  const BEGIN = { "Content-Type": "video/mp4", "Upload-Complete": "?1", "Upload-Draft-Interop-Version": "8" };
  const HALF = 500;
  /** The parts of a body in chunks, and the places within them. */
  const CHUNKS = [
    ...chunkOf(WHOLE.subarray(0, HALF)),
    ...chunkOf(WHOLE.subarray(HALF)),
    Buffer.from("0\r\n"),
    Buffer.from("\r\n"),
  ];
  const upTo = (parts: number, more = 0) => {
    const all = Buffer.concat(CHUNKS);
    return all.subarray(0, Buffer.concat(CHUNKS.slice(0, parts)).length + more);
  };
  const LENGTHS = { "Content-Length": String(LENGTH) };
  const IN_CHUNKS = { "Transfer-Encoding": "chunked" };
  const ANNOUNCED = { ...IN_CHUNKS, "Upload-Length": String(LENGTH) };

  /** The address in the 104. */
  const addressIn = ({ text }: OpenRequest) =>
    eventually("the address", async () => /^location: (\S+)\r$/im.exec(text())?.[1] ?? null);

  const CUT = sentence("An upload that is cut off is therefore never taken for a whole one.");
  it.each<[where: string, framing: Record<string, string>, body: Buffer, arrived: number]>([
    ["before its first byte", LENGTHS, WHOLE.subarray(0, 0), 0],
    ["after one byte", LENGTHS, WHOLE.subarray(0, 1), 1],
    ["in its middle", LENGTHS, WHOLE.subarray(0, HALF), HALF],
    ["before its last byte", LENGTHS, WHOLE.subarray(0, -1), LENGTH - 1],
    ["before its first chunk", IN_CHUNKS, upTo(0), 0],
    ["in the size of a chunk", IN_CHUNKS, upTo(3, 2), HALF],
    ["after the size of a chunk", IN_CHUNKS, upTo(4), HALF],
    ["within a chunk", IN_CHUNKS, upTo(4, 100), HALF + 100],
    ["between two chunks", IN_CHUNKS, upTo(3), HALF],
    ["after the bytes of its last chunk", IN_CHUNKS, upTo(5), LENGTH],
    ["after its last chunk", IN_CHUNKS, upTo(6), LENGTH],
    ["within the end of its chunks", IN_CHUNKS, upTo(7), LENGTH],
    ["within a chunk, with Upload-Length", ANNOUNCED, upTo(4, 100), HALF + 100],
    ["after its last chunk, with Upload-Length", ANNOUNCED, upTo(6), LENGTH],
  ])(`${CUT} %s`, async (_where, framing, body, arrived) => {
    const sent = open("POST", "/video-uploads", { ...BEGIN, ...framing }, body);
    const location = await addressIn(sent);
    const state = `${arrived} ?0 ${framing === IN_CHUNKS ? "" : LENGTH}`;
    await eventually("what arrived", async () => (await stateOf(location)) === state);
    sent.socket.end();
    await sent.closed;
    expect(await stateOf(location)).toBe(state);
    if (framing === LENGTHS)
      for (const bytes of [LENGTH - arrived - 1, LENGTH - arrived + 1])
        expect(await append(location, arrived, true, sized(bytes))).toMatchObject({ status: 400 });
    expect(await ada("GET", location.replace("/transfer", ""))).toMatchObject({ status: 404 });
    await completes(location);
  });

  it("leaves nothing behind if it is cut off in its headers", async () => {
    const uploads = await service.db.partialUpload.count();
    const head = headOf(ada, "POST", "/video-uploads", { ...BEGIN, ...LENGTHS });
    for (const bytes of [10, head.length - 2]) {
      const { port, hostname } = new URL(service.url);
      const socket = connect(Number(port), hostname).on("error", () => undefined);
      socket.resume().end(head.slice(0, bytes));
      await once(socket, "close");
    }
    expect(await service.db.partialUpload.count()).toBe(uploads);
  });

  it("keeps a beginning if it is reset while its bytes arrive", async () => {
    for (const bytes of [0, 1, HALF, LENGTH - 1]) {
      const sent = open("POST", "/video-uploads", { ...BEGIN, ...LENGTHS }, WHOLE.subarray(0, bytes));
      const location = await addressIn(sent);
      sent.socket.resetAndDestroy();
      const [offset, complete, length] = (await stateOf(location)).split(" ");
      expect(Number(offset)).toBeLessThanOrEqual(bytes);
      expect([complete, length]).toEqual(["?0", String(LENGTH)]);
      await completes(location);
    }
  });

  it("is complete if only its response is lost, and a repetition then changes nothing", async () => {
    const location = await begin({}, WHOLE.subarray(0, STORED));
    const last = { ...PARTIAL, "Upload-Offset": String(STORED), "Upload-Complete": "?1" };
    const headers = { ...last, "Content-Length": String(LENGTH - STORED) };
    const sent = open("PATCH", location, headers, WHOLE.subarray(STORED));
    await eventually("the end", async () => (await stateOf(location)) === `${LENGTH} ?1 ${LENGTH}`);
    sent.socket.destroy();
    expect(await append(location, STORED, true, WHOLE.subarray(STORED))).toMatchObject({ status: 409 });
    expect(await ada("GET", location.replace("/transfer", ""))).toMatchObject({
      body: { size_bytes: LENGTH, sha256: sha256Of(WHOLE) },
    });
  });
});

describe("requests that are sent without waiting for responses", () => {
  const part = (location: string, from: number, to: number, complete: string) => {
    const fields = {
      ...PARTIAL,
      "Upload-Offset": String(from),
      "Upload-Complete": complete,
      "Content-Length": String(to - from),
    };
    return Buffer.concat([Buffer.from(headOf(ada, "PATCH", location, fields)), WHOLE.subarray(from, to)]);
  };

  it("are applied one after the other", async () => {
    const location = await begin();
    const head = Buffer.from(headOf(ada, "HEAD", location, {}));
    const bytes = Buffer.concat([part(location, 0, STORED, "?0"), head, part(location, STORED, LENGTH, "?1"), head]);
    const { answers } = await exchange(service.url, bytes, { expected: 4 });
    expect(answers.map((it) => [it.status, it.headers.get("upload-offset"), it.headers.get("upload-complete")])).toEqual([
      [204, String(STORED), "?0"],
      [204, expect.stringMatching(/^(400|1000)$/), expect.stringMatching(/^\?[01]$/)],
      [202, String(LENGTH), "?1"],
      [204, String(LENGTH), "?1"],
    ]);
    const { body } = await ada("GET", location.replace("/transfer", ""));
    expect(body).toMatchObject({ size_bytes: LENGTH, sha256: sha256Of(WHOLE) });
  });

  it("can't add the same part twice", async () => {
    const location = await begin();
    const twice = Buffer.concat([part(location, 0, STORED, "?0"), part(location, 0, STORED, "?0")]);
    const { answers } = await exchange(service.url, twice, { expected: 2 });
    expect(answers.map((it) => it.status)).toEqual([204, 409]);
    expect(await stateOf(location)).toBe(`${STORED} ?0 `);
    await completes(location);
  });

  it("can't complete an upload with another length while a request sends its bytes", async () => {
    const location = await begin({ "Upload-Length": String(LENGTH) });
    const headers = { ...PARTIAL, "Upload-Offset": "0", "Upload-Complete": "?0" };
    const slow = open("PATCH", location, { ...headers, "Content-Length": String(LENGTH) }, WHOLE.subarray(0, STORED));
    await eventually("the first bytes", async () => (await stateOf(location)) === `${STORED} ?0 ${LENGTH}`);
    const refused = await append(location, STORED, true, sized(10));
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: "upload_length" }] } });
    slow.socket.destroy();
    expect(statusesIn(slow.text()).filter((it) => it < 400)).toEqual([]);
    expect(await stateOf(location)).toBe(`${STORED} ?0 ${LENGTH}`);
    await completes(location);
  });
});

const LEAST_BYTES = 256 * 1024;

describe("a resumable upload is limited", () => {
  /** Adds rows for `count` pieces of one byte, without their objects. */
  async function addPieces(id: string, count: number): Promise<void> {
    await service.db.$executeRaw`
      INSERT INTO partial_pieces (upload_id, position, key, size_bytes, sha256)
      SELECT ${id}::uuid, n, 'nowhere', 1, repeat('0', 64) FROM generate_series(1, ${count}::int) n`;
    await service.db.$executeRaw`
      UPDATE partial_uploads SET piece_count = ${count}::int, offset_bytes = ${count}::int WHERE id = ${id}::uuid`;
  }
  const tooShort = {
    status: 400,
    body: { code: "validation_failed", errors: [{ pointer: "/content-length", code: "minimum" }] },
  };

  it("in the size of its pieces, as Upload-Limit declares: only a hundred and the last one may be shorter", async () => {
    const location = await begin();
    for (let offset = 0; offset < 100; offset++)
      expect(await append(location, offset, false, randomBytes(1))).toMatchObject({ status: 204 });
    expect((await ada("HEAD", location)).headers.get("upload-limit")).toMatch(
      new RegExp(`^max-size=${MAX_BYTES}, min-append-size=${LEAST_BYTES}, max-age=86[34]\\d\\d$`),
    );
    const files = (await storedFiles(service)).length;
    expect(await append(location, 100, false, randomBytes(LEAST_BYTES - 1))).toMatchObject(tooShort);
    expect(await append(location, 100, false, ReadableStream.from([randomBytes(10)]))).toMatchObject(tooShort);
    expect((await ada("HEAD", location)).headers.get("upload-offset")).toBe("100");
    expect((await storedFiles(service)).length).toBe(files);
    expect(await append(location, 100, false, randomBytes(LEAST_BYTES))).toMatchObject({ status: 204 });
    const last = await append(location, 100 + LEAST_BYTES, true, randomBytes(1));
    expect(last).toMatchObject({ status: 202, body: { size_bytes: LEAST_BYTES + 101 } });
  });

  it("to 24 hours, of which max-age is the rest", async () => {
    const location = await begin();
    const id = idIn(location);
    await service.db.partialUpload.update({ where: { id }, data: { createdAt: new Date(Date.now() - 3_600_000) } });
    const [, seconds] = /max-age=(\d+)$/.exec((await ada("HEAD", location)).headers.get("upload-limit")!)!;
    expect(Number(seconds)).toBeLessThanOrEqual(23 * 3_600);
    expect(Number(seconds)).toBeGreaterThan(23 * 3_600 - 60);
  });

  it(`${sentence("After 10 000 requests, only the last one is accepted.")} A piece after 9,990 others writes at most 1.5 times the WAL of a piece after ten`, async () => {
    const written = async (location: string, offset: number) => {
      const lsn = async () =>
        (await service.db.$queryRaw<{ lsn: string }[]>`SELECT pg_current_wal_insert_lsn()::text AS lsn`)[0]!.lsn;
      const before = await lsn();
      expect(await append(location, offset, false, randomBytes(LEAST_BYTES))).toMatchObject({ status: 204 });
      const [{ bytes }] = await service.db.$queryRaw<[{ bytes: number }]>`
        SELECT (pg_current_wal_insert_lsn() - ${before}::pg_lsn)::float8 AS bytes`;
      return bytes;
    };
    // Other tests write to the same log, so the smallest cost counts, and uploads are measured until they have been quiet once.
    let [ofFew, ofMany] = [Infinity, Infinity];
    for (let round = 0; round < 10 && !(ofMany < 1.5 * ofFew); round++) {
      const [few, many] = [await begin(), await begin()];
      await addPieces(idIn(few), 10);
      await addPieces(idIn(many), 9_990);
      for (let n = 0; n < 10; n++) {
        ofFew = Math.min(ofFew, await written(few, 10 + n * LEAST_BYTES));
        ofMany = Math.min(ofMany, await written(many, 9_990 + n * LEAST_BYTES));
      }
      expect(await append(many, 9_990 + 10 * LEAST_BYTES, false, randomBytes(LEAST_BYTES))).toMatchObject(tooShort);
    }
    process.stderr.write(`bytes of WAL that a piece costs: ${ofFew} behind ten others, ${ofMany} behind 9,990\n`);
    expect(ofMany).toBeLessThan(1.5 * ofFew);
  });

  it("in what a client can split by asking for the offset: after a hundred pieces, only what is large enough is recorded", async () => {
    const location = await begin();
    const id = idIn(location);
    await addPieces(id, 100);
    const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* body() {
      yield randomBytes(1_000);
      arrived.resolve();
      await go.promise;
      yield randomBytes(LEAST_BYTES);
    }
    const answer = append(location, 100, false, ReadableStream.from(body()));
    await arrived.promise;
    for (let n = 0; n < 3; n++) expect((await ada("HEAD", location)).headers.get("upload-offset")).toBe("100");
    go.resolve();
    expect(await answer).toMatchObject({ status: 204 });
    expect(await service.db.partialUpload.findUnique({ where: { id } })).toMatchObject({ pieceCount: 101 });
  });

  it("to 100 unfinished uploads of one user, until the user cancels one", async () => {
    const eve = await service.as();
    await service.db.$executeRaw`
      INSERT INTO partial_uploads (id, owner_id) SELECT gen_random_uuid(), ${eve.userId}::uuid FROM generate_series(1, 99)`;
    const location = await begin({}, new Uint8Array(0), eve);
    const refused = await eve("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await eve("DELETE", location)).toMatchObject({ status: 204 });
    await begin({}, new Uint8Array(0), eve);
    // Other users are not affected.
    await begin();
  });
});

describe("README.md", () => {
  const folder = join(import.meta.dirname, "../../src/video-uploads/resumable");
  const rows = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+\.test\.ts)\)/g)];

  it("names tests that exist", () => {
    expect(rows.length).toBeGreaterThan(40);
    const oneLine = (file: string) => readFileSync(join(folder, file), "utf8").replaceAll(/\s+/g, " ");
    expect(rows.filter(([, title, file]) => !oneLine(file!).includes(title!)).map(([row]) => row)).toEqual([]);
  });
});

describe("OPTIONS", () => {
  const IN_ADVANCE =
    "`OPTIONS` of `/video-uploads` returns `Accept-Patch: application/partial-upload` and the `Upload-Limit` of a new upload.";
  it(sentence(IN_ADVANCE), async () => {
    const location = await begin();
    const { headers } = await ada("HEAD", location);
    const withoutAge = (limit: string | null) => limit?.replace(/max-age=\d+$/, "");
    for (const path of ["/video-uploads", location]) {
      const options = await service.anonymous()("OPTIONS", path);
      expect([path, options.status, options.headers.get("accept-patch")]).toEqual([path, 204, "application/partial-upload"]);
      expect(options.headers.get("upload-limit")).toMatch(/^max-size=16777216, min-append-size=\d+, max-age=86400$/);
      expect(withoutAge(options.headers.get("upload-limit"))).toBe(withoutAge(headers.get("upload-limit")));
    }
  });

  it("returns the type of a PATCH of any other resource, and no limits", async () => {
    for (const [path, type] of [
      ["/posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103", "application/json"],
      ["/posts", null],
    ] as const) {
      const { headers } = await service.anonymous()("OPTIONS", path);
      expect([headers.get("accept-patch"), headers.get("upload-limit")]).toEqual([type, null]);
    }
  });

  it(`${sentence("A 413 has `Upload-Limit`, too.")} Also that of a plain upload`, async () => {
    for (const headers of [{}, { "Upload-Complete": "?1" }]) {
      const refused = await ada("POST", "/video-uploads", new Uint8Array(MAX_BYTES + 1), { headers });
      expect(refused).toMatchObject({ status: 413, body: { code: "content_too_large" } });
      expect(refused.headers.get("upload-limit")).toMatch(/^max-size=16777216, /);
    }
  });
});

describe("the interim response 104 (Upload Resumption Supported)", () => {
  const BODY = Buffer.from("abcd");
  const POST = { "Content-Type": "application/octet-stream", "Upload-Complete": "?1", Connection: "close" };
  const answers = async (headers: Record<string, string>, version = "1.1") => {
    const { closed, text } = open("POST", "/video-uploads", { ...POST, ...headers }, BODY, version);
    await closed;
    return text();
  };
  const DRAFT = { "Upload-Draft-Interop-Version": "8" };

  it("is sent over HTTP/1.1 to a client that sends the supported draft version", async () => {
    const text = await answers({ ...DRAFT, "Content-Length": "4" });
    expect(statusesIn(text)).toEqual([104, 202]);
    expect(text).toMatch(/^upload-draft-interop-version: 8\r$/im);
    expect(text).toMatch(/^upload-limit: max-size=\d+, min-append-size=\d+, max-age=86400\r$/im);
    expect(text).toMatch(/^location: \/video-uploads\/[0-9a-f-]{36}\/transfer\r$/im);
  });

  it.each([
    ["HTTP/1.0", DRAFT, "1.0"],
    ["another version", { "Upload-Draft-Interop-Version": "6" }, "1.1"],
    ["an unknown version", { "Upload-Draft-Interop-Version": "999" }, "1.1"],
    ["no version, which might mistake it for the final response", {}, "1.1"],
  ])("is not sent to a client with %s, and no version is returned", async (_name, headers, version) => {
    const text = await answers({ ...headers, "Content-Length": "4" }, version);
    expect(statusesIn(text)).toEqual([202]);
    expect(text.toLowerCase()).not.toContain("upload-draft-interop-version");
  });

  it("doesn't replace 100 (Continue)", async () => {
    const text = await answers({ ...DRAFT, "Content-Length": "4", Expect: "100-continue" });
    expect(statusesIn(text).sort()).toEqual([100, 104, 202]);
  });

  it("has the address that the final response has, if the upload isn't complete", async () => {
    const text = await answers({ ...DRAFT, "Content-Length": "4", "Upload-Complete": "?0" });
    const [first, last] = [...text.matchAll(/^location: (\S+)\r$/gim)].map((it) => it[1]);
    expect(first).toMatch(/\/transfer$/);
    expect([statusesIn(text), last]).toEqual([[104, 204], first]);
  });

  const SIZE = 9 * MIB;
  it.each(["POST", "PATCH"])("has Upload-Offset while the large body of a %s arrives", async (method) => {
    const location = method === "PATCH" ? await begin() : "/video-uploads";
    const part = method === "PATCH" ? { ...LAST_PART, "Upload-Offset": "0" } : { ...POST, Connection: "keep-alive" };
    const sent = open(method, location, { ...part, ...DRAFT, "Content-Length": String(SIZE) }, Buffer.alloc(SIZE - 1));
    await eventually("two offsets", async () => (sent.text().match(/^upload-offset: /gim) ?? []).length >= 2);
    const offsets = [...sent.text().matchAll(/^upload-offset: (\d+)\r$/gim)].map((it) => Number(it[1]));
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(offsets.at(-1)).toBeLessThan(SIZE);
    // In a PATCH, a 104 must not have an address. In a POST, each has the same.
    const text = sent.text();
    const addresses = text.match(/^location: .*$/gim) ?? [];
    expect(addresses).toHaveLength(method === "POST" ? statusesIn(text).length : 0);
    expect(new Set(addresses).size).toBe(method === "POST" ? 1 : 0);
    sent.socket.write(Buffer.alloc(1));
    await eventually("the end", async () => statusesIn(sent.text()).includes(202));
    sent.socket.destroy();
    expect(statusesIn(sent.text()).slice(0, -1)).toEqual(statusesIn(sent.text()).slice(0, -1).fill(104));
  });
});

describe("an error", () => {
  const BYTES = Buffer.from("these are not the bytes of a video");
  const SIZE = String(BYTES.length);
  const LOCATED = sentence("Once a `POST` has begun an upload, each of its errors has the address in `Location`.");
  it.each<
    [what: string, headers: Record<string, string>, body: () => Uint8Array | ReadableStream, status: number, offset: number]
  >([
    ["with too few bytes", { "Upload-Complete": "?1", "Upload-Length": "99" }, () => streamOf(BYTES), 400, BYTES.length],
    ["with another digest", { "Upload-Complete": "?1", "Content-Digest": digestOf(Buffer.from("x")) }, () => BYTES, 422, 0],
    ["with an early digest", { "Upload-Complete": "?0", "Repr-Digest": digestOf(BYTES) }, () => BYTES, 400, 0],
    ["with too many bytes", { "Upload-Complete": "?1" }, () => streamOf(new Uint8Array(MAX_BYTES + 1)), 413, 0],
  ])(`${LOCATED} %s`, async (_what, headers, body, status, least) => {
    const refused = await ada("POST", "/video-uploads", body(), { headers });
    expect(refused.status).toBe(status);
    const location = refused.headers.get("location")!;
    expect(location).toMatch(/\/transfer$/);
    const offset = Number(refused.headers.get("upload-offset"));
    expect(offset).toBeGreaterThanOrEqual(least);
    expect([await offsetOf(location), refused.headers.get("upload-complete")]).toEqual([offset, "?0"]);
  });

  it(`${LOCATED} Of the service`, async () => {
    const failed = await withTrigger("INSERT ON partial_pieces FOR EACH ROW", "RAISE EXCEPTION 'broken';", () =>
      ada("POST", "/video-uploads", BYTES, { headers: { "Upload-Complete": "?1" } }),
    );
    expect(failed.status).toBe(500);
    const location = failed.headers.get("location")!;
    const head = await ada("HEAD", location);
    expect([head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual(["0", SIZE]);
    expect(await append(location, 0, true, BYTES)).toMatchObject(whole(BYTES));
  });

  it(`${sentence("Errors that say what has been stored have it in `Upload-Offset`, for `PATCH` as well.")}`, async () => {
    const location = await begin();
    await append(location, 0, false, BYTES);
    const headers = { ...LAST_PART, "Upload-Offset": SIZE };
    for (const [body, more, status] of [
      [new Uint8Array(MAX_BYTES), { "Upload-Complete": "?0" }, 413],
      [BYTES, { "Content-Digest": digestOf(Buffer.from("x")) }, 422],
      [BYTES, { "Repr-Digest": digestOf(BYTES) }, 422],
      [BYTES, { "Upload-Complete": "?0", "Repr-Digest": digestOf(BYTES) }, 400],
      [BYTES, { "Upload-Length": SIZE }, 400],
      [BYTES, { "Upload-Offset": "1" }, 409],
    ] as const) {
      const refused = await ada("PATCH", location, body, { headers: { ...headers, ...more } });
      expect([refused.status, stateIn(refused)]).toEqual([status, `${SIZE} ?0 `]);
    }
    expect(await append(location, BYTES.length, true, BYTES)).toMatchObject(whole(BYTES, BYTES));
  });

  it("never takes back an offset that HEAD has returned, not even for a wrong Repr-Digest", async () => {
    const location = await begin();
    const headers = { ...LAST_PART, "Upload-Offset": "0", "Repr-Digest": digestOf(Buffer.from("x")), "Content-Length": "20000" };
    const sent = open("PATCH", location, headers, Buffer.alloc(10_000, "a"));
    await eventually("the offset", async () => (await offsetOf(location)) === 10_000);
    sent.socket.write(Buffer.alloc(10_000, "b"));
    await eventually("the refusal", async () => statusesIn(sent.text()).length > 0);
    const [refused] = answersIn(sent.text());
    sent.socket.destroy();
    expect([refused!.status, refused!.headers.get("upload-offset")]).toEqual([422, "10000"]);
    expect(await offsetOf(location)).toBe(10_000);
    const all = Buffer.concat([Buffer.alloc(10_000, "a"), Buffer.alloc(10_000, "c")]);
    expect(await append(location, 10_000, true, all.subarray(10_000))).toMatchObject(whole(all));
  });
});

it("HEAD returns offset, completeness and limits, is never stored by a cache, and never redirects", async () => {
  const location = await begin();
  const head = await ada("HEAD", location);
  expect([head.status, stateIn(head)]).toEqual([204, "0 ?0 "]);
  const { headers } = head;
  expect(headers.get("upload-limit")).toMatch(/^max-size=\d+, min-append-size=\d+, max-age=\d+$/);
  expect(headers.get("cache-control")).toBe("no-store");
});

it("DELETE ends a request that is still sending to the same upload", async () => {
  const location = await begin();
  const sent = open("PATCH", location, { ...LAST_PART, "Upload-Offset": "0", "Content-Length": "20000" }, Buffer.alloc(10_000));
  await eventually("the offset", async () => (await offsetOf(location)) === 10_000);
  expect(await ada("DELETE", location)).toMatchObject({ status: 204 });
  await sent.closed;
  // Not by the 408 of a request that has become too slow.
  expect(sent.text()).toBe("");
  expect(await ada("HEAD", location)).toMatchObject({ status: 404 });
});
