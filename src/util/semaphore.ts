/** A permit. Its disposal releases it; further disposals have no effect. */
export type Permit = Disposable;

export type SemaphoreOptions = {
  /** How many permits there are. */
  readonly max: number;
  /** How many permits one key can hold. */
  readonly maxPerKey?: number;
  /**
   * Whether a key gets another permit only while more are free than it holds (dynamic thresholds, Choudhury and Hahne, 1998). Then n greedy
   * keys get max / (n + 1) each, and can't hold all.
   */
  readonly sharesPermits?: boolean;
};

/** Adds a semaphore to the metrics. */
export type WatchSemaphore = (name: string, semaphore: Pick<Semaphore, "held" | "waiting">) => void;

type Waiter = { readonly grant: () => void };

/**
 * A semaphore with keys, such as users: FIFO within a key, round robin between keys. Every second grant is for a key without earlier waiters,
 * a new flow (RFC 8290). Neither p-queue nor Bottleneck has both a limit for each key and one in total.
 */
export class Semaphore {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #sharesPermits: boolean;
  readonly #held = new Map<string, number>();
  /** The waiters of keys that had none before, in the order of arrival. */
  readonly #newFlows = new Map<string, Set<Waiter>>();
  /** The waiters of all other keys, in round-robin order. */
  readonly #oldFlows = new Map<string, Set<Waiter>>();
  #isNewFlowNext = true;
  #totalHeld = 0;
  #waiting = 0;
  #onDrained: (() => void)[] = [];

  constructor({ max, maxPerKey = max, sharesPermits = false }: SemaphoreOptions) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
    this.#sharesPermits = sharesPermits;
  }

  /** How many permits are held. */
  get held(): number {
    return this.#totalHeld;
  }

  /** How many callers wait for a permit. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A permit for a key, or null if none is available at once. */
  tryAcquire(key = ""): Permit | null {
    return this.#waitersOf(key) === undefined && this.#canHold(key) ? this.#take(key) : null;
  }

  /** Waits for a permit. Rejects with the reason of `signal` if it aborts before. */
  async acquire(key: string, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    const permit = this.tryAcquire(key);
    if (permit !== null) return permit;
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiter: Waiter = {
      grant: () => {
        signal.removeEventListener("abort", leave);
        this.#remove(key, waiter);
        resolve(this.#take(key));
      },
    };
    const leave = () => {
      this.#remove(key, waiter);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting++;
    const waiters = this.#waitersOf(key);
    if (waiters === undefined) this.#newFlows.set(key, new Set([waiter]));
    else waiters.add(waiter);
    return promise;
  }

  /** Resolves when no permit is held. */
  drained(): Promise<void> {
    return this.#totalHeld === 0 ? Promise.resolve() : new Promise((resolve) => this.#onDrained.push(resolve));
  }

  #canHold(key: string): boolean {
    const [held, free] = [this.#held.get(key) ?? 0, this.#max - this.#totalHeld];
    if (free <= 0 || held >= this.#maxPerKey) return false;
    return !this.#sharesPermits || held === 0 || held < free;
  }

  #take(key: string): Permit {
    this.#totalHeld++;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return new HeldPermit(this.#release, key);
  }

  /** A property, so that all permits share one function. */
  readonly #release = (key: string): void => {
    this.#totalHeld--;
    const left = this.#held.get(key)! - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    if (this.#waiting > 0) this.#grantNext();
    if (this.#totalHeld > 0 || this.#onDrained.length === 0) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  };

  #waitersOf(key: string): Set<Waiter> | undefined {
    return this.#newFlows.get(key) ?? this.#oldFlows.get(key);
  }

  /** Grants free permits, alternately to new and old flows. */
  #grantNext(): void {
    while (this.#totalHeld < this.#max) {
      const isShared = this.#newFlows.size > 0 && this.#oldFlows.size > 0;
      const [first, second] = this.#isNewFlowNext ? [this.#newFlows, this.#oldFlows] : [this.#oldFlows, this.#newFlows];
      if (!this.#grantOneOf(first) && !this.#grantOneOf(second)) return;
      if (isShared) this.#isNewFlowNext = !this.#isNewFlowNext;
    }
  }

  /** Grants a permit to the first key that can have one, and moves the key to the end. */
  #grantOneOf(queues: Map<string, Set<Waiter>>): boolean {
    for (const [key, waiters] of queues) {
      if (!this.#canHold(key)) continue;
      const [first] = waiters;
      first!.grant();
      queues.delete(key);
      if (waiters.size > 0) this.#oldFlows.set(key, waiters);
      return true;
    }
    return false;
  }

  #remove(key: string, waiter: Waiter): void {
    const waiters = this.#waitersOf(key);
    if (!waiters?.delete(waiter)) return;
    this.#waiting--;
    if (waiters.size > 0) return;
    this.#newFlows.delete(key);
    this.#oldFlows.delete(key);
  }
}

/** A class, because an object with its own closure takes twice as long to create, and each request needs a few. */
class HeldPermit implements Disposable {
  #release: ((key: string) => void) | null;
  readonly #key: string;

  constructor(release: (key: string) => void, key: string) {
    this.#release = release;
    this.#key = key;
  }

  [Symbol.dispose](): void {
    const release = this.#release;
    this.#release = null;
    release?.(this.#key);
  }
}
