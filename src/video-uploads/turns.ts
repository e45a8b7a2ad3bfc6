import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** What one request does to an upload at the moment. */
export type Turn<T> = {
  readonly body: Readable;
  /** Resolves when it has ended, well or not. */
  readonly over: Promise<void>;
  /** From when it has every byte: how many they are, and the answer that is being made. Such a turn is not stopped any more. */
  joining: { readonly sizeBytes: number; readonly answer: Promise<T> } | null;
};

export type Turns<T> = ReturnType<typeof createTurns<T>>;

/** Lets the requests of this process that add to the same upload do so one after the other, a later one stopping an earlier one. */
export function createTurns<T>() {
  const latest = new Map<string, Turn<T>>();

  /** Stops whoever is still sending to the upload, and waits until nobody is at it. */
  const quiet = async (upload: string): Promise<void> => {
    const earlier = latest.get(upload);
    if (earlier?.joining === null && !hasArrived(earlier.body)) earlier.body.destroy();
    await earlier?.over;
  };

  return {
    quiet,
    present: (upload: string) => latest.get(upload),

    async take<R>(upload: string, body: Readable, work: (turn: Turn<T>) => Promise<R>): Promise<R> {
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const turn: Turn<T> = { body, over, joining: null };
      const isQuiet = quiet(upload);
      // Before anything is waited for, so that of two that come at once the second sees the first.
      latest.set(upload, turn);
      try {
        await isQuiet;
        return await work(turn);
      } finally {
        // Not when another one has come meanwhile: that one is the latest now.
        if (latest.get(upload) === turn) latest.delete(upload);
        end();
      }
    },
  };
}

/** Whether nothing is missing of a body, though it may not have been read yet: it would be a pity to end its connection. */
const hasArrived = (body: Readable) => body.readableEnded || (body as Partial<IncomingMessage>).complete === true;
