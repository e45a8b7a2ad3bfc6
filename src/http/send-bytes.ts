import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/**
 * Sends a stream as the body of an answer whose headers are set. Nothing goes out before the stream has its first bytes,
 * so that a store that fails at once can still be answered with a problem. Rejects when the stream breaks or is too
 * short; a client that leaves, or that takes nothing for `stallMs`, is nothing to report: its connection is ended.
 */
export async function sendBytes(res: ServerResponse, bytes: Readable, stallMs: number): Promise<void> {
  const left = new AbortController();
  const leave = () => {
    left.abort();
    bytes.destroy();
  };
  if (res.destroyed) leave();
  res.once("close", leave);
  /** Waits for the client, while nobody waits for the store. */
  const taken = async (event: "drain" | "finish") => {
    const stalled = setTimeout(() => res.destroy(), stallMs);
    await once(res, event, { signal: left.signal }).finally(() => clearTimeout(stalled));
  };
  try {
    await once(bytes, "readable", { signal: left.signal });
    let sentBytes = 0;
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      sentBytes += chunk.length;
      if (!res.write(chunk)) await taken("drain");
    }
    const length = Number(res.getHeader("Content-Length") ?? sentBytes);
    if (sentBytes !== length) throw new Error(`A body of ${length} bytes ended after ${sentBytes}.`);
    const finished = taken("finish");
    res.end();
    await finished;
  } catch (error) {
    bytes.destroy();
    if (!res.destroyed) throw error;
  } finally {
    res.off("close", leave);
  }
}
