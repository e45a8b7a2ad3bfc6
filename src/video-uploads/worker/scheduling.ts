/** Fairness between videos: each runs in the lane of its expected work, and after videos of users who have used less. */
import type { Logger } from "pino";
import { transaction, type Db } from "../../database/client.ts";
import type { Execution } from "../../jobs/job.ts";
import type { AttemptOutcome } from "../attempt-outcomes.ts";
import type { Payload } from "../jobs.ts";
import { laneOf, LANES } from "../lanes.ts";
import type { Engine } from "../../media/engine.ts";
import type { MediaInfo } from "../../media/probe.ts";
import { expectedSecondsOfOthers, ranSecondsOfOwner, recordExpectedSeconds, requeueAttempt, requeueBefore } from "../store.ts";
import type { VideoUploadRow } from "../store.ts";
import type { Progress } from "./attempt-watch.ts";
import { expectedSecondsOf } from "./expected-work.ts";

type Env = { readonly db: Db; readonly log: Logger };
export type Attempt = Execution & { readonly videoUploadId: string; readonly payload: Payload };

// Groups of pg-boss limit concurrent jobs of a user, but leave workers idle.
/** The delay, in seconds, for each second of expected work of the owner's earlier videos. */
const DELAY_PER_EXPECTED_SECOND = 10;
/** The delay of videos of a user over the budget: until today's running time no longer counts. */
const OVER_BUDGET_DELAY_SECONDS = 24 * 3600;

/** Thrown in an attempt if its video belongs into a later lane. */
export class WrongLane extends Error {
  readonly lane: number;
  readonly expectedSeconds: number;

  constructor(lane: number, expectedSeconds: number) {
    super(`The video belongs into lane ${lane}, because its work is expected to take ${Math.round(expectedSeconds)} s.`);
    this.lane = lane;
    this.expectedSeconds = expectedSeconds;
  }
}

/** Throws if a video belongs into a later lane. */
export const assertLane =
  (lane: number, engine: Engine["kind"]) =>
  (info: MediaInfo): void => {
    const expectedSeconds = expectedSecondsOf(info, engine);
    const right = laneOf(expectedSeconds);
    if (right > lane) throw new WrongLane(right, expectedSeconds);
  };

/** Aborts `signal` with a WrongLane when an attempt has used up the time of its lane, until the end of the scope. */
export function watchOverrun(lane: number, progress: Progress) {
  const overrun = new AbortController();
  const { expectedMaxSeconds, runningMaxSeconds } = LANES[lane]!;
  const end = () => {
    // The rest takes less time than another attempt.
    if (progress.stage !== "finishing") overrun.abort(new WrongLane(lane + 1, expectedMaxSeconds + 1));
  };
  // The last lane has no limit, and Node treats Infinity as 1 ms.
  const timer = runningMaxSeconds === Infinity ? undefined : setTimeout(end, runningMaxSeconds * 1_000);
  return { signal: overrun.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Moves a video to a later lane, after the videos of its owner there. The attempt starts again and doesn't count. */
export async function moveToLane(
  { db, log }: Env,
  attempt: Attempt,
  upload: VideoUploadRow,
  to: WrongLane,
): Promise<AttemptOutcome> {
  const { id, ownerId } = upload;
  const { lane, expectedSeconds } = to;
  const isMoved = await transaction(db, async (tx) => {
    if (!(await requeueAttempt(tx, attempt))) return false;
    const ahead = await expectedSecondsOfOthers(tx, { id, ownerId, aboveSeconds: LANES[lane - 1]!.expectedMaxSeconds });
    await recordExpectedSeconds(tx, id, expectedSeconds);
    const behindSeconds = ahead.seconds * DELAY_PER_EXPECTED_SECOND + (attempt.payload.isSetBack ? OVER_BUDGET_DELAY_SECONDS : 0);
    await attempt.putBack(tx, { uncounted: true, startAfter: 0, position: { lane, behindSeconds } });
    return true;
  });
  if (!isMoved) return "lost";
  log.info({ video_upload_id: id, lane, expected_seconds: Math.round(expectedSeconds) }, "a video moves to a later lane");
  return "moved";
}

/**
 * Defers the job once if its owner is over the budget, so that videos of other users run first. False if the attempt can begin.
 */
export async function deferOverBudget(env: Env & { readonly budgetSeconds: number }, attempt: Attempt): Promise<boolean> {
  const { videoUploadId, payload, lane } = attempt;
  if (payload.isSetBack || (await ranSecondsOfOwner(env.db, { videoUploadId })).seconds < env.budgetSeconds) return false;
  return transaction(env.db, async (tx) => {
    if (!(await requeueBefore(tx, attempt))) return false;
    const position = { lane, behindSeconds: OVER_BUDGET_DELAY_SECONDS };
    await attempt.putBack(tx, { uncounted: true, payload: { ...payload, isSetBack: true }, position });
    env.log.info({ video_upload_id: videoUploadId }, "a video is deferred, because its owner is over the budget");
    return true;
  });
}
