import type { Mutant } from "./mutant.ts";

const RESUMABLE = ["test/video-uploads/resumable-upload.test.ts"];
const FENCE = ["test/video-uploads/attempt-fence.test.ts"];
const LOST = ["test/video-uploads/lost-attempt.test.ts"];

/** Guards of uploads, of their jobs, and of the programs that read untrusted files. */
export const videos: readonly Mutant[] = [
  {
    what: "The child of the engine can gain privileges",
    from: `["--no-new-privs", "--pdeathsig", "KILL"]`,
    to: `["--pdeathsig", "KILL"]`,
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
  },
  {
    what: "The child of the engine outlives the service",
    from: `["--no-new-privs", "--pdeathsig", "KILL"]`,
    to: `["--no-new-privs"]`,
    tests: ["test/video-uploads/media-child.slow.test.ts"],
    only: "dies with the service",
  },
  {
    what: "The wasm engine can read all files",
    from: "...readable.map((path) => `--allow-fs-read=${path}`),",
    to: `"--allow-fs-read=*",`,
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
  },
  {
    what: "The wasm engine can write all files",
    from: "...writes.map((path) => `--allow-fs-write=${path}`),",
    to: `"--allow-fs-write=*",`,
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
  },
  {
    what: "The child of the engine has unlimited processor time",
    from: "    `--cpu=${cpuSeconds}`,\n",
    to: "",
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
  },
  {
    what: "Native ffmpeg has unlimited memory",
    from: "const memory = [`--as=${limits.memoryMaxBytes}`];",
    to: "const memory: string[] = [];",
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
  },
  {
    what: "Native ffmpeg writes files of any size",
    from: "    `--fsize=${limits.outputMaxBytes}`,\n",
    to: "",
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
  },
  {
    what: "ffmpeg can open any protocol",
    from: "words(`-protocol_whitelist file -format_whitelist ${demuxer} -f ${demuxer}`)",
    to: "words(`-format_whitelist ${demuxer} -f ${demuxer}`)",
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
    only: "no address",
  },
  {
    what: "ffmpeg decodes what the service passes over",
    from: "-codec_whitelist ${DECODER_WHITELIST}",
    to: "-codec_whitelist ${INITIALISED_WHITELIST}",
    tests: ["test/video-uploads/sandbox-limits.test.ts"],
    only: "no address",
  },
  {
    what: "A child can stall for any length of time",
    from: `setTimeout(() => stop("stalled"), stallTimeoutMs)`,
    to: `setTimeout(() => undefined, stallTimeoutMs)`,
    tests: ["test/video-uploads/media-child.slow.test.ts"],
    only: "without advancing",
  },
  {
    what: "The child gets the environment of the service",
    from: `env: {},\n      ...user`,
    to: `env: process.env,\n      ...user`,
    tests: ["test/video-uploads/media-child.slow.test.ts"],
    only: "the environment of the service",
  },
  {
    what: "An attempt begins twice",
    from: "AND status IN ('queued', 'processing') AND attempt < ${attempt}`;",
    to: "AND status IN ('queued', 'processing')`;",
    tests: FENCE,
  },
  {
    what: "An attempt begins for an upload that has ended",
    from: "AND status IN ('queued', 'processing') AND attempt < ${attempt}`;",
    to: "AND attempt < ${attempt}`;",
    tests: FENCE,
  },
  {
    what: "An earlier attempt reports its progress",
    from: "WHERE id = ${videoUploadId}::uuid AND status = 'processing' AND attempt = ${attempt}`;\n  return noted",
    to: "WHERE id = ${videoUploadId}::uuid AND status = 'processing'`;\n  return noted",
    tests: FENCE,
  },
  {
    what: "An earlier attempt ends the job with its result",
    from: `present(fence), { status: "succeeded"`,
    to: `{ id: fence.videoUploadId, status: "processing" }, { status: "succeeded"`,
    tests: FENCE,
  },
  {
    what: "An earlier attempt marks the job as failed",
    from: `present(fence), { status: "failed"`,
    to: `{ id: fence.videoUploadId, status: "processing" }, { status: "failed"`,
    tests: FENCE,
  },
  {
    what: "An earlier attempt puts the job back in the queue",
    from: `updateMany({ where: present(fence), data })`,
    to: `updateMany({ where: { id: fence.videoUploadId, status: "processing" }, data })`,
    tests: FENCE,
  },
  {
    what: "An attempt that has lost its upload removes the original and leaves its renditions",
    from: `if (!(await finishWith(env, attempt, (tx) => succeedWith(tx, env, attempt, upload, result)))) {
      await removeObjectsNow(env, madeFolder);
      return "lost";
    }`,
    to: `await finishWith(env, attempt, (tx) => succeedWith(tx, env, attempt, upload, result));`,
    tests: LOST,
  },
  {
    what: "An attempt that has lost its upload ends the job",
    from: `if (row !== null) await attempt.complete(tx);`,
    to: `await attempt.complete(tx);`,
    tests: LOST,
  },
  {
    what: "The owner is notified of a result that is discarded",
    from: `if (row !== null) await notify(tx, [row.ownerId], noticeOf(row));`,
    to: `const told = row ?? (await tx.videoUpload.findFirst());
    if (told !== null) await notify(tx, [told.ownerId], noticeOf(told));`,
    tests: LOST,
  },
  {
    what: "Progress decreases",
    from: "percent = greatest(percent, ${Math.min(99, Math.floor(percent))}::int)",
    to: "percent = ${Math.min(99, Math.floor(percent))}::int",
    tests: FENCE,
  },
  {
    what: "A result is not checked against the contract",
    from: `    env.checkResult(upload.id, result);\n`,
    to: ``,
    tests: ["test/video-uploads/worker-faults.slow.test.ts", "test/video-uploads/result-check.test.ts"],
  },
  {
    what: "When the result of a commit is unknown, the attempt removes its files",
    from: `if (await hasSucceeded(db, attempt))`,
    to: `if (attempt.attempt < 0)`,
    tests: ["test/operations/lost-commit.slow.test.ts"],
    only: "a job succeeds",
  },
  {
    what: "Another user's upload is shown",
    from: `tx.videoUpload.findFirst({ where: { id, ownerId } })`,
    to: `tx.videoUpload.findFirst({ where: { id } })`,
    tests: ["test/video-uploads/get-video-upload.test.ts"],
  },
  {
    what: "Another user's upload can be deleted",
    from: `DELETE FROM video_uploads WHERE id = \${id}::uuid AND owner_id = \${ownerId}::uuid`,
    to: `DELETE FROM video_uploads WHERE id = \${id}::uuid AND (owner_id = \${ownerId}::uuid OR true)`,
    tests: ["test/contract/authorization.test.ts"],
    only: "deleteVideoUpload, stranger",
  },
  {
    what: "A replayed upload leaves its own bytes in the store",
    from: `if (answer.body.id !== id) await removeObjectsNow(parts, folderOf(id));`,
    to: ``,
    tests: ["test/video-uploads/create-video-upload.test.ts"],
  },
  {
    what: "A repeated upload of other bytes gets the first response",
    from: `once(db, input, accept, { content })`,
    to: `once(db, input, accept, { content: { name: upload.name } })`,
    tests: ["test/video-uploads/create-video-upload.test.ts"],
  },
  {
    what: "A digest that does not match is not refused",
    from: `if (hash.digest("base64") === digest) return null;`,
    to: `if (hash.digest("base64") !== "") return null;`,
    tests: ["test/video-uploads/create-video-upload.test.ts"],
    only: "[Dd]igest",
  },
  {
    what: "Concurrent uploads of one user exceed the storage quota",
    from: `    await reserve(tx, claimant, bytes);\n    await requireRoom(tx, claimant.ownerId);`,
    to: `    await reserve(tx, claimant, bytes);`,
    tests: ["test/video-uploads/storage-quota.test.ts"],
  },
  {
    what: "The storage that an upload reserves is not released",
    from: `close: () => release(db, claimant.id) };`,
    to: `close: () => Promise.resolve() };`,
    tests: ["test/video-uploads/storage-quota.test.ts"],
  },
  {
    what: "Another user can append to a resumable upload",
    from: `tx.partialUpload.updateManyAndReturn({ where: { id, ownerId }, data: { writer } })`,
    to: `tx.partialUpload.updateManyAndReturn({ where: { id }, data: { writer } })`,
    tests: ["test/video-uploads/resumable-fence.test.ts"],
  },
  {
    what: "A writer that has lost the upload can add pieces",
    from: "WHERE id = ${id}::uuid AND writer = ${writer}::uuid RETURNING id, piece_count",
    to: "WHERE id = ${id}::uuid RETURNING id, piece_count",
    tests: ["test/video-uploads/resumable-fence.test.ts"],
  },
  {
    what: "Two requests join the same upload",
    from: `AND (owner_id = \${ownerId}::uuid OR writer = \${writer}::uuid)`,
    to: `AND (owner_id = \${ownerId}::uuid OR writer = \${writer}::uuid OR true)`,
    tests: ["test/video-uploads/resumable-fence.test.ts"],
  },
  {
    what: "Bytes are appended at another offset than the client says",
    from: `if (offset !== null && offset !== row.offsetBytes) throw mismatch(row.offsetBytes, false);`,
    to: ``,
    tests: RESUMABLE,
  },
  {
    what: "A resumed upload is replayed for another length and name",
    from: `const content = { resumable: true, isLast, name: fresh.name, lengthBytes };`,
    to: `const content = { resumable: true, isLast };`,
    tests: RESUMABLE,
    only: "key",
  },
  {
    what: "A resumed upload whose pieces are being joined is replayed for other bytes",
    from: `if (isLast && completion !== null && offset === completion.sizeBytes) return`,
    to: `if (isLast && completion !== null) return`,
    tests: ["test/video-uploads/resumable-join.test.ts"],
    only: "repeated last request",
  },
  {
    what: "A resumed upload is shorter than announced",
    from: `if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes)`,
    to: `if (row.lengthBytes === -1)`,
    tests: RESUMABLE,
  },
  {
    what: "An upload can have any number of short pieces",
    from: `if (pieceCount < SHORT_PIECES_MAX || sizeBytes >= leastPieceBytes) return null;`,
    to: `if (pieceCount < PIECES_MAX) return null;`,
    tests: ["test/video-uploads/resumable-bounds.test.ts"],
  },
  {
    what: "A slow client can hold a slot for any length of time",
    from: `watched(body, idleMs, () => idle.abort()),`,
    to: `watched(body, idleMs, () => undefined),`,
    tests: ["test/video-uploads/slow-clients.slow.test.ts"],
    only: "trickles",
  },
  {
    what: "A file is published before it is flushed to the disk",
    from: `  await file.sync();\n`,
    to: ``,
    tests: ["test/storage/file-store-durability.test.ts"],
  },
  {
    what: "The name of a file is lost in a power cut",
    from: `  await syncFolder(folder);\n}`,
    to: `}`,
    tests: ["test/storage/file-store-durability.test.ts"],
  },
  {
    what: "A put that fails does not remove its bytes",
    from: `await rm(unfinished, { force: true }).catch(() => undefined);`,
    to: ``,
    tests: ["test/storage/file-store.test.ts", "test/storage/object-store.test.ts"],
  },
  {
    what: "An object can be created twice",
    from: `if (hasCode(error, "EEXIST")) return false;`,
    to: `if (hasCode(error, "EEXIST")) return true;`,
    tests: ["test/storage/file-store.test.ts"],
    only: "creates an object once",
  },
  {
    what: "What is kept counts for nobody",
    from: `key: folderOf(id), ...row }`,
    to: `key: folderOf(id), ...row, sizeBytes: 0 }`,
    tests: ["test/video-uploads/kept-objects.slow.test.ts"],
    only: "count for their owner",
  },
  {
    what: "The sweep takes what is kept for orphans",
    from: `    if (kept.has(key)) return [];\n`,
    to: ``,
    tests: ["test/video-uploads/kept-objects.slow.test.ts"],
    only: "no orphans",
  },
  {
    what: "The row of a kept object goes before the object",
    from: `  await objects.deletePrefix(key);
  await forgetKept(db, key);`,
    to: `  await forgetKept(db, key);
  await objects.deletePrefix(key);`,
    tests: ["test/video-uploads/kept-objects.slow.test.ts"],
    only: "interrupted",
  },
  {
    what: "The sweep deletes objects that a backup has restored",
    from: `const orphans = (await orphansAmong(db, due, keepOriginals)).map(({ key }) => key);`,
    to: `const orphans = due;`,
    tests: ["test/video-uploads/sweep.test.ts"],
    only: "inserted during the sweep|being resumed",
  },
];
