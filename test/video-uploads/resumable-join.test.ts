import { randomBytes, randomUUID, randomUUIDv7 } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import {
  addPiece,
  claimPartial,
  findPartial,
  findPieces,
  insertPartial,
  removePartial,
  truncatePieces,
} from "../../src/video-uploads/resumable/store.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import { append, findTransfer, openTransfers } from "../../src/video-uploads/resumable/service.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { sha256Of } from "../support/videos.ts";

const log = pino({ level: "silent" });
const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());
const jobs = prepare(() => startJobs(service.databaseUrl, [], { isWorker: false, log }));
const real = prepare(async () => createFileStore(join(service.dataDir, "objects")));

/** The uploads of a process. */
const transfersOf = (objects: ObjectStore) =>
  openTransfers({
    ...{ db: service.db, queue: jobs.queue, quota: createStorageQuota(service.db, 1e9), objects, log },
    ...{ maxUploadBytes: 1e8, idleMs: 30_000 },
  });

describe("a resumable upload while its pieces are joined", () => {
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
    const uploads = transfersOf({ ...real, get });
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
    await append(process.uploads, { ...upload, ...parts(0, false, bodyOf(bytes[0])) });
    const last = settled(append(process.uploads, { ...upload, ...parts(1_000, true, bodyOf(bytes[1])) }));
    await process.reached;
    return { upload, last };
  }

  const settled = (transfer: ReturnType<typeof append>) =>
    transfer.then(
      (it) => it,
      (error: unknown) => error,
    );

  const parts = (offset: number, isLast: boolean, body: Readable) => ({ offset, isLast, body, announcedBytes: null, digests });
  it("makes a request for the offset wait, which does not interrupt it and then returns that it is complete", async () => {
    const process = processWithGate();
    const { upload, last } = await joining(process);
    const state = findTransfer(process.uploads, upload.ownerId, upload.id);
    // `state` waits and does not change the upload, so the append can complete it.
    await expect(
      Promise.race([state, service.db.partialUpload.findUnique({ where: { id: upload.id } }).then((it) => it?.pieceCount)]),
    ).resolves.toBe(2);
    process.open();
    expect(await last).toMatchObject({ accepted: { id: upload.id, sizeBytes: 2_000n, sha256: sha256Of(Buffer.concat(bytes)) } });
    expect(await state).toMatchObject({ offsetBytes: 2_000, accepted: { id: upload.id } });
  });

  it("returns the same response for a repeated last request, and upload_offset_mismatch for another offset", async () => {
    const process = processWithGate();
    const { upload, last } = await joining(process);
    const repeated = settled(append(process.uploads, { ...upload, ...parts(2_000, true, Readable.from([])) }));
    const other = settled(append(process.uploads, { ...upload, ...parts(1_000, true, bodyOf(bytes[1])) }));
    process.open();
    expect(await repeated).toEqual(await last);
    expect(await last).toMatchObject({ accepted: { id: upload.id } });
    expect(await other).toMatchObject({ code: "upload_offset_mismatch", data: { upload: { offset: 2_000, isComplete: true } } });
  });

  it("creates one job with the right bytes if another process completes it, and the first request gets a mismatch", async () => {
    const process = processWithGate();
    const { upload, last } = await joining(process);
    const another = transfersOf(real);
    // A request for the offset does not take the upload from its writer, even in another process. An append does.
    const { writer } = await service.db.partialUpload.findUniqueOrThrow({ where: { id: upload.id } });
    expect(await findTransfer(another, upload.ownerId, upload.id)).toMatchObject({ offsetBytes: 2_000, accepted: null });
    expect(await service.db.partialUpload.findUniqueOrThrow({ where: { id: upload.id } })).toMatchObject({ writer });
    expect(await append(another, { ...upload, ...parts(2_000, true, bodyOf(bytes[0])) })).toMatchObject({
      accepted: { sizeBytes: 3_000n },
    });
    process.open();
    expect(await last).toMatchObject({ code: "upload_offset_mismatch" });
    const { objectKey } = await service.db.videoUpload.findUniqueOrThrow({ where: { id: upload.id } });
    const chunks = [];
    for await (const chunk of (await real.get(objectKey))!.stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(Buffer.concat([...bytes, bytes[0]]))).toBe(true);
  });

  it("can't be completed without one of its pieces", async () => {
    const { uploads } = processWithGate();
    const upload = { ownerId: ada.userId, id: randomUUID(), announcedBytes: null, digests };
    await insertPartial(service.db, { id: upload.id, ownerId: upload.ownerId, name: null, lengthBytes: null });
    await append(uploads, { ...upload, offset: 0, isLast: false, body: bodyOf(bytes[0]) });
    const { key } = await service.db.partialPiece.findFirstOrThrow({ where: { uploadId: upload.id } });
    await real.delete(key);
    const last = settled(append(uploads, { ...upload, offset: 1_000, isLast: true, body: bodyOf(bytes[1]) }));
    expect(await last).toMatchObject({ code: "upload_offset_mismatch", data: { upload: { isComplete: false } } });
    expect(await service.db.videoUpload.count({ where: { id: upload.id } })).toBe(0);
  });
});

const piece = (key: string) => ({ key, sizeBytes: 10, sha256: "0".repeat(64), newPieces: 1 });

describe("a writer that has lost a resumable upload to another writer", () => {
  it("can't add or remove pieces, and can't complete the upload", async () => {
    const { db } = service;
    const { userId: ownerId } = await service.as();
    const [id, first, second] = [randomUUIDv7(), randomUUID(), randomUUID()];
    await insertPartial(db, { id, ownerId, name: null, lengthBytes: null });
    const begun = (await claimPartial(db, { ownerId, id, writer: first }))!;
    expect(await addPiece(db, { id, writer: first, ...piece("one") })).toBe(1);
    await claimPartial(db, { ownerId, id, writer: second });
    expect(await addPiece(db, { id, writer: second, ...piece("two") })).toBe(1);

    expect(await addPiece(db, { id, writer: first, ...piece("late") })).toBe(0);
    expect(await truncatePieces(db, { id, writer: first, offsetBytes: begun.offsetBytes })).toBeNull();
    expect(await removePartial(db, { id, writer: first, ownerId: null })).toBeNull();
    expect((await findPieces(db, { id })).map((it) => it.key)).toEqual(["one", "two"]);
    expect(await findPartial(db, { id, ownerId })).toMatchObject({ offsetBytes: 20, pieceCount: 2 });
    expect(await removePartial(db, { id, writer: second, ownerId: null })).toEqual({ ownerId, sizeBytes: 20 });
  });

  it("can't be a user that doesn't own the upload", async () => {
    const { db } = service;
    const [{ userId: ownerId }, { userId: stranger }] = [await service.as(), await service.as()];
    const id = randomUUIDv7();
    await insertPartial(db, { id, ownerId, name: null, lengthBytes: null });
    expect(await claimPartial(db, { ownerId: stranger, id, writer: randomUUID() })).toBeNull();
  });
});
