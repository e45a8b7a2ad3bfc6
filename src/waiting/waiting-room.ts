import type { ServerResponse } from "node:http";
import { isOfUser, type Topic } from "./topics.ts";

/** How many requests that were woken read again at the same time, so that a change for thousands delays nobody else. */
const READING_MAX = 16;

type Limits = { readonly max: number; readonly maxPerCaller: number };
/** `wake` is null while it doesn't sleep. */
type Waiter = { hasChanged: boolean; wake: (() => void) | null };

/** A request that may wait for a topic. Changes count from the moment that it enters. */
export type Place = Disposable & {
  /**
   * True as soon as the topic has changed since the last call. False if the time is over, if the client has disconnected, or if no
   * request may wait any more.
   */
  changed(untilMs: number, res: ServerResponse): Promise<boolean>;
};

/** The requests of this process that wait, by what they wait for. They hold nothing but their connection. */
export class WaitingRoom {
  readonly #limits: Limits;
  readonly #waiters = new Map<Topic, Set<Waiter>>();
  readonly #perCaller = new Map<string, number>();
  /** Those that were woken, and wait for their turn to read. */
  readonly #line: (() => void)[] = [];
  #total = 0;
  /** Counted, because each message asks for it. */
  #ofUsers = 0;
  #asleep = 0;
  #reading = 0;
  #isClosed = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How many requests wait. */
  get size(): number {
    return this.#asleep;
  }

  /** Whether a request may wait for the notifications of its user. */
  get hasUsers(): boolean {
    return this.#ofUsers > 0;
  }

  wake(topic: Topic): void {
    for (const waiter of this.#waiters.get(topic) ?? []) {
      waiter.hasChanged = true;
      waiter.wake?.();
    }
  }

  /** Wakes all, because a topic may be lost. */
  wakeAll(): void {
    for (const topic of this.#waiters.keys()) this.wake(topic);
  }

  /** Null if no request may wait any more, or if as many wait as may. */
  enter(caller: string, topic: Topic): Place | null {
    const ofCaller = this.#perCaller.get(caller) ?? 0;
    if (this.#isClosed || this.#total >= this.#limits.max || ofCaller >= this.#limits.maxPerCaller) return null;
    const waiter: Waiter = { hasChanged: false, wake: null };
    this.#total++;
    if (isOfUser(topic)) this.#ofUsers++;
    this.#perCaller.set(caller, ofCaller + 1);
    this.#waiters.set(topic, (this.#waiters.get(topic) ?? new Set()).add(waiter));
    return {
      changed: (untilMs, res) => this.#changed(waiter, untilMs, res),
      [Symbol.dispose]: () => this.#leave(caller, topic, waiter),
    };
  }

  /** Reads again, when it is the turn of a request that was woken. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (this.#reading >= READING_MAX) await new Promise<void>((resolve) => void this.#line.push(resolve));
    else this.#reading++;
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#reading--;
      else next();
    }
  }

  /** Ends all waits, and lets no request wait any more. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#waiters.values()) for (const { wake } of waiters) wake?.();
  }

  async #changed(waiter: Waiter, untilMs: number, res: ServerResponse): Promise<boolean> {
    if (!waiter.hasChanged && !this.#isClosed && !res.closed) {
      this.#asleep++;
      await sleep(waiter, untilMs, res);
      this.#asleep--;
    }
    const { hasChanged } = waiter;
    waiter.hasChanged = false;
    return hasChanged && !res.closed;
  }

  #leave(caller: string, topic: Topic, waiter: Waiter): void {
    this.#total--;
    if (isOfUser(topic)) this.#ofUsers--;
    const left = this.#perCaller.get(caller)! - 1;
    if (left > 0) this.#perCaller.set(caller, left);
    else this.#perCaller.delete(caller);
    const others = this.#waiters.get(topic)!;
    others.delete(waiter);
    if (others.size === 0) this.#waiters.delete(topic);
  }
}

/** Until it is woken, its client disconnects, or its time is over. */
function sleep(waiter: Waiter, untilMs: number, res: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    res.off("close", end);
    waiter.wake = null;
    resolve();
  };
  const timer = setTimeout(end, untilMs - performance.now());
  res.once("close", end);
  waiter.wake = end;
  return promise;
}
