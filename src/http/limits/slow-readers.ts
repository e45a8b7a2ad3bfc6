import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { RequestHandler } from "express";
import { MIN_PROGRESS_BYTES } from "../../config.ts";

/**
 * Writes the body of an answer as fast as the client reads it, and disconnects a client that reads fewer than 64 KiB in
 * `stallMs`, whether it reads slowly or not at all. Rejects when it has `left`.
 */
function createWriter(res: ServerResponse, stallMs: number) {
  const end = res.end.bind(res);
  const left = new AbortController();
  if (res.closed) left.abort();
  res.once("close", () => left.abort());
  let leftMs = stallMs;
  let offeredBytes = 0;

  /** Waits for the reader; what the source takes its time for is not counted. */
  const taken = async (event: "drain" | "finish"): Promise<void> => {
    const sinceMs = performance.now();
    const stalled = setTimeout(() => res.destroy(), leftMs);
    await once(res, event, { signal: left.signal }).finally(() => clearTimeout(stalled));
    leftMs -= performance.now() - sinceMs;
    if (offeredBytes < MIN_PROGRESS_BYTES) return;
    offeredBytes = 0;
    leftMs = stallMs;
  };

  return {
    /** Aborted when the client has left or was disconnected. */
    left: left.signal,
    async write(bytes: Uint8Array): Promise<void> {
      for (let at = 0; at < bytes.length; at += MIN_PROGRESS_BYTES) {
        left.signal.throwIfAborted();
        const piece = bytes.subarray(at, at + MIN_PROGRESS_BYTES);
        offeredBytes += piece.length;
        if (!res.write(piece)) await taken("drain");
      }
    },
    /** Ends the answer, and resolves when its last byte has been taken. */
    async end(): Promise<void> {
      left.signal.throwIfAborted();
      const finished = taken("finish");
      end();
      await finished;
    },
  };
}

/**
 * Sends a stream as the body of an answer whose headers are set. Nothing goes out before the stream has its first bytes,
 * so that a store that fails at once can still be answered with a problem. Rejects when the stream breaks or is too
 * short; a client that leaves, or that takes too little in `stallMs`, is nothing to report: its connection is ended.
 */
export async function sendBytes(res: ServerResponse, bytes: Readable, stallMs: number): Promise<void> {
  const writer = createWriter(res, stallMs);
  writer.left.addEventListener("abort", () => bytes.destroy());
  try {
    await once(bytes, "readable", { signal: writer.left });
    let sentBytes = 0;
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      sentBytes += chunk.length;
      await writer.write(chunk);
    }
    const length = Number(res.getHeader("Content-Length") ?? sentBytes);
    if (sentBytes !== length) throw new Error(`A body of ${length} bytes ended after ${sentBytes}.`);
    await writer.end();
  } catch (error) {
    bytes.destroy();
    if (!res.destroyed) throw error;
  }
}

/**
 * Holds the reader of every answer to the least rate, whoever makes it: what is ended with a large body goes out in
 * pieces, as only the last byte of a single write is ever heard of.
 */
export function paceAnswers(stallMs: number): RequestHandler {
  return (_req, res, next) => {
    const end = res.end.bind(res) as (...args: unknown[]) => typeof res;
    const paced = (chunk?: unknown, encoding?: unknown, callback?: unknown) => {
      // `close` has been said already, and a timer that waits for it would hold the request for nothing.
      if (res.closed) return end(chunk, encoding, callback);
      const bytes = largeBody(chunk, encoding);
      if (bytes === null) {
        const stalled = setTimeout(() => res.destroy(), stallMs);
        res.once("close", () => clearTimeout(stalled));
        return end(chunk, encoding, callback);
      }
      if (!res.headersSent) res.setHeader("Content-Length", bytes.length);
      res.end = end as typeof res.end;
      const writer = createWriter(res, stallMs);
      // A client that has left is not a failure.
      writer
        .write(bytes)
        .then(() => writer.end())
        .catch(() => undefined);
      return res;
    };
    res.end = paced as typeof res.end;
    next();
  };
}

function largeBody(chunk: unknown, encoding: unknown): Uint8Array | null {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk, (encoding as BufferEncoding | undefined) ?? "utf8") : chunk;
  return bytes instanceof Uint8Array && bytes.length > MIN_PROGRESS_BYTES ? bytes : null;
}
