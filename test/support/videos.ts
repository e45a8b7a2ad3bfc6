import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { patient, type Answer, type Body, type Client } from "./client.ts";
import { eventually } from "./eventually.ts";
import { makeClip } from "./media.ts";
import type { TestService } from "./service.ts";

/** The bytes of a short video, always the same. */
export async function smallClip(): Promise<Buffer> {
  return readFile(await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "mp4" }));
}

/** Uploads bytes, or the file at a path, again after a 503. Returns the body of the 202. */
export async function upload(client: Client, video: Uint8Array | string, query = ""): Promise<Body> {
  const bytes = typeof video === "string" ? await readFile(video) : video;
  const answer = await patient(client)("POST", `/video-uploads${query}`, bytes);
  if (answer.status !== 202) throw new Error(`The upload was not accepted: ${answer.text}`);
  return answer.body;
}

/** Appends bytes to a resumable upload. */
export const append = (client: Client, location: string, offset: number, isLast: boolean, bytes: Uint8Array | ReadableStream) =>
  client("PATCH", location, bytes, {
    headers: {
      "Content-Type": "application/partial-upload",
      "Upload-Offset": String(offset),
      "Upload-Complete": isLast ? "?1" : "?0",
    },
  });

export const uploadPath = (it: Body) => `/video-uploads/${it.id}`;

/** Each request takes time from the engine, which has a lower priority. */
const POLL_MS = 50;

/**
 * Polls until the job has ended, and returns it. Throws if `percent` decreases within an attempt; an attempt ends when the
 * job is queued again. An engine has the lowest priority, so that on a busy machine even a small video can take minutes.
 */
export async function finished(client: Client, job: Body, timeoutMs = 480_000): Promise<Body> {
  let last = { attempt: 0, percent: 0 };
  return eventually(
    `the end of the job ${job.id}`,
    async () => {
      const { body } = await client("GET", uploadPath(job));
      const {
        attempt,
        status,
        progress: { percent },
      } = body;
      if (status === "queued") last = { attempt, percent };
      if (attempt < last.attempt || (attempt === last.attempt && percent < last.percent))
        throw new Error(`The progress fell from ${JSON.stringify(last)} to ${attempt}, ${percent}.`);
      last = { attempt, percent };
      return body.status === "succeeded" || body.status === "failed" ? body : null;
    },
    timeoutMs,
    POLL_MS,
  );
}

/** Polls until the job has this status. */
export function reaches(client: Client, job: Body, status: string, timeoutMs = 90_000): Promise<Body> {
  return eventually(
    `${status} of the job ${job.id}`,
    async () => {
      const { body } = await client("GET", uploadPath(job));
      return body.status === status ? body : null;
    },
    timeoutMs,
  );
}

/** The marker of a file store, which exists from the first start. */
const MARKER = "objects/objects/plumbline-database.json";

/** All files of videos in the data directory of a service: complete objects, incomplete ones, and temporary files of workers. */
export async function storedFiles(service: Pick<TestService, "dataDir">, folder = ""): Promise<string[]> {
  const entries = await readdir(join(service.dataDir, folder), { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name).slice(service.dataDir.length + 1))
    .filter((it) => it !== MARKER && it !== "service.url")
    .sort();
}

/** Removes all uploads, their jobs and their files, so that the next test of a file begins without any. No worker must run. */
export async function removeVideos({ db, dataDir }: Pick<TestService, "db" | "dataDir">): Promise<void> {
  await db.videoUpload.deleteMany();
  await db.partialUpload.deleteMany();
  await db.retainedObject.deleteMany();
  await db.$executeRaw`DELETE FROM pgboss.job`;
  for (const folder of ["objects/objects/video-uploads", "scratch"])
    await rm(join(dataDir, folder), { recursive: true, force: true });
  // What a killed process was receiving. The folder stays, because the store made it at its start.
  for (const file of await storedFiles({ dataDir }, "objects/incoming")) await rm(join(dataDir, file));
}

/** The jobs that are in the queue, waiting or running. */
export async function queuedJobs(service: Pick<TestService, "db">): Promise<readonly Body[]> {
  return service.db.$queryRaw<Body[]>`SELECT id, state, retry_count FROM pgboss.job WHERE name = 'video-uploads'`;
}

export const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Sends chunks as a stream, so that the request has no Content-Length. */
export function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks);
}

/** The problem code of each response, or else its status, to compare many responses at once. */
export const codesOf = (answers: readonly Answer[]) => answers.map((it) => it.body?.code ?? it.status);
