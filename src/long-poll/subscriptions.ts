import type { ServerResponse } from "node:http";
import { Semaphore, type Permit } from "../util/semaphore.ts";
import { isUserTopic, type Topic } from "./topics.ts";

/** How many woken requests read at the same time, so that a change for thousands of requests delays no other one. */
const READS_MAX = 16;

type Limits = { readonly max: number; readonly maxPerCaller: number };
/** A request that waits. `wake` is null unless it sleeps. */
type Waiter = { hasChanged: boolean; wake: (() => void) | null };

/** The subscription of a request to a topic. Changes count from its beginning. */
export type Subscription = Disposable & {
  /** Waits for a change since the last call. False after a timeout, if the client has disconnected, or if all waits have ended. */
  changed(untilMs: number, res: ServerResponse): Promise<boolean>;
};

/** The subscriptions of this process, by topic. A request that waits holds nothing but its connection. */
export class Subscriptions {
  /** Limits the subscriptions. */
  readonly waits: Semaphore;
  /** Limits the reads of woken requests. Callers get permits round robin, however many of their requests were woken. */
  readonly reads = new Semaphore({ max: READS_MAX });
  readonly #waiters = new Map<Topic, Set<Waiter>>();
  /** A counter, because each message reads it. */
  #userTopics = 0;
  #sleeping = 0;
  #isClosed = false;

  constructor({ max, maxPerCaller }: Limits) {
    this.waits = new Semaphore({ max, maxPerKey: maxPerCaller });
  }

  /** How many requests wait. */
  get size(): number {
    return this.#sleeping;
  }

  /** Whether there is a subscription to the notifications of a user. */
  get hasUserTopics(): boolean {
    return this.#userTopics > 0;
  }

  wake(topic: Topic): void {
    for (const waiter of this.#waiters.get(topic) ?? []) {
      waiter.hasChanged = true;
      waiter.wake?.();
    }
  }

  /** Wakes all requests, because a topic may be lost. */
  wakeAll(): void {
    for (const topic of this.#waiters.keys()) this.wake(topic);
  }

  /** Null when closed or full. */
  subscribe(caller: string, topic: Topic): Subscription | null {
    const permit = this.#isClosed ? null : this.waits.tryAcquire(caller);
    if (permit === null) return null;
    const waiter: Waiter = { hasChanged: false, wake: null };
    if (isUserTopic(topic)) this.#userTopics++;
    this.#waiters.set(topic, (this.#waiters.get(topic) ?? new Set()).add(waiter));
    return {
      changed: (untilMs, res) => this.#changed(waiter, untilMs, res),
      [Symbol.dispose]: () => this.#leave(permit, topic, waiter),
    };
  }

  /** Runs `work` of a woken request with a permit. Null if its client disconnects before. */
  async read<T>(caller: string, res: ServerResponse, work: () => Promise<T>): Promise<T | null> {
    using permit = this.reads.tryAcquire(caller) ?? (await acquireUntilClosed(this.reads, caller, res));
    return permit === null ? null : await work();
  }

  /** Ends all waits, and refuses further subscriptions. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#waiters.values()) for (const { wake } of waiters) wake?.();
  }

  async #changed(waiter: Waiter, untilMs: number, res: ServerResponse): Promise<boolean> {
    if (!waiter.hasChanged && !this.#isClosed && !res.closed) {
      this.#sleeping++;
      await sleep(waiter, untilMs, res);
      this.#sleeping--;
    }
    const { hasChanged } = waiter;
    waiter.hasChanged = false;
    return hasChanged && !res.closed;
  }

  #leave(permit: Permit, topic: Topic, waiter: Waiter): void {
    permit[Symbol.dispose]();
    if (isUserTopic(topic)) this.#userTopics--;
    const others = this.#waiters.get(topic)!;
    others.delete(waiter);
    if (others.size === 0) this.#waiters.delete(topic);
  }
}

/** Waits for a permit. Null if the client of the response disconnects before. */
async function acquireUntilClosed(semaphore: Semaphore, key: string, res: ServerResponse): Promise<Permit | null> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  res.once("close", abort);
  try {
    return await semaphore.acquire(key, controller.signal);
  } catch {
    return null;
  } finally {
    res.off("close", abort);
  }
}

/** Sleeps until the waiter is woken, its client disconnects, or its time is over. */
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
