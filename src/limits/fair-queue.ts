import type { ServerResponse } from "node:http";
import { OverloadDetector } from "./overload.ts";

/** How many requests start in one iteration of the event loop. More would delay every response. */
const STARTS_AT_ONCE = 8;
/** After a slower iteration of the event loop, half as many requests of bulk flows start. */
const SLOW_TICK_MS = 2;
/** How many requests may wait for a connection: enough that the database is never idle. */
const DATABASE_BACKLOG = 4;
/** Polling interval while queued requests wait for the database, which sends no event. */
const POLL_MS = 10;
/** An empty queue. */
const EMPTY = { waiting: [], arriving: 0 } as const;

type Options = {
  /** How many requests of one caller run at the same time. */
  readonly runningMax: number;
  /** How many requests wait for a connection to the database. */
  readonly databaseBacklog: () => number;
  /** The acceptable delay under an overload. 0: any delay. */
  readonly targetMs: number;
  /** The maximum wait while no request of the client starts. */
  readonly waitMaxMs: number;
};

/** Why a queued request does not start: after a timeout, or because another caller needed its permit. */
export type NotStarted = "too_late" | "displaced";
/** A running request. Its disposal lets the next request of its caller start. */
export type Started = Disposable;

type Waiting = {
  readonly res: ServerResponse;
  readonly sinceMs: number;
  /** `null` if the client has disconnected. */
  readonly settle: (result: Started | NotStarted | null) => void;
};
/** The requests of a client, oldest first. `arriving` counts admitted requests that are not queued yet. */
type CallerQueue = { readonly caller: string; running: number; arriving: number; startedMs: number; readonly waiting: Waiting[] };

const LAST = Symbol("last");
/** A response with the last wait of its request. A long poll waits again before each read. */
type Queued = ServerResponse & { [LAST]?: { readonly queue: CallerQueue; readonly waiting: Waiting } };

/** Calls a function once. A class, because an object literal with a computed name takes ten times as long to create. */
class Ending implements Disposable {
  #end: (() => void) | null;

  constructor(end: () => void) {
    this.#end = end;
  }

  [Symbol.dispose](): void {
    const end = this.#end;
    this.#end = null;
    end?.();
  }
}

/**
 * Schedules requests by fair queueing (RFC 970): one queue for each caller, served round robin, so a burst delays only its caller. Every
 * second start is for a sparse flow, a client with one request (RFC 8290).
 * A few requests start in each iteration of the event loop, and none while requests wait for the database. So this is not a semaphore: the
 * number of running requests depends on the event loop and the database.
 */
export class FairQueue {
  readonly #options: Options;
  readonly #overload: OverloadDetector;
  readonly #queues = new Map<string, CallerQueue>();
  /** The queues with requests that may start, in round-robin order. */
  readonly #bulkFlows = new Set<CallerQueue>();
  /** The same for queues that were empty before their request. */
  readonly #sparseFlows = new Set<CallerQueue>();
  #isSparseNext = true;
  /** How many requests of bulk flows start in one iteration of the event loop. */
  #bulkStarts = STARTS_AT_ONCE;
  #bulkStartsLeft = STARTS_AT_ONCE;
  /** The queues with waiting or arriving requests. */
  readonly #active = new Set<CallerQueue>();
  #startsLeft = STARTS_AT_ONCE;
  #isTickScheduled = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#overload = new OverloadDetector(options.targetMs);
  }

  /**
   * Admits a request that is queued later by `start`, and counts it until its disposal. Null under an overload if the request would wait
   * too long: for each request in its own queue, one request of every caller starts before.
   */
  admit(caller: string): Disposable | null {
    const { waiting, arriving } = this.#queues.get(caller) ?? EMPTY;
    if (this.#overload.refuses((waiting.length + arriving + 1) * this.#active.size)) return null;
    const queue = this.#queueOf(caller);
    queue.arriving++;
    this.#update(queue);
    return new Ending(() => {
      queue.arriving--;
      this.#update(queue);
    });
  }

  /** Waits until a request may start. Null if its client disconnects before. */
  async start(caller: string, res: Queued): Promise<Started | NotStarted | null> {
    if (res.closed) return null;
    const queue = this.#queueOf(caller);
    const isSparse = queue.waiting.length + queue.running === 0;
    const isFree = queue.waiting.length === 0 && queue.running < this.#options.runningMax && !this.#hasFlows();
    if (isFree && this.#mayStart()) return this.#markStarted(queue);
    const { promise, resolve } = Promise.withResolvers<Started | NotStarted | null>();
    const waiting = { res, sinceMs: performance.now(), settle: resolve };
    this.#dropOnClose(res, queue, waiting);
    queue.waiting.push(waiting);
    if (isSparse) this.#sparseFlows.add(queue);
    this.#update(queue);
    this.#timer ??= setTimeout(() => this.#poll(), POLL_MS);
    this.#scheduleTick();
    return promise;
  }

  /** Drops the last request of the longest queue, if that is longer than the queue of `caller`, and returns its response, or null. */
  displaceFor(caller: string): ServerResponse | null {
    const own = this.#queues.get(caller)?.waiting.length ?? 0;
    let longest: CallerQueue | null = null;
    for (const queue of this.#queues.values()) if (queue.waiting.length > (longest?.waiting.length ?? own + 1)) longest = queue;
    if (longest === null) return null;
    const { res } = longest.waiting.at(-1)!;
    this.#drop(longest, longest.waiting.length - 1, "displaced");
    return res;
  }

  /** Drops a request if its client disconnects. All waits of a response share one listener, because adding and removing one costs more than a wait. */
  #dropOnClose(res: Queued, queue: CallerQueue, waiting: Waiting): void {
    if (res[LAST] === undefined)
      res.on("close", () => {
        const { queue, waiting } = res[LAST]!;
        const index = queue.waiting.indexOf(waiting);
        if (index !== -1) this.#drop(queue, index, null);
      });
    res[LAST] = { queue, waiting };
  }

  #queueOf(caller: string): CallerQueue {
    const found = this.#queues.get(caller);
    if (found !== undefined) return found;
    const queue = { caller, running: 0, arriving: 0, startedMs: 0, waiting: [] };
    this.#queues.set(caller, queue);
    return queue;
  }

  #mayStart(): boolean {
    return this.#startsLeft > 0 && this.#options.databaseBacklog() <= DATABASE_BACKLOG;
  }

  /** Updates the sets that depend on the state of a queue. */
  #update(queue: CallerQueue): void {
    if (queue.waiting.length === 0 || queue.running >= this.#options.runningMax)
      for (const flows of [this.#bulkFlows, this.#sparseFlows]) flows.delete(queue);
    else if (!this.#sparseFlows.has(queue)) this.#bulkFlows.add(queue);
    if (queue.waiting.length + queue.arriving > 0) this.#active.add(queue);
    else {
      this.#active.delete(queue);
      if (queue.running === 0) this.#queues.delete(queue.caller);
    }
    this.#overload.recordCallers(this.#active.size);
  }

  #markStarted(queue: CallerQueue): Started {
    this.#startsLeft--;
    queue.running++;
    queue.startedMs = performance.now();
    this.#scheduleTick();
    return new Ending(() => {
      queue.running--;
      this.#update(queue);
      if (this.#hasFlows()) this.#scheduleTick();
    });
  }

  /** Starts requests in the next iteration of the event loop. */
  #scheduleTick(): void {
    if (this.#isTickScheduled) return;
    this.#isTickScheduled = true;
    const sinceMs = performance.now();
    setImmediate(() => {
      this.#isTickScheduled = false;
      const isSlow = performance.now() - sinceMs > SLOW_TICK_MS;
      this.#bulkStarts = isSlow ? Math.ceil(this.#bulkStarts / 2) : Math.min(this.#bulkStarts + 1, STARTS_AT_ONCE);
      this.#startNext();
    });
  }

  #poll(): void {
    this.#timer = null;
    this.#startNext();
  }

  #startNext(): void {
    this.#startsLeft = STARTS_AT_ONCE;
    this.#bulkStartsLeft = this.#bulkStarts;
    this.#dropLate();
    while (this.#mayStart()) {
      const queue = this.#nextQueue();
      if (queue === undefined) break;
      const first = queue.waiting.shift()!;
      this.#overload.recordStart();
      const started = this.#markStarted(queue);
      // Appended again, if it has another request.
      this.#update(queue);
      first.settle(started);
    }
    if (this.#active.size === 0) this.#overload.recordIdle();
    else this.#timer ??= setTimeout(() => this.#poll(), POLL_MS);
  }

  #hasFlows(): boolean {
    return this.#bulkFlows.size + this.#sparseFlows.size > 0;
  }

  /** Removes and returns the next queue. */
  #nextQueue(): CallerQueue | undefined {
    const mayBulk = this.#bulkStartsLeft > 0 && this.#bulkFlows.size > 0;
    const isSparse = this.#sparseFlows.size > 0 && (this.#isSparseNext || !mayBulk);
    if (!isSparse && !mayBulk) return undefined;
    this.#isSparseNext = !isSparse;
    if (!isSparse) this.#bulkStartsLeft--;
    const flows = isSparse ? this.#sparseFlows : this.#bulkFlows;
    const [queue] = flows;
    flows.delete(queue!);
    return queue;
  }

  #dropLate(): void {
    if (this.#active.size === 0) return;
    const sinceMs = performance.now() - this.#options.waitMaxMs;
    for (const queue of this.#active)
      // The first of a queue is the oldest.
      while (queue.waiting.length > 0 && Math.max(queue.startedMs, queue.waiting[0]!.sinceMs) < sinceMs)
        this.#drop(queue, 0, "too_late");
  }

  #drop(queue: CallerQueue, index: number, reason: NotStarted | null): void {
    const [dropped] = queue.waiting.splice(index, 1);
    this.#update(queue);
    dropped!.settle(reason);
  }
}
