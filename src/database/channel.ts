import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { every } from "../util/every.ts";
import { withClient } from "./session.ts";

/** Also in the trigger of video_uploads. */
const CHANNEL = "plumbline_changes";
/** Tells everybody that words may be lost. */
const EVERYTHING = "*";
/** The shortest time between two notifications, each of which is a transaction. What is told in between is sent together. */
const GAP_MS = 10;
const RETRY_MS = 200;
const CHECK_MS = 5_000;
const TIMEOUT_MS = 3_000;
/** More words than these are sent as one for everything. */
const PENDING_MAX = 10_000;
/** PostgreSQL allows less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_900;

type Options = {
  /** Without a pooler, because a session listens. */
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Is told of each word of another process. */
  readonly heard: (word: string) => void;
  /** Words may be lost. */
  readonly missed: () => void;
};

/**
 * Tells words without spaces to all other processes, and hears theirs, on one connection that is opened again if it is lost. It is
 * fast, and not reliable: a word is lost with the process that tells it.
 */
export class Channel {
  readonly #options: Options;
  readonly #closing = new AbortController();
  readonly #pending = new Set<string>();
  readonly #running: Promise<void>;
  #current: pg.Client | null = null;
  #isSending = false;
  #isLossLogged = false;

  constructor(options: Options) {
    this.#options = options;
    this.#running = this.#stayConnected();
  }

  tell(word: string): void {
    if (this.#pending.size >= PENDING_MAX) {
      this.#pending.clear();
      this.#pending.add(EVERYTHING);
    }
    if (!this.#pending.has(EVERYTHING)) this.#pending.add(word);
    void this.#sendPending();
  }

  /** Sends what is left, and closes the connection. */
  async close(): Promise<void> {
    await this.#notify().catch(() => undefined);
    this.#closing.abort();
    await this.#running;
  }

  async #sendPending(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#current !== null && this.#pending.size > 0) {
      // If it fails, the connection is opened again, and then sends it again.
      await this.#notify().catch(() => undefined);
      await delay(GAP_MS, undefined, { ref: false });
    }
    this.#isSending = false;
  }

  async #notify(): Promise<void> {
    const words = [...this.#pending];
    if (this.#current === null || words.length === 0) return;
    this.#pending.clear();
    try {
      const payloads = payloadsOf(words);
      await this.#current.query(`SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`, [payloads]);
    } catch (error) {
      for (const word of words) this.#pending.add(word);
      throw error;
    }
  }

  async #stayConnected(): Promise<void> {
    const { databaseUrl: connectionString, log } = this.#options;
    const times = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
    const config = { connectionString, ...times, keepAlive: true, application_name: "plumbline changes" };
    await every(RETRY_MS, this.#closing.signal, () =>
      withClient(config, (client) => this.#listen(client)).catch((error: unknown) => {
        if (this.#isLossLogged || this.#closing.signal.aborted) return;
        this.#isLossLogged = true;
        log.warn({ err: error }, "the connection for changes of other processes was lost");
      }),
    );
  }

  /** Rejects when the connection is lost, or when the channel closes. */
  async #listen(client: pg.Client): Promise<never> {
    const { heard, missed } = this.#options;
    const { promise: lost, reject: lose } = Promise.withResolvers<never>();
    lost.catch(() => (this.#current = null));
    client.on("error", lose);
    client.on("end", () => lose(new Error("PostgreSQL has closed the connection.")));
    client.on("notification", ({ processId, payload = "" }) => {
      if (processId === (client as unknown as { readonly processID: number }).processID) return;
      if (payload === EVERYTHING) missed();
      else for (const word of payload.split(" ")) heard(word);
    });
    // The words need no durable commit.
    await client.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}`);
    this.#current = client;
    this.#isLossLogged = false;
    missed();
    void this.#sendPending();
    try {
      for (;;) {
        await Promise.race([lost, delay(CHECK_MS, undefined, { signal: this.#closing.signal, ref: false })]);
        // A connection through a network that drops packets looks open.
        await client.query("SELECT 1");
      }
    } finally {
      this.#current = null;
    }
  }
}

/** The words in as few payloads as possible. */
function payloadsOf(words: readonly string[]): string[] {
  const payloads: string[] = [];
  for (const word of words) {
    const last = payloads.at(-1);
    if (last !== undefined && last.length + word.length < PAYLOAD_BYTES) payloads[payloads.length - 1] = `${last} ${word}`;
    else payloads.push(word);
  }
  return payloads;
}
