/** Fewer waiting callers than this never count as an overload. */
const CALLERS_MIN = 64;
/** The weight of the last measurement in the average time between two starts. */
const WEIGHT = 1 / 64;
/** The initial value of the time between two starts. */
const GAP_MS = 0.5;

/**
 * Distinguishes an overload from a burst like CoDel (RFC 8289). Under an overload, the delay of new requests has been above the target for an
 * interval, here as long as the target. Unlike CoDel, it counts callers, because each has a queue, and refuses requests on arrival.
 */
export class OverloadDetector {
  readonly #targetMs: number;
  #firstAboveMs: number | null = null;
  #gapMs = GAP_MS;
  /** When a queued request last started; null if the queues were empty since. */
  #startedMs: number | null = null;

  /** `targetMs` is the acceptable delay of a new request. 0: any delay. */
  constructor(targetMs: number) {
    this.#targetMs = targetMs;
  }

  /** Call it when a queued request starts. */
  recordStart(): void {
    const nowMs = performance.now();
    if (this.#startedMs !== null) this.#gapMs += (nowMs - this.#startedMs - this.#gapMs) * WEIGHT;
    this.#startedMs = nowMs;
  }

  /** Call it when all queues are empty, because the time to the next start is then no measurement. */
  recordIdle(): void {
    this.#startedMs = null;
  }

  /** Call it when the number of waiting callers changes. */
  recordCallers(callers: number): void {
    const most = Math.max(CALLERS_MIN, this.#targetMs / this.#gapMs);
    if (callers >= most) this.#firstAboveMs ??= performance.now();
    // With hysteresis, because under an overload the number varies around the limit.
    else if (callers < most / 4) this.#firstAboveMs = null;
  }

  /** Whether to refuse a request that would start after `starts` others. */
  refuses(starts: number): boolean {
    if (this.#targetMs === 0 || this.#firstAboveMs === null) return false;
    return performance.now() - this.#firstAboveMs >= this.#targetMs && starts * this.#gapMs > this.#targetMs;
  }
}
