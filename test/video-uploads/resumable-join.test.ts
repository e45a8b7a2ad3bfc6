import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { startJobs, type Jobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { insertPartial } from "../../src/video-uploads/resumable/store.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import { append, findTransfer, openTransfers } from "../../src/video-uploads/resumable/service.ts";
import type { Client } from "../support/client.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { sha256Of } from "../support/videos.ts";

const log = pino({ level: "silent" });

describe("a resumable upload while its pieces are joined", () => {
  let service: TestService;
  let ada: Client;
  let jobs: Jobs;
  let real: ObjectStore;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api" });
    ada = await service.as();
    jobs = await startJobs(service.databaseUrl, [], { isWorker: false, log });
    real = createFileStore(join(service.dataDir, "objects"));
  });
  afterAll(async () => {
    await jobs.close();
    await service.close();
  });

  /** The uploads of one process, whose store returns the second piece only after `open`. */
  function processWithGate() {
    const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    const get: ObjectStore["get"] = async (key, range) => {
      reads++;
      if (reads === 2) {
        reached.resolve();
        await opened.promise;
      }
      return real.get(key, range);
    };
    const uploads = openTransfers({
      db: service.db,
      queue: jobs.queue,
      quota: createStorageQuota(service.db, 1e9),
      objects: { ...real, get },
      log,
      maxUploadBytes: 1e8,
      idleMs: 30_000,
    });
    return { uploads, reached: reached.promise, open: opened.resolve };
  }

  const bytes = [randomBytes(1_000), randomBytes(1_000)] as const;
  // A copy, because the store frees the chunks of a request.
  const bodyOf = (chunk: Buffer) => Readable.from([new Uint8Array(chunk)]);
  const digests = { content: null, whole: null };

  /** Makes an upload with its first piece, and a pending append of the second and last piece that waits while it joins them. */
  async function joining(process: ReturnType<typeof processWithGate>) {
    const upload = { ownerId: ada.userId, id: randomUUID() };
    await insertPartial(service.db, { ...upload, name: null, lengthBytes: null });
    await append(process.uploads, { ...upload, offset: 0, isLast: false, body: bodyOf(bytes[0]), digests });
    const last = settled(append(process.uploads, { ...upload, offset: 1_000, isLast: true, body: bodyOf(bytes[1]), digests }));
    await process.reached;
    return { upload, last };
  }

  const settled = (transfer: ReturnType<typeof append>) =>
    transfer.then(
      (it) => it,
      (error: unknown) => error,
    );

  it("makes a request for the offset wait, which does not interrupt it and then returns that it is complete", async () => {
    const process = processWithGate();
    const { upload, last } = await joining(process);
    const state = findTransfer(process.uploads, upload.ownerId, upload.id);
    // `state` waits and does not change the upload, so the append can complete it.
    await expect(
      Promise.race([state, service.db.partialUpload.findUnique({ where: { id: upload.id } }).then((it) => it?.pieceCount)]),
    ).resolves.toBe(2);
    process.open();
    expect(await last).toMatchObject({
      accepted: { id: upload.id, sizeBytes: 2_000n, sha256: sha256Of(Buffer.concat(bytes)) },
    });
    expect(await state).toMatchObject({ offsetBytes: 2_000, accepted: { id: upload.id } });
  });

  it("returns the same response for a repeated last request, and upload_offset_mismatch for another offset", async () => {
    const process = processWithGate();
    const { upload, last } = await joining(process);
    const repeated = settled(
      append(process.uploads, { ...upload, offset: 2_000, isLast: true, body: Readable.from([]), digests }),
    );
    const other = settled(append(process.uploads, { ...upload, offset: 1_000, isLast: true, body: bodyOf(bytes[1]), digests }));
    process.open();
    expect(await repeated).toEqual(await last);
    expect(await last).toMatchObject({ accepted: { id: upload.id } });
    expect(await other).toMatchObject({
      code: "upload_offset_mismatch",
      data: { upload: { offset: 2_000, isComplete: true } },
    });
  });

  it("creates one job with the right bytes if another process completes it, and the first request gets a mismatch", async () => {
    const process = processWithGate();
    const { upload, last } = await joining(process);
    const another = openTransfers({
      db: service.db,
      queue: jobs.queue,
      quota: createStorageQuota(service.db, 1e9),
      objects: real,
      log,
      maxUploadBytes: 1e8,
      idleMs: 30_000,
    });
    // A request for the offset does not take the upload from its writer, even in another process. An append does.
    const { writer } = await service.db.partialUpload.findUniqueOrThrow({ where: { id: upload.id } });
    expect(await findTransfer(another, upload.ownerId, upload.id)).toMatchObject({ offsetBytes: 2_000, accepted: null });
    expect(await service.db.partialUpload.findUniqueOrThrow({ where: { id: upload.id } })).toMatchObject({ writer });
    expect(await append(another, { ...upload, offset: 2_000, isLast: true, body: bodyOf(bytes[0]), digests })).toMatchObject({
      accepted: { sizeBytes: 3_000n },
    });
    process.open();
    expect(await last).toMatchObject({ code: "upload_offset_mismatch" });
    const { objectKey } = await service.db.videoUpload.findUniqueOrThrow({ where: { id: upload.id } });
    const chunks = [];
    for await (const chunk of (await real.get(objectKey))!.stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(Buffer.concat([...bytes, bytes[0]]))).toBe(true);
  });
});
