import { createHash, randomUUID, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { UploadError, type Api, type VideoUpload } from "./api.ts";
import { withRetries } from "./retry.ts";

type File = { readonly path: string; readonly sizeBytes: number; readonly name: string };
type Options = {
  readonly url: string;
  readonly signal: AbortSignal;
  onProgress(sentBytes: number): void;
  onRetry(reason: string): void;
};

const CHUNK_BYTES = 256 * 1024;

/**
 * Uploads a file with constant memory. All attempts have the same Idempotency-Key. After the last byte, a cancellation waits for
 * the job to delete.
 */
export async function send(api: Api, file: File, { url, signal, onProgress, onRetry }: Options): Promise<VideoUpload> {
  const idempotencyKey = randomUUID();
  let sha256 = "";
  const { data } = await withRetries({ url, signal, isKnown: false, onRetry }, async () => {
    const connection = new AbortController();
    const hash = createHash("sha256");
    let sentBytes = 0;
    const onBytes = (bytes: number) => onProgress((sentBytes += bytes));
    const abortUnlessSent = () => {
      if (sentBytes < file.sizeBytes) connection.abort(signal.reason);
    };
    signal.throwIfAborted();
    signal.addEventListener("abort", abortUnlessSent, { once: true });
    try {
      const result = await api.POST("/video-uploads", {
        params: { query: { name: file.name }, header: { "Idempotency-Key": idempotencyKey } },
        // With the length, the service can refuse a file that is too large before it arrives.
        headers: { "Content-Type": "application/octet-stream", "Content-Length": String(file.sizeBytes) },
        body: file.path,
        bodySerializer: (path) => ReadableStream.from(chunksOf(path, hash, connection.signal, onBytes)),
        duplex: "half",
        signal: connection.signal,
      });
      sha256 = hash.digest("hex");
      return result;
    } finally {
      signal.removeEventListener("abort", abortUnlessSent);
    }
  });
  // Only a resumable upload returns a success without a body.
  if (data === undefined) throw new UploadError("The service accepted the upload but returned no job.");
  if (data.sha256 !== sha256) {
    await api.DELETE("/video-uploads/{job_id}", { params: { path: { job_id: data.id } } });
    throw new UploadError("The file was damaged in transit or changed during the upload, so the upload was deleted.");
  }
  return data;
}

async function* chunksOf(
  path: string,
  hash: Hash,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    // Otherwise the rest of the file would be read.
    if (signal.aborted) return;
    hash.update(chunk);
    yield chunk;
    // The chunk has been sent when the next one is requested.
    onBytes(chunk.byteLength);
  }
}
