import { attemptNext, type Target } from "./attempt.ts";
import type { DeliveryParts } from "./parts.ts";

/** How many events a process sends to an endpoint at a time while its receiver is quick. */
const CONNECTIONS_PER_ENDPOINT = 8;
/** After a slower response, an endpoint gets one event at a time again. */
const SLOW_MS = 2_000;

/**
 * Sends to one endpoint: one at a time, doubled by each quick success (slow start, RFC 5681), so that a hanging receiver holds
 * few connections.
 */
export class EndpointSender {
  readonly #parts: DeliveryParts;
  readonly #target: Target;
  readonly #signal: AbortSignal;
  readonly #onIdle: () => void;
  #window = 1;
  #running = 0;

  constructor(parts: DeliveryParts, target: Target, signal: AbortSignal, onIdle: () => void) {
    this.#parts = parts;
    this.#target = target;
    this.#signal = signal;
    this.#onIdle = onIdle;
  }

  /** Starts an attempt if the window allows one. */
  start(): void {
    if (this.#running >= this.#window || this.#signal.aborted) return;
    this.#running++;
    void this.#attempt().then((continues) => {
      this.#running--;
      if (continues) this.start();
      if (this.#running === 0) this.#onIdle();
    });
  }

  /** Returns whether another attempt can follow at once. */
  async #attempt(): Promise<boolean> {
    try {
      const result = await attemptNext(this.#parts, this.#target, { signal: this.#signal, onClaimed: () => this.start() });
      if (result === null || result === "released") return false;
      const isQuick = result.kind === "succeeded" && result.durationMs <= SLOW_MS;
      this.#window = isQuick ? Math.min(2 * this.#window, CONNECTIONS_PER_ENDPOINT) : 1;
      return result.kind === "succeeded";
    } catch (error) {
      this.#parts.log.debug({ err: error, endpoint_id: this.#target.id }, "a delivery was interrupted");
      return false;
    }
  }
}
