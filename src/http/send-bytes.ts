import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { createWriter } from "./limits/slow-readers.ts";

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
