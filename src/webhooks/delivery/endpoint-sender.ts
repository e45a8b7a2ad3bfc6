import { attemptNext, type Target } from "./attempt.ts";
import type { DeliveryParts } from "./parts.ts";

/** How many events an endpoint gets at a time from one process, while its receiver is quick. */
const CONNECTIONS_PER_ENDPOINT = 8;
/** After a response that took longer, an endpoint gets one event at a time again. */
const SLOW_MS = 2_000;

/**
 * Sends one endpoint its ready deliveries. It begins with one at a time, and each quick success doubles that (slow start, RFC 5681), so a
 * receiver that stops answering holds few connections. After a failure, the dispatcher starts it again if more may be sent.
 */
export class EndpointSender {
  readonly #parts: DeliveryParts;
  readonly #target: Target;
  readonly #signal: AbortSignal;
  readonly #onIdle: () => void;
  #width = 1;
  #running = 0;

  constructor(parts: DeliveryParts, target: Target, signal: AbortSignal, onIdle: () => void) {
    this.#parts = parts;
    this.#target = target;
    this.#signal = signal;
    this.#onIdle = onIdle;
  }

  /** Starts an attempt, unless as many run as may. */
  start(): void {
    if (this.#running >= this.#width || this.#signal.aborted) return;
    this.#running++;
    void this.#attempt().then((goesOn) => {
      this.#running--;
      if (goesOn) this.start();
      if (this.#running === 0) this.#onIdle();
    });
  }

  /** Makes an attempt, and returns whether another one can follow at once. */
  async #attempt(): Promise<boolean> {
    try {
      const end = await attemptNext(this.#parts, this.#target, { signal: this.#signal, onClaimed: () => this.start() });
      if (end === null || end === "put back") return false;
      const isQuick = end.kind === "succeeded" && end.durationMs <= SLOW_MS;
      this.#width = isQuick ? Math.min(2 * this.#width, CONNECTIONS_PER_ENDPOINT) : 1;
      return end.kind === "succeeded";
    } catch (error) {
      this.#parts.log.debug({ err: error, endpoint_id: this.#target.id }, "a delivery was interrupted");
      return false;
    }
  }
}
