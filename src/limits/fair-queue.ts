import type { ServerResponse } from "node:http";
import { OverloadDetector } from "./overload.ts";

/** How many requests begin in one turn of the event loop. More would make every response wait for all of them. */
const STARTS_AT_ONCE = 8;
/** After a turn that takes longer, half as many begin of callers with more requests: each delays all others for a turn. */
const SLOW_TURN_MS = 2;
/** How many requests may wait for a connection to the database: enough that it never waits for this process. */
const DATABASE_BACKLOG = 4;
/** How often a line is looked at whose requests wait for the database, or for nothing that this process notices. */
const LOOK_AGAIN_MS = 10;
/** The line of a caller that has none. */
const NOBODY = { waiting: [], arriving: 0 } as const;

type Options = {
  /** How many requests of one caller run at the same time. */
  readonly runningMax: number;
  /** How many requests wait for a connection to the database. */
  readonly databaseBacklog: () => number;
  /** How long a new request may have to wait once there has been an overload for as long. 0: for any time. */
  readonly targetMs: number;
  /** How long a request waits while none of its caller begins. */
  readonly waitMaxMs: number;
};

/** Why a request that waits gets no turn: it waited for too long, or another caller needed its permit. */
export type NoTurn = "too_late" | "displaced";
/** Ends the turn, so that the caller's next request can begin. */
export type Turn = Disposable;

type Waiting = {
  readonly res: ServerResponse;
  readonly sinceMs: number;
  /** `null` if the client has disconnected. */
  readonly settle: (result: Turn | NoTurn | null) => void;
};
/** The requests of a caller, and when the last of them began. Those that arrive are admitted, and will wait in this line. */
type Line = { readonly caller: string; running: number; arriving: number; begunMs: number; readonly waiting: Waiting[] };

/**
 * Lets requests begin in turns. Each caller has a line of its own, oldest first, and the lines take turns (fair queueing, RFC
 * 970), so what a caller sends at once delays only that caller. Every second turn is for a request that is its caller's only one:
 * it doesn't wait for a turn of each caller with many (the new flows of RFC 8290). A few begin in each turn of the event loop, and
 * none while requests wait for the database, so what has begun ends soon. Under an overload, only a request is admitted that gets
 * its turn soon. A semaphore can't do this: what may begin depends on the event loop and the database, not on a count of permits.
 */
export class FairQueue {
  readonly #options: Options;
  readonly #overload: OverloadDetector;
  readonly #lines = new Map<string, Line>();
  /** The lines with a request that may begin, in the order of their turns. */
  readonly #due = new Set<Line>();
  /** The same, for lines that were empty when the request came. */
  readonly #alone = new Set<Line>();
  #isTurnOfAlone = true;
  /** How many requests that are not their caller's only one begin in one turn of the event loop. */
  #startsOfMany = STARTS_AT_ONCE;
  #startsOfManyLeft = STARTS_AT_ONCE;
  /** The lines in which a request waits, or is about to. */
  readonly #wanted = new Set<Line>();
  #startsLeft = STARTS_AT_ONCE;
  #isTurnWatched = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#overload = new OverloadDetector(options.targetMs);
  }

  /**
   * Admits a request that will soon `take` its turn, and counts it until it is disposed of. Null if there is an overload, and
   * the request would wait for too long: a turn of all callers for each request of its own line.
   */
  admit(caller: string): Disposable | null {
    const { waiting, arriving } = this.#lines.get(caller) ?? NOBODY;
    if (this.#overload.refuses((waiting.length + arriving + 1) * this.#wanted.size)) return null;
    const line = this.#lineOf(caller);
    line.arriving++;
    this.#update(line);
    return {
      [Symbol.dispose]: () => {
        line.arriving--;
        this.#update(line);
      },
    };
  }

  /** Waits for the turn of a request. Null if its client disconnects. */
  async take(caller: string, res: ServerResponse): Promise<Turn | NoTurn | null> {
    if (res.closed) return null;
    const line = this.#lineOf(caller);
    const isAlone = line.waiting.length + line.running === 0;
    const isFree = line.waiting.length === 0 && line.running < this.#options.runningMax && !this.#isAnyDue();
    if (isFree && this.#mayBegin()) return this.#begin(line);
    const { promise, resolve } = Promise.withResolvers<Turn | NoTurn | null>();
    const leave = () => this.#drop(line, line.waiting.indexOf(waiting), null);
    const waiting = {
      res,
      sinceMs: performance.now(),
      settle(result: Turn | NoTurn | null) {
        res.off("close", leave);
        resolve(result);
      },
    };
    res.once("close", leave);
    line.waiting.push(waiting);
    if (isAlone) this.#alone.add(line);
    this.#update(line);
    this.#timer ??= setTimeout(() => this.#lookAgain(), LOOK_AGAIN_MS);
    this.#watchTurn();
    return promise;
  }

  /**
   * Drops the last request of the caller with the longest line, if it is longer than that of `caller`, and returns its response,
   * whose permits are then free. Null if there is none.
   */
  displaceFor(caller: string): ServerResponse | null {
    const own = this.#lines.get(caller)?.waiting.length ?? 0;
    let longest: Line | null = null;
    for (const line of this.#lines.values()) if (line.waiting.length > (longest?.waiting.length ?? own + 1)) longest = line;
    if (longest === null) return null;
    const { res } = longest.waiting.at(-1)!;
    this.#drop(longest, longest.waiting.length - 1, "displaced");
    return res;
  }

  #lineOf(caller: string): Line {
    const found = this.#lines.get(caller);
    if (found !== undefined) return found;
    const line = { caller, running: 0, arriving: 0, begunMs: 0, waiting: [] };
    this.#lines.set(caller, line);
    return line;
  }

  #mayBegin(): boolean {
    return this.#startsLeft > 0 && this.#options.databaseBacklog() <= DATABASE_BACKLOG;
  }

  /** Updates what depends on the state of a line. */
  #update(line: Line): void {
    if (line.waiting.length === 0 || line.running >= this.#options.runningMax)
      for (const lines of [this.#due, this.#alone]) lines.delete(line);
    else if (!this.#alone.has(line)) this.#due.add(line);
    if (line.waiting.length + line.arriving > 0) this.#wanted.add(line);
    else {
      this.#wanted.delete(line);
      if (line.running === 0) this.#lines.delete(line.caller);
    }
    this.#overload.recordCallers(this.#wanted.size);
  }

  #begin(line: Line): Turn {
    this.#startsLeft--;
    line.running++;
    line.begunMs = performance.now();
    this.#watchTurn();
    let hasEnded = false;
    return {
      [Symbol.dispose]: () => {
        if (hasEnded) return;
        hasEnded = true;
        line.running--;
        this.#update(line);
        if (this.#isAnyDue()) this.#watchTurn();
      },
    };
  }

  /** Looks at the lines again in the next turn of the event loop. */
  #watchTurn(): void {
    if (this.#isTurnWatched) return;
    this.#isTurnWatched = true;
    const sinceMs = performance.now();
    setImmediate(() => {
      this.#isTurnWatched = false;
      const isSlow = performance.now() - sinceMs > SLOW_TURN_MS;
      this.#startsOfMany = isSlow ? Math.ceil(this.#startsOfMany / 2) : Math.min(this.#startsOfMany + 1, STARTS_AT_ONCE);
      this.#beginDue();
    });
  }

  #lookAgain(): void {
    this.#timer = null;
    this.#beginDue();
  }

  #beginDue(): void {
    this.#startsLeft = STARTS_AT_ONCE;
    this.#startsOfManyLeft = this.#startsOfMany;
    this.#dropLate();
    while (this.#mayBegin()) {
      const line = this.#nextLine();
      if (line === undefined) break;
      const first = line.waiting.shift()!;
      this.#overload.recordStart();
      const turn = this.#begin(line);
      // At the end again, if it has another request.
      this.#update(line);
      first.settle(turn);
    }
    if (this.#wanted.size === 0) this.#overload.recordIdle();
    else this.#timer ??= setTimeout(() => this.#lookAgain(), LOOK_AGAIN_MS);
  }

  #isAnyDue(): boolean {
    return this.#due.size + this.#alone.size > 0;
  }

  /** Removes the line whose turn it is from those that wait for one. */
  #nextLine(): Line | undefined {
    const mayMany = this.#startsOfManyLeft > 0 && this.#due.size > 0;
    const isAlone = this.#alone.size > 0 && (this.#isTurnOfAlone || !mayMany);
    if (!isAlone && !mayMany) return undefined;
    this.#isTurnOfAlone = !isAlone;
    if (!isAlone) this.#startsOfManyLeft--;
    const lines = isAlone ? this.#alone : this.#due;
    const [line] = lines;
    lines.delete(line!);
    return line;
  }

  #dropLate(): void {
    if (this.#wanted.size === 0) return;
    const sinceMs = performance.now() - this.#options.waitMaxMs;
    for (const line of this.#wanted)
      // The first of a line is the oldest.
      while (line.waiting.length > 0 && Math.max(line.begunMs, line.waiting[0]!.sinceMs) < sinceMs)
        this.#drop(line, 0, "too_late");
  }

  #drop(line: Line, index: number, reason: NoTurn | null): void {
    const [dropped] = line.waiting.splice(index, 1);
    this.#update(line);
    dropped!.settle(reason);
  }
}
