/** As many callers are no overload, however slow the service is. */
const CALLERS_MIN = 64;
/** The weight of the last measurement in the average time between two starts. */
const WEIGHT = 1 / 64;
/** The time between two starts before it has been measured. */
const GAP_MS = 0.5;

/**
 * Tells an overload from a burst, in the terms of CoDel (RFC 8289): a queue is an overload if the delay of a new request has been
 * above the target for a whole interval. The interval is as long as the target. Unlike CoDel, it counts callers, because each of
 * them has a queue of its own, and requests are refused when they arrive, so that nobody waits for a refusal.
 */
export class OverloadDetector {
  readonly #targetMs: number;
  #firstAboveMs: number | null = null;
  #gapMs = GAP_MS;
  /** When a request that had waited last began; null if none has waited since. */
  #startedMs: number | null = null;

  /** The delay of a new request that is acceptable for any time. 0: any delay is. */
  constructor(targetMs: number) {
    this.#targetMs = targetMs;
  }

  /** A request that has waited begins. */
  recordStart(): void {
    const nowMs = performance.now();
    if (this.#startedMs !== null) this.#gapMs += (nowMs - this.#startedMs - this.#gapMs) * WEIGHT;
    this.#startedMs = nowMs;
  }

  /** Nobody waits, so the time to the next start says nothing about the time that a start takes. */
  recordIdle(): void {
    this.#startedMs = null;
  }

  /** The number of callers that wait has changed. */
  recordCallers(callers: number): void {
    const most = Math.max(CALLERS_MIN, this.#targetMs / this.#gapMs);
    if (callers >= most) this.#firstAboveMs ??= performance.now();
    // Not as soon as there is room for one more: under an overload, that is all the time.
    else if (callers < most / 4) this.#firstAboveMs = null;
  }

  /** Whether a request that begins after `starts` others has to be refused. */
  refuses(starts: number): boolean {
    if (this.#targetMs === 0 || this.#firstAboveMs === null) return false;
    return performance.now() - this.#firstAboveMs >= this.#targetMs && starts * this.#gapMs > this.#targetMs;
  }
}
