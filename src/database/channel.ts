import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { every } from "../util/every.ts";
import { withClient } from "./session.ts";

/** The trigger of video_uploads has the same name. */
const CHANNEL = "plumbline_changes";
/** Stands for all topics, because some may be lost. */
const WILDCARD = "*";
/** The time between two notifications, each of which is a transaction. Topics within this time are batched. */
const BATCH_MS = 10;
const RETRY_MS = 200;
const CHECK_MS = 5_000;
const TIMEOUT_MS = 3_000;
/** Above this number, one wildcard is sent. */
const PENDING_MAX = 10_000;
/** PostgreSQL allows less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_900;

type Options = {
  /** Without a pooler, because LISTEN needs a session. */
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Called for each topic of another process. */
  readonly onTopic: (topic: string) => void;
  /** Called when topics may be lost. */
  readonly onGap: () => void;
};

/**
 * Broadcasts topics to the other processes over LISTEN and NOTIFY, on one connection that is reopened if it is lost. A topic contains no
 * spaces. Delivery is not reliable: topics are lost with their process.
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

  publish(topic: string): void {
    if (this.#pending.size >= PENDING_MAX) {
      this.#pending.clear();
      this.#pending.add(WILDCARD);
    }
    if (!this.#pending.has(WILDCARD)) this.#pending.add(topic);
    void this.#sendPending();
  }

  /** Sends the pending topics, and closes the connection. */
  async close(): Promise<void> {
    await this.#notify().catch(() => undefined);
    this.#closing.abort();
    await this.#running;
  }

  async #sendPending(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#current !== null && this.#pending.size > 0) {
      // After a failure, the topics stay pending until the connection is reopened.
      await this.#notify().catch(() => undefined);
      await delay(BATCH_MS, undefined, { ref: false });
    }
    this.#isSending = false;
  }

  async #notify(): Promise<void> {
    const topics = [...this.#pending];
    if (this.#current === null || topics.length === 0) return;
    this.#pending.clear();
    try {
      const payloads = payloadsOf(topics);
      await this.#current.query(`SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`, [payloads]);
    } catch (error) {
      for (const topic of topics) this.#pending.add(topic);
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
    const { onTopic, onGap } = this.#options;
    const { promise: lost, reject: lose } = Promise.withResolvers<never>();
    lost.catch(() => (this.#current = null));
    client.on("error", lose);
    client.on("end", () => lose(new Error("PostgreSQL has closed the connection.")));
    client.on("notification", ({ processId, payload = "" }) => {
      if (processId === (client as unknown as { readonly processID: number }).processID) return;
      if (payload === WILDCARD) onGap();
      else for (const topic of payload.split(" ")) onTopic(topic);
    });
    // A notification needs no durable commit.
    await client.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}`);
    this.#current = client;
    this.#isLossLogged = false;
    onGap();
    void this.#sendPending();
    try {
      for (;;) {
        await Promise.race([lost, delay(CHECK_MS, undefined, { signal: this.#closing.signal, ref: false })]);
        // A connection over a network that drops packets seems open.
        await client.query("SELECT 1");
      }
    } finally {
      this.#current = null;
    }
  }
}

/** Joins topics into as few payloads as possible. */
function payloadsOf(topics: readonly string[]): string[] {
  const payloads: string[] = [];
  for (const topic of topics) {
    const last = payloads.at(-1);
    if (last !== undefined && last.length + topic.length < PAYLOAD_BYTES) payloads[payloads.length - 1] = `${last} ${topic}`;
    else payloads.push(topic);
  }
  return payloads;
}
