import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { contentTooLarge, Failure } from "../failure.ts";
import { MIN_PROGRESS_BYTES } from "../config.ts";
import { StorageFailure, type ObjectStore, type PutResult } from "../storage/object-store.ts";
import type { Digests } from "./digests.ts";

/** Called with the number of bytes received so far, before they are stored. Throws to refuse the rest. */
export type Meter = (bytes: number) => Promise<void>;
type Bounds = Digests & { readonly maxBytes: number; readonly idleMs: number; readonly meter: Meter };

/** The Content-Length of a request, or null. */
export function contentLengthOf(body: Readable): number | null {
  const length = (body as Partial<IncomingMessage>).headers?.["content-length"];
  return length === undefined ? null : Number(length);
}

/** Whether a request has no content (RFC 9112, 6.3). */
export function isEmpty(body: Readable): boolean {
  const isChunked = (body as Partial<IncomingMessage>).headers?.["transfer-encoding"] !== undefined;
  return !isChunked && (contentLengthOf(body) ?? 0) === 0;
}

/** Streams the body of a request into the store, with constant memory. When it rejects, no bytes stay in the store. */
export async function receive(
  store: ObjectStore,
  key: string,
  body: Readable,
  { maxBytes, idleMs, meter, content, whole }: Bounds,
): Promise<PutResult> {
  const check = async (chunk: Uint8Array, bytes: number) => {
    await meter(bytes);
    for (const it of [content, whole]) it?.update(chunk);
  };
  const source = withIdleTimeout(body, idleMs);
  const expectedBytes = contentLengthOf(body) ?? undefined;
  const stored = store.put(key, source, { maxBytes, expectedBytes, check, freesChunks: true, countsAsUpload: true });
  const received = await orTooLarge(stored, (error) => contentTooLarge("A video", maxBytes, error));
  const empty = new Failure("malformed_body", "The body is empty. Send the bytes of the video.");
  const refusal = received.sizeBytes === 0 ? empty : (content?.refusal() ?? whole?.refusal() ?? null);
  if (refusal === null) return received;
  await store.delete(key);
  throw refusal;
}

/** The result of a put. `refusal` makes the failure for a source of more than `maxBytes`. */
export const orTooLarge = <Result>(stored: Promise<Result>, refusal: (error: unknown) => Failure): Promise<Result> =>
  stored.catch((error: unknown) => {
    throw error instanceof StorageFailure && error.kind === "too_large" ? refusal(error) : error;
  });

/** Passes the chunks on, and fails if they arrive too slowly. The request stays open for its response. */
export async function* withIdleTimeout(body: Readable, idleMs: number): AsyncGenerator<Buffer> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let [leftMs, arrivedBytes] = [idleMs, 0];
  try {
    for (;;) {
      const idle = Promise.withResolvers<never>();
      const sinceMs = performance.now();
      // The time that the store takes doesn't count as idle time of the client.
      const timer = setTimeout(() => idle.reject(tooSlow(idleMs)), leftMs);
      const next = await Promise.race([chunks.next(), idle.promise]).finally(() => clearTimeout(timer));
      if (next.done === true) return;
      arrivedBytes += next.value.length;
      const hasAdvanced = arrivedBytes >= MIN_PROGRESS_BYTES;
      leftMs = hasAdvanced ? idleMs : leftMs - (performance.now() - sinceMs);
      if (hasAdvanced) arrivedBytes = 0;
      yield next.value;
    }
  } finally {
    // Not awaited, because a stuck body never settles.
    chunks.return?.().catch(() => undefined);
  }
}

const tooSlow = (idleMs: number) => new Failure("request_timeout", `Fewer than 64 KiB arrived within ${idleMs / 1_000} s.`);
