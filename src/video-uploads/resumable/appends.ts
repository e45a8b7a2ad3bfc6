import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Segments } from "./segments.ts";

type Append<T> = {
  readonly body: Readable;
  /** Set once the body is being read. */
  segments: Segments | null;
  /** Resolves when the request has ended, successfully or not. */
  readonly ended: Promise<void>;
  /** Set when all bytes of the upload have arrived: their number and the pending result. Then the request is not stopped. */
  completion: { readonly sizeBytes: number; readonly result: Promise<T> } | null;
};

const QUIET_MS = 100;
const QUIET_WAITS_MAX = 20;

/** Serializes the requests of this process that append to the same upload. A later one stops an earlier one. */
export function createAppends<T>() {
  const latest = new Map<string, Append<T>>();

  const stopped = async (append: Append<T> | undefined): Promise<void> => {
    if (append?.completion === null && !hasArrived(append.body)) append.body.destroy();
    await append?.ended;
  };

  return {
    /** Stops the request that appends to the upload, and waits for its end. */
    stop: (upload: string) => stopped(latest.get(upload)),

    /** Waits until the bytes received so far are durable. Does not stop a request that is still sending. */
    async flush(upload: string): Promise<void> {
      const append = latest.get(upload);
      if (append === undefined) return;
      if (append.completion !== null || hasArrived(append.body) || append.body.destroyed) await append.ended;
      else if ((await Promise.race([append.ended, quiet(append)])) === "quiet") await append.segments?.checkpoint();
    },

    completionOf: (upload: string) => latest.get(upload)?.completion ?? null,

    /** Stops an earlier request, waits until its bytes are durable, and runs `work`. */
    async run<R>(upload: string, body: Readable, work: (append: Append<T>) => Promise<R>): Promise<R> {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const append: Append<T> = { body, ended, segments: null, completion: null };
      const earlier = latest.get(upload);
      // Before the first await, so that a concurrent request finds this one.
      latest.set(upload, append);
      try {
        await stopped(earlier);
        return await work(append);
      } finally {
        // A later request may have replaced this one.
        if (latest.get(upload) === append) latest.delete(upload);
        end();
      }
    },
  };
}

/** Waits for at most two seconds, until no bytes arrive: the last bytes of a dead connection are often still in this process. */
async function quiet<T>(append: Append<T>): Promise<"quiet"> {
  for (let waited = 0, before = -1; waited < QUIET_WAITS_MAX; waited++) {
    const now = append.segments?.arrivedBytes ?? -1;
    if (now > 0 && now === before) break;
    before = now;
    await delay(QUIET_MS);
  }
  return "quiet";
}

/** Whether the whole body has arrived, read or not. Then its connection can stay open. */
const hasArrived = (body: Readable) => body.readableEnded || (body as Partial<IncomingMessage>).complete === true;
