import { setTimeout as delay } from "node:timers/promises";
import { openPersistentConnection, type PersistentConnection, type PlainAnswer } from "../support/keep-alive.ts";
import type { Event, Recorder } from "./recorder.ts";

export type Ask = { readonly line: string; readonly key?: string; readonly body?: object };
export type Caller = {
  /** Sends a request once. Returns null if it was refused or lost. */
  once(ask: Ask): Promise<PlainAnswer | null>;
  /** Repeats a request until it succeeds, as a real client does. Returns null if the clients stop before that. */
  untilDone(ask: Ask): Promise<PlainAnswer | null>;
  /** Uses the other API process from now on, as if a load balancer chose it. */
  change(): void;
  close(): void;
};

type CallerParts = {
  readonly urls: readonly string[];
  readonly authorization: string;
  readonly recorder: Recorder;
  readonly random: (below: number) => number;
  readonly isStopped: () => boolean;
};

/** A real client has a timeout, too. The service answers before it. */
const TIMEOUT_MS = 30_000;
const RETRY_MS = 40;

/** What a fault explains: the service is unavailable, or an attempt with the same key is still running. */
const isExplained = ({ status, text }: PlainAnswer) =>
  status === 503 || (status === 409 && text.includes('"idempotency_in_progress"'));

/** A client with one connection. If the connection is lost, it connects to the other API process. */
export function createCaller({ urls, authorization, recorder, random, isStopped }: CallerParts, first: number): Caller {
  let target = first % urls.length;
  let connection: PersistentConnection | null = null;
  const open = () => (connection ??= openPersistentConnection(urls[target]!, `Authorization: ${authorization}\r\n`));
  const close = () => {
    connection?.socket.destroy();
    connection = null;
  };
  const change = () => {
    close();
    target = (target + 1) % urls.length;
  };
  const once = async ({ line, key, body }: Ask): Promise<PlainAnswer | null> => {
    const timer = setTimeout(close, TIMEOUT_MS);
    const asked = target;
    const answer = await open().ask(line, {
      ...(key === undefined ? {} : { headers: `Idempotency-Key: ${key}\r\n` }),
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    clearTimeout(timer);
    const note = (outcome: Event["outcome"]) => recorder.events.push({ atMs: performance.now(), outcome, target: asked });
    if (answer === null) {
      note("lost");
      change();
      return null;
    }
    if (answer.connection === "close") close();
    if (answer.status >= 200 && answer.status < 300) {
      note(key === undefined ? "read" : "acknowledged");
      return answer;
    }
    note("refused");
    if (!isExplained(answer)) recorder.unexpected.push(`${line}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return null;
  };
  return {
    once,
    async untilDone(ask) {
      for (;;) {
        const answer = await once(ask);
        if (answer !== null || isStopped()) return answer;
        await delay(RETRY_MS + random(RETRY_MS));
      }
    },
    change,
    close,
  };
}
