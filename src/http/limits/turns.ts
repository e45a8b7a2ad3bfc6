import type { ServerResponse } from "node:http";

/** How many requests begin in one turn of the event loop. More would make every response wait for all of them. */
const STARTS_AT_ONCE = 8;
/** How many requests may wait for a connection to the database: enough that it never waits for this process. */
const DATABASE_BACKLOG = 4;
/** How often a line is looked at whose requests wait for the database, or for nothing that this process notices. */
const LOOK_AGAIN_MS = 10;
/** As many callers are no overload, however slow the service is. */
const CALLERS_MIN = 64;
/** The weight of the last measurement in the average time between two starts. */
const WEIGHT = 1 / 64;
/** The time between two starts before it has been measured. */
const GAP_MS = 0.5;
/** The line of a caller that has none. */
const NOBODY = { waiting: [], arriving: 0 } as const;

type Options = {
  /** How many requests of one caller run at the same time. */
  readonly runningMax: number;
  /** How many requests wait for a connection to the database. */
  readonly databaseBacklog: () => number;
  /** How long a new request may have to wait once there has been a crowd for as long. 0: for any time. */
  readonly workMaxMs: number;
  /** How long a request waits while none of its caller begins. */
  readonly waitMaxMs: number;
};

/** Why a request that waits gets no turn: it waited for too long, or another caller needed its place. */
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
 * 970), so what a caller sends at once delays only that caller. A few begin in each turn of the event loop, and none while
 * requests wait for the database, so what has begun ends soon. It is an overload if too many callers wait for too long, whatever
 * the number of their requests; a burst that is soon over is none. Then only a request is admitted that gets its turn soon.
 */
export function createTurns({ runningMax, databaseBacklog, workMaxMs, waitMaxMs }: Options) {
  const lines = new Map<string, Line>();
  /** The lines with a request that may begin, in the order of their turns. */
  const due = new Set<Line>();
  /** The lines in which a request waits, or is about to. */
  const wanted = new Set<Line>();
  /** Since when so many callers wait that a new one would wait for too long; null if few do. */
  let crowdedSinceMs: number | null = null;
  let startsLeft = STARTS_AT_ONCE;
  let isTurnWatched = false;
  let timer: NodeJS.Timeout | null = null;
  let gapMs = GAP_MS;
  /** When a request that had waited last began; null if none has waited since. */
  let startedMs: number | null = null;

  const lineOf = (caller: string): Line => {
    const found = lines.get(caller);
    if (found !== undefined) return found;
    const line = { caller, running: 0, arriving: 0, begunMs: 0, waiting: [] };
    lines.set(caller, line);
    return line;
  };

  const mayBegin = () => startsLeft > 0 && databaseBacklog() <= DATABASE_BACKLOG;

  /** Updates what depends on the state of a line. */
  function settled(line: Line): void {
    if (line.waiting.length > 0 && line.running < runningMax) due.add(line);
    else due.delete(line);
    if (line.waiting.length + line.arriving > 0) wanted.add(line);
    else {
      wanted.delete(line);
      if (line.running === 0) lines.delete(line.caller);
    }
    const crowd = Math.max(CALLERS_MIN, workMaxMs / gapMs);
    if (wanted.size >= crowd) crowdedSinceMs ??= performance.now();
    // Not as soon as there is room for one more: under an overload, that is all the time.
    else if (wanted.size < crowd / 4) crowdedSinceMs = null;
  }

  function begin(line: Line): Turn {
    startsLeft--;
    line.running++;
    line.begunMs = performance.now();
    watchTurn();
    let hasEnded = false;
    return {
      [Symbol.dispose]() {
        if (hasEnded) return;
        hasEnded = true;
        line.running--;
        settled(line);
        if (due.size > 0) watchTurn();
      },
    };
  }

  /** Looks at the lines again in the next turn of the event loop. */
  function watchTurn(): void {
    if (isTurnWatched) return;
    isTurnWatched = true;
    setImmediate(() => {
      isTurnWatched = false;
      startsLeft = STARTS_AT_ONCE;
      beginDue();
    });
  }

  function beginDue(): void {
    dropLate();
    for (const line of due) {
      if (!mayBegin()) break;
      // At the end again, if it has another request.
      due.delete(line);
      const first = line.waiting.shift()!;
      measureGap();
      const turn = begin(line);
      settled(line);
      first.settle(turn);
    }
    if (wanted.size === 0) startedMs = null;
    else timer ??= setTimeout(lookAgain, LOOK_AGAIN_MS);
  }

  function lookAgain(): void {
    timer = null;
    startsLeft = STARTS_AT_ONCE;
    beginDue();
  }

  function measureGap(): void {
    const nowMs = performance.now();
    if (startedMs !== null) gapMs += (nowMs - startedMs - gapMs) * WEIGHT;
    startedMs = nowMs;
  }

  function dropLate(): void {
    if (wanted.size === 0) return;
    const sinceMs = performance.now() - waitMaxMs;
    for (const line of wanted)
      // The first of a line is the oldest.
      while (line.waiting.length > 0 && Math.max(line.begunMs, line.waiting[0]!.sinceMs) < sinceMs) drop(line, 0, "too_late");
  }

  function drop(line: Line, index: number, reason: NoTurn | null): void {
    const [dropped] = line.waiting.splice(index, 1);
    settled(line);
    dropped!.settle(reason);
  }

  return {
    /**
     * Admits a request that will soon `take` its turn, and counts it until it is disposed of. Null if there is an overload, and
     * the request would wait for too long: a turn of all callers for each request of its own line.
     */
    admit(caller: string): Disposable | null {
      const { waiting, arriving } = lines.get(caller) ?? NOBODY;
      const waitMs = (waiting.length + arriving + 1) * wanted.size * gapMs;
      const isOverloaded = crowdedSinceMs !== null && performance.now() - crowdedSinceMs >= workMaxMs;
      if (workMaxMs > 0 && isOverloaded && waitMs > workMaxMs) return null;
      const line = lineOf(caller);
      line.arriving++;
      settled(line);
      return {
        [Symbol.dispose]() {
          line.arriving--;
          settled(line);
        },
      };
    },
    /** Waits for the turn of a request. Null if its client disconnects. */
    async take(caller: string, res: ServerResponse): Promise<Turn | NoTurn | null> {
      if (res.closed) return null;
      const line = lineOf(caller);
      if (line.waiting.length === 0 && line.running < runningMax && due.size === 0 && mayBegin()) return begin(line);
      const { promise, resolve } = Promise.withResolvers<Turn | NoTurn | null>();
      const leave = () => drop(line, line.waiting.indexOf(waiting), null);
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
      settled(line);
      timer ??= setTimeout(lookAgain, LOOK_AGAIN_MS);
      watchTurn();
      return promise;
    },
    /**
     * Takes the place of the last request of the caller with the longest line, if it is longer than that of `caller`, and
     * returns its response. Null if there is none.
     */
    displaceFor(caller: string): ServerResponse | null {
      const own = lines.get(caller)?.waiting.length ?? 0;
      let longest: Line | null = null;
      for (const line of lines.values()) if (line.waiting.length > (longest?.waiting.length ?? own + 1)) longest = line;
      if (longest === null) return null;
      const { res } = longest.waiting.at(-1)!;
      drop(longest, longest.waiting.length - 1, "displaced");
      return res;
    },
  };
}
