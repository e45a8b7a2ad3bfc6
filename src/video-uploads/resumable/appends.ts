import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Segments } from "./segments.ts";

/** What one request does to an upload at the moment. */
export type Turn<T> = {
  readonly body: Readable;
  /** From when it is being read. */
  segments: Segments | null;
  /** Resolves when it has ended, well or not. */
  readonly over: Promise<void>;
  /** From when it has every byte: how many they are, and the answer that is being made. Such a turn is not stopped any more. */
  joining: { readonly sizeBytes: number; readonly answer: Promise<T> } | null;
};

export type Turns<T> = ReturnType<typeof createTurns<T>>;

/** Lets the requests of this process that add to the same upload do so one after the other, a later one stopping an earlier one. */
export function createTurns<T>() {
  const latest = new Map<string, Turn<T>>();

  const quieted = async (turn: Turn<T> | undefined): Promise<void> => {
    if (turn?.joining === null && !hasArrived(turn.body)) turn.body.destroy();
    await turn?.over;
  };

  return {
    /** Stops whoever is still sending to the upload, and waits until nobody is at it. */
    quiet: (upload: string) => quieted(latest.get(upload)),

    /** Waits until what has arrived up to now is on record. Whoever is still sending is not stopped. */
    async settled(upload: string): Promise<void> {
      const turn = latest.get(upload);
      if (turn === undefined) return;
      if (turn.joining !== null || hasArrived(turn.body) || turn.body.destroyed) await turn.over;
      else if ((await Promise.race([turn.over, lull(turn)])) === "lull") await turn.segments?.checkpoint();
    },

    present: (upload: string) => latest.get(upload),

    /** `agrees` says whether what is on record is what the request goes on from: then nothing more of an earlier one counts. */
    async take<R>(
      upload: string,
      body: Readable,
      { agrees, work }: { agrees(): Promise<boolean>; work(turn: Turn<T>): Promise<R> },
    ): Promise<R> {
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const turn: Turn<T> = { body, over, segments: null, joining: null };
      const earlier = latest.get(upload);
      // Before anything is waited for, so that of two that come at once the second sees the first.
      latest.set(upload, turn);
      try {
        if (earlier?.segments && (await agrees())) earlier.segments.ignoreTail();
        await quieted(earlier);
        return await work(turn);
      } finally {
        // Not when another one has come meanwhile: that one is the latest now.
        if (latest.get(upload) === turn) latest.delete(upload);
        end();
      }
    },
  };
}

/**
 * Waits until nothing more has come for a moment, and not for long. Of a connection that is dead, what it had brought is
 * often still on its way through this process; whoever asks that early should be told of it.
 */
async function lull<T>(turn: Turn<T>): Promise<"lull"> {
  for (let waited = 0, before = -1; waited < LULL_WAITS_MAX; waited++) {
    const now = turn.segments?.arrivedBytes() ?? -1;
    if (now > 0 && now === before) break;
    before = now;
    await delay(LULL_MS);
  }
  return "lull";
}

const LULL_MS = 100;
const LULL_WAITS_MAX = 20;

/** Whether nothing is missing of a body, though it may not have been read yet: it would be a pity to end its connection. */
const hasArrived = (body: Readable) => body.readableEnded || (body as Partial<IncomingMessage>).complete === true;
