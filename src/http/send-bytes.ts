import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { RequestRecord } from "../telemetry/request-record.ts";

/**
 * Sends a stream as the body of a response whose headers are set. Begins with the first bytes, so that the response can still be a problem
 * before. Rejects if the stream fails or is too short, but not if the client disconnects, which aborts `signal`.
 */
export async function sendBytes(
  { res, record }: { readonly res: ServerResponse; readonly record: Pick<RequestRecord, "sentBytes"> },
  bytes: Readable,
  signal: AbortSignal,
): Promise<void> {
  signal.addEventListener("abort", () => bytes.destroy());
  try {
    await once(bytes, "readable", { signal });
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      record.sentBytes += chunk.length;
      if (!res.write(chunk)) await once(res, "drain", { signal });
    }
    const { sentBytes } = record;
    const length = Number(res.getHeader("Content-Length") ?? sentBytes);
    if (sentBytes !== length) throw new Error(`A body of ${length} bytes ended after ${sentBytes}.`);
    res.end();
  } catch (error) {
    bytes.destroy();
    if (!res.destroyed) throw error;
  }
}
