import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Answer, Body, Client } from "./client.ts";
import { eventually } from "./eventually.ts";
import { makeClip } from "./media.ts";
import type { TestService } from "./service.ts";

/** The bytes of a short video, always the same. */
export async function smallClip(): Promise<Buffer> {
  return readFile(await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "mp4" }));
}

/** Uploads bytes, or the file at a path. Returns the body of the 202. */
export async function upload(client: Client, video: Uint8Array | string, query = ""): Promise<Body> {
  const answer = await client("POST", `/video-uploads${query}`, typeof video === "string" ? await readFile(video) : video);
  if (answer.status !== 202) throw new Error(`The upload was not accepted: ${answer.text}`);
  return answer.body;
}

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

/** The jobs that are in the queue, waiting or running. */
export async function queuedJobs(service: TestService): Promise<readonly Body[]> {
  return service.db.$queryRaw<Body[]>`SELECT id, state, retry_count FROM pgboss.job WHERE name = 'video-uploads'`;
}

export const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Sends chunks as a stream, so that the request has no Content-Length. */
export function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks);
}

/** The problem code of each response, or else its status, to compare many responses at once. */
export const codesOf = (answers: readonly Answer[]) => answers.map((it) => it.body?.code ?? it.status);
