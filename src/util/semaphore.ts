/** A permit. Disposing of it gives it back; disposing again does nothing. */
export type Permit = Disposable;

export type SemaphoreOptions = {
  /** How many permits there are. */
  readonly max: number;
  /** How many permits one key can hold. */
  readonly maxPerKey?: number;
  /**
   * Whether a key that holds permits gets another only while more are free than it holds. Some then stay free for other keys, however many
   * a few keys want (dynamic thresholds, Choudhury and Hahne, 1998): n keys that want all get max / (n + 1) each.
   */
  readonly sharesPermits?: boolean;
};

/** Shows a semaphore under a name in the metrics. */
export type WatchSemaphore = (name: string, semaphore: Pick<Semaphore, "held" | "waiting">) => void;

type Waiter = { readonly grant: () => void };

/**
 * A semaphore whose permits are shared by keys, such as users: first in, first out within a key, and round robin between keys. Every second
 * turn is for a key that had no waiter before: it doesn't wait for a turn of each key with many (the new flows of RFC 8290). No kept library has both; p-queue and Bottleneck have one queue, or one limit for each key and none for all.
 */
export class Semaphore {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #sharesPermits: boolean;
  readonly #held = new Map<string, number>();
  /** The waiters of keys that had none before, in the order of arrival. */
  readonly #new = new Map<string, Set<Waiter>>();
  /** The waiters of the other keys, in the order of their turns. */
  readonly #others = new Map<string, Set<Waiter>>();
  #isTurnOfNew = true;
  #heldInAll = 0;
  #waiting = 0;
  #onDrained: (() => void)[] = [];

  constructor({ max, maxPerKey = max, sharesPermits = false }: SemaphoreOptions) {
    this.#max = max;
    this.#maxPerKey = maxPerKey;
    this.#sharesPermits = sharesPermits;
  }

  /** How many permits are held. */
  get held(): number {
    return this.#heldInAll;
  }

  /** How many callers wait for a permit. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A permit for a key, or null if it can't have one at once. */
  tryAcquire(key = ""): Permit | null {
    return this.#waitersOf(key) === undefined && this.#canHold(key) ? this.#take(key) : null;
  }

  /** Waits for a permit. Rejects with the reason of the signal if it aborts before. */
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
    if (waiters === undefined) this.#new.set(key, new Set([waiter]));
    else waiters.add(waiter);
    return promise;
  }

  /** Resolves as soon as no permit is held. */
  drained(): Promise<void> {
    return this.#heldInAll === 0 ? Promise.resolve() : new Promise((resolve) => this.#onDrained.push(resolve));
  }

  #canHold(key: string): boolean {
    const [held, free] = [this.#held.get(key) ?? 0, this.#max - this.#heldInAll];
    if (free <= 0 || held >= this.#maxPerKey) return false;
    return !this.#sharesPermits || held === 0 || held < free;
  }

  #take(key: string): Permit {
    this.#heldInAll++;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return new HeldPermit(this.#giveBack, key);
  }

  /** A function of its own, which all permits share. */
  readonly #giveBack = (key: string): void => {
    this.#heldInAll--;
    const left = this.#held.get(key)! - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    if (this.#waiting > 0) this.#grantNext();
    if (this.#heldInAll > 0 || this.#onDrained.length === 0) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  };

  #waitersOf(key: string): Set<Waiter> | undefined {
    return this.#new.get(key) ?? this.#others.get(key);
  }

  /** Gives free permits to the keys whose turn it is. */
  #grantNext(): void {
    while (this.#heldInAll < this.#max) {
      const isShared = this.#new.size > 0 && this.#others.size > 0;
      const [first, second] = this.#isTurnOfNew ? [this.#new, this.#others] : [this.#others, this.#new];
      if (!this.#grantOneOf(first) && !this.#grantOneOf(second)) return;
      if (isShared) this.#isTurnOfNew = !this.#isTurnOfNew;
    }
  }

  /** Gives a permit to the first key that can have one. Its next turn is behind the other keys. */
  #grantOneOf(queues: Map<string, Set<Waiter>>): boolean {
    for (const [key, waiters] of queues) {
      if (!this.#canHold(key)) continue;
      const [first] = waiters;
      first!.grant();
      queues.delete(key);
      if (waiters.size > 0) this.#others.set(key, waiters);
      return true;
    }
    return false;
  }

  #remove(key: string, waiter: Waiter): void {
    const waiters = this.#waitersOf(key);
    if (!waiters?.delete(waiter)) return;
    this.#waiting--;
    if (waiters.size > 0) return;
    this.#new.delete(key);
    this.#others.delete(key);
  }
}

/** A class, because each request holds a few, and an object with a function of its own takes twice as long to create. */
class HeldPermit implements Disposable {
  #giveBack: ((key: string) => void) | null;
  readonly #key: string;

  constructor(giveBack: (key: string) => void, key: string) {
    this.#giveBack = giveBack;
    this.#key = key;
  }

  [Symbol.dispose](): void {
    const giveBack = this.#giveBack;
    this.#giveBack = null;
    giveBack?.(this.#key);
  }
}
