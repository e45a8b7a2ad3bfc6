import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Segments } from "./segments.ts";

/** A request that adds to an upload at the moment. */
type Append<T> = {
  readonly body: Readable;
  /** Set when the body is being read. */
  segments: Segments | null;
  /** Resolves when the request has ended, successful or not. */
  readonly ended: Promise<void>;
  /** Set when every byte of the upload is there: how many they are, and the answer that is being made. It is not stopped any more. */
  completion: { readonly sizeBytes: number; readonly answer: Promise<T> } | null;
};

const QUIET_MS = 100;
const QUIET_WAITS_MAX = 20;

/** Has the requests of this process that add to the same upload run one after the other, a later one stopping an earlier one. */
export function createAppends<T>() {
  const latest = new Map<string, Append<T>>();

  const stopped = async (append: Append<T> | undefined): Promise<void> => {
    if (append?.completion === null && !hasArrived(append.body)) append.body.destroy();
    await append?.ended;
  };

  return {
    /** Stops the request that adds to the upload, and waits for its end. */
    stop: (upload: string) => stopped(latest.get(upload)),

    /** Waits until the bytes that have arrived up to now are recorded. A request that is still sending is not stopped. */
    async record(upload: string): Promise<void> {
      const append = latest.get(upload);
      if (append === undefined) return;
      if (append.completion !== null || hasArrived(append.body) || append.body.destroyed) await append.ended;
      else if ((await Promise.race([append.ended, quiet(append)])) === "quiet") await append.segments?.checkpoint();
    },

    completionOf: (upload: string) => latest.get(upload)?.completion ?? null,

    /** `continues` says whether the request begins where the recorded bytes end: then no later bytes of an earlier request count. */
    async run<R>(
      upload: string,
      body: Readable,
      continues: () => Promise<boolean>,
      work: (append: Append<T>) => Promise<R>,
    ): Promise<R> {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const append: Append<T> = { body, ended, segments: null, completion: null };
      const earlier = latest.get(upload);
      // Before anything is waited for, so that of two that come at once the second sees the first.
      latest.set(upload, append);
      try {
        if (earlier?.segments && (await continues())) earlier.segments.ignoreTail();
        await stopped(earlier);
        return await work(append);
      } finally {
        // Not when another one has come meanwhile: that one is the latest now.
        if (latest.get(upload) === append) latest.delete(upload);
        end();
      }
    },
  };
}

/**
 * Waits until nothing more has arrived for a moment, for two seconds at most. The last bytes of a connection that is dead
 * are often still on their way through this process, and a client that asks that early should be told of them.
 */
async function quiet<T>(append: Append<T>): Promise<"quiet"> {
  for (let waited = 0, before = -1; waited < QUIET_WAITS_MAX; waited++) {
    const now = append.segments?.arrivedBytes() ?? -1;
    if (now > 0 && now === before) break;
    before = now;
    await delay(QUIET_MS);
  }
  return "quiet";
}

/** Whether all of a body is there, though it may not have been read yet: its connection need not be ended. */
const hasArrived = (body: Readable) => body.readableEnded || (body as Partial<IncomingMessage>).complete === true;
