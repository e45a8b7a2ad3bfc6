import type { ServerResponse } from "node:http";
import { Semaphore, type Permit } from "../util/semaphore.ts";
import { isOfUser, type Topic } from "./topics.ts";

/** How many requests that were woken read again at the same time, so that a change for thousands delays no other request. */
const READING_MAX = 16;

type Limits = { readonly max: number; readonly maxPerCaller: number };
/** `wake` is null while it doesn't sleep. */
type Waiter = { hasChanged: boolean; wake: (() => void) | null };

/** A request that may wait for a topic. Changes count from the moment that it enters. */
export type Entry = Disposable & {
  /**
   * True as soon as the topic has changed since the last call. False if the time is over, if the client has disconnected, or if no
   * request may wait any more.
   */
  changed(untilMs: number, res: ServerResponse): Promise<boolean>;
};

/** The requests of this process that wait, by what they wait for. They hold nothing but their connection. */
export class WaitingRoom {
  /** The permits of the requests that may wait. */
  readonly entered: Semaphore;
  /** The permits of those that were woken and read again. Callers get them round robin, however many requests of one were woken. */
  readonly reading = new Semaphore({ max: READING_MAX });
  readonly #waiters = new Map<Topic, Set<Waiter>>();
  /** Counted, because each message asks for it. */
  #ofUsers = 0;
  #asleep = 0;
  #isClosed = false;

  constructor({ max, maxPerCaller }: Limits) {
    this.entered = new Semaphore({ max, maxPerKey: maxPerCaller });
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
  enter(caller: string, topic: Topic): Entry | null {
    const permit = this.#isClosed ? null : this.entered.tryAcquire(caller);
    if (permit === null) return null;
    const waiter: Waiter = { hasChanged: false, wake: null };
    if (isOfUser(topic)) this.#ofUsers++;
    this.#waiters.set(topic, (this.#waiters.get(topic) ?? new Set()).add(waiter));
    return {
      changed: (untilMs, res) => this.#changed(waiter, untilMs, res),
      [Symbol.dispose]: () => this.#leave(permit, topic, waiter),
    };
  }

  /** Reads again as soon as a request that was woken gets a permit for it. Null if its client disconnects before. */
  async read<T>(caller: string, res: ServerResponse, work: () => Promise<T>): Promise<T | null> {
    using permit = this.reading.tryAcquire(caller) ?? (await acquireUntilClosed(this.reading, caller, res));
    return permit === null ? null : await work();
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

  #leave(permit: Permit, topic: Topic, waiter: Waiter): void {
    permit[Symbol.dispose]();
    if (isOfUser(topic)) this.#ofUsers--;
    const others = this.#waiters.get(topic)!;
    others.delete(waiter);
    if (others.size === 0) this.#waiters.delete(topic);
  }
}

/** Waits for a permit. Null if the client of the response disconnects before. */
async function acquireUntilClosed(semaphore: Semaphore, key: string, res: ServerResponse): Promise<Permit | null> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  res.once("close", leave);
  try {
    return await semaphore.acquire(key, leaving.signal);
  } catch {
    return null;
  } finally {
    res.off("close", leave);
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
