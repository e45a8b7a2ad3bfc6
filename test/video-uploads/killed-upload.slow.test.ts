/** Resumable uploads whose service is killed, with a folder and with a bucket as the store. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "@jest/globals";
import { createS3Store } from "../../src/storage/s3-store.ts";
import type { Client } from "../support/client.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { prepareForEach } from "../support/prepare.ts";
import type { Running, Settings } from "../support/processes.ts";
import { s3rver } from "../support/s3-server.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { append, sha256Of, storedFiles } from "../support/videos.ts";
import { openRequest, type OpenRequest } from "./support/open-request.ts";
import { beginUpload, idIn, storedBytesBut } from "./support/resumable.ts";

const MIB = 1024 * 1024;
const KILLS = sized(2, 10);

const deployment = prepareForEach(createDeployment);

/** Another service with the same uploads, in this process. */
const startHere = (settings: Settings = {}) =>
  startTestService({ ROLE: "api", DATA_DIR: deployment.dataDir, ...settings }, { url: deployment.databaseUrl });

/** Sends the beginning of the bytes that follow an offset, of which there will be `length`. */
async function open(client: Client, at: Running, location: string, [offset, length]: readonly number[], bytes: Uint8Array) {
  const isNew = location === "";
  const part = isNew ? {} : { "Upload-Offset": String(offset) };
  const type = isNew ? "application/octet-stream" : "application/partial-upload";
  const headers = { "Content-Type": type, "Content-Length": String(length), "Upload-Complete": "?1", ...part };
  const { url } = await at.ready();
  const target = [
    isNew ? "POST" : "PATCH",
    location || "/video-uploads",
    { ...headers, "Upload-Draft-Interop-Version": "8" },
  ] as const;
  return openRequest(client, url, target, bytes);
}
const addressIn = ({ text }: OpenRequest) => /^location: (\S+)\r$/im.exec(text())?.[1];
const offsetOf = async (client: Client, location: string) => {
  const { status, headers } = await client("HEAD", location);
  expect(status).toBe(204);
  return Number(headers.get("upload-offset"));
};
/** What the database counts, without a request for the offset, which would record more. */
const recorded = async (location: string) =>
  Number((await deployment.db.partialUpload.findUniqueOrThrow({ where: { id: idIn(location) } })).offsetBytes);
async function kill(process: Running, sent: OpenRequest): Promise<void> {
  process.child.kill("SIGKILL");
  await process.exited;
  sent.socket.destroy();
}

describe("a resumable upload whose service is killed", () => {
  it("loses at most 4 MiB of what the service had received, at each of several random moments in 40 MB", async () => {
    const random = seededRandom("moments at which the service is killed");
    const bytes = randomBytes(40_000_000);
    let running = await deployment.start("api");
    let ada = await deployment.as();
    let [location, offset] = ["", 0];
    const lost: number[] = [];
    for (let count = 0; count < KILLS; count++) {
      const left = bytes.length - offset;
      // The service is killed at a random share of what is left, so that the last kill is near the end.
      const moment = Math.min(left - 1, 1 + random(Math.ceil((2 * left) / (KILLS - count))));
      const before = new Set(await storedFiles(deployment));
      const beginning = bytes.subarray(offset, offset + Math.min(left - 1, moment + MIB));
      const sent = await open(ada, running, location, [offset, left], beginning);
      await eventually("a number of bytes received", async () => (await storedBytesBut(deployment, before)) >= moment, 60_000, 2);
      await kill(running, sent);
      location ||= addressIn(sent)!;
      const received = offset + (await storedBytesBut(deployment, before));
      running = await deployment.start("api");
      ada = deployment.asAgain(ada);
      const resumed = await offsetOf(ada, location);
      expect(resumed).toBeGreaterThanOrEqual(offset);
      expect(resumed).toBeLessThanOrEqual(received);
      lost.push(received - resumed);
      offset = resumed;
    }
    process.stderr.write(`bytes lost at each kill: ${lost.join(", ")}\n`);
    expect(Math.max(...lost)).toBeLessThanOrEqual(4 * MIB);
    const last = await append(ada, location, offset, true, bytes.subarray(offset));
    expect(last).toMatchObject({ status: 202, body: { size_bytes: bytes.length, sha256: sha256Of(bytes) } });
    const { objectKey } = await deployment.db.videoUpload.findUniqueOrThrow({ where: { id: last.body.id } });
    expect(sha256Of(await readFile(join(deployment.dataDir, "objects", "objects", objectKey)))).toBe(sha256Of(bytes));
  });

  it("loses nothing of what a slow client has sent, two seconds after it has arrived", async () => {
    const first = await deployment.start("api");
    const ada = await deployment.as();
    const bytes = randomBytes(1_000_000);
    const location = await beginUpload(ada);
    const sent = await open(ada, first, location, [0, bytes.length], bytes.subarray(0, 600_000));
    await eventually("the bytes on record", async () => (await recorded(location)) === 600_000);
    await kill(first, sent);
    await using second = await startHere();
    const last = await append(second.anonymous(ada.authorization), location, 600_000, true, bytes.subarray(600_000));
    expect(last).toMatchObject({ status: 202, body: { sha256: sha256Of(bytes) } });
  });

  it("loses at most the last 4 MiB with a bucket, which then has the video byte for byte, and nothing else", async () => {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await s3rver.start(), (it) => it.stop());
    const { prefix, credentials } = server.settings();
    const bucket = await createS3Store({ ...server.settings(), prefix });
    const settings = {
      ...{ OBJECT_STORE: `s3://${server.bucket}/${prefix}`, S3_ENDPOINT: server.endpoint },
      ...{ S3_ACCESS_KEY_ID: credentials!.accessKeyId, S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey },
    };
    const bytes = randomBytes(14 * MIB);
    // Both start with an empty bucket, because s3rver can't list one object of several.
    const first = await deployment.start("api", settings);
    await using second = await startHere(settings);
    const ada = await second.as();
    const location = await beginUpload(ada);
    const sent = await open(ada, first, location, [0, bytes.length], bytes.subarray(0, -1));
    await eventually("all but the last piece on record", async () => (await recorded(location)) > 9 * MIB);
    await kill(first, sent);
    const offset = await offsetOf(ada, location);
    expect(bytes.length - offset).toBeLessThanOrEqual(5 * MIB);
    const pieces = await deployment.db.partialPiece.findMany({ where: { uploadId: idIn(location) } });
    expect(pieces.length).toBeGreaterThan(2);
    for (const { key, sha256 } of pieces) expect(sha256Of(await buffer((await bucket.get(key))!.stream))).toBe(sha256);
    const last = await append(ada, location, offset, true, bytes.subarray(offset));
    expect(last).toMatchObject({ status: 202, body: { size_bytes: bytes.length, sha256: sha256Of(bytes) } });
    const left = (await Array.fromAsync(bucket.list("video-uploads"))).map((it) => it.key);
    expect(left).toEqual([expect.stringContaining("/joined/")]);
    expect(sha256Of(await buffer((await bucket.get(left[0]!))!.stream))).toBe(sha256Of(bytes));
  });
});
