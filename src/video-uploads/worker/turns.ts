/** Whose turn it is: videos go to the lane of their work, and behind those of users who have used less. */
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

/** An attempt that runs for this many times the work of its lane goes on to the next lane, whatever its file declares. */
const OVERRUN_FACTOR = 3;
// Groups of pg-boss limit how many jobs of a user run, but order nothing and leave workers idle.
/** How far a video moves back for each second that the earlier ones of its owner are expected to take. */
const BEHIND_EACH_SECOND = 10;
/** How far the videos of a user over the budget move back: until the running time of now counts no more. */
const SET_BACK_SECONDS = 24 * 3600;

/** Thrown in an attempt whose video belongs into a later lane. */
export class WrongLane extends Error {
  readonly lane: number;
  readonly expectedSeconds: number;

  constructor(lane: number, expectedSeconds: number) {
    super(`The video belongs into lane ${lane}, because its work is expected to take ${Math.round(expectedSeconds)} s.`);
    this.lane = lane;
    this.expectedSeconds = expectedSeconds;
  }
}

/** Throws if a video belongs into a later lane than the one in which it runs. */
export const admitTo =
  (lane: number, engine: Engine["kind"]) =>
  (info: MediaInfo): void => {
    const expectedSeconds = expectedSecondsOf(info, engine);
    const right = laneOf(expectedSeconds);
    if (right > lane) throw new WrongLane(right, expectedSeconds);
  };

/** Until the end of its scope, aborts `signal` with a WrongLane if an attempt runs for too long in its lane. */
export function watchOverrun(lane: number, progress: Progress) {
  const overrun = new AbortController();
  const { expectedMaxSeconds } = LANES[lane]!;
  const end = () => {
    // What is left then takes less time than another attempt.
    if (progress.stage !== "finishing") overrun.abort(new WrongLane(lane + 1, expectedMaxSeconds + 1));
  };
  // The last lane has no end. Node takes Infinity for 1 ms.
  const timer = expectedMaxSeconds === Infinity ? undefined : setTimeout(end, expectedMaxSeconds * OVERRUN_FACTOR * 1_000);
  return { signal: overrun.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Moves the upload of an attempt to a later lane, behind the work of its owner there, to start again. It doesn't count. */
export async function moveTo({ db, log }: Env, attempt: Attempt, upload: VideoUploadRow, to: WrongLane): Promise<AttemptOutcome> {
  const { id, ownerId } = upload;
  const { lane, expectedSeconds } = to;
  const isMoved = await transaction(db, async (tx) => {
    if (!(await requeueAttempt(tx, attempt))) return false;
    const ahead = await expectedSecondsOfOthers(tx, { id, ownerId, aboveSeconds: LANES[lane - 1]!.expectedMaxSeconds });
    await recordExpectedSeconds(tx, id, expectedSeconds);
    const behindSeconds = ahead.seconds * BEHIND_EACH_SECOND + (attempt.payload.isSetBack ? SET_BACK_SECONDS : 0);
    await attempt.putBack(tx, { uncounted: true, startAfter: 0, position: { lane, behindSeconds } });
    return true;
  });
  if (!isMoved) return "lost";
  log.info({ video_upload_id: id, lane, expected_seconds: Math.round(expectedSeconds) }, "a video moves to a later lane");
  return "moved";
}

/**
 * Puts a job back, once, whose owner has used up the budget. Videos of others go first for as long as the budget counts what has
 * run until now; if there are none, this one starts again at once. False if the attempt can begin.
 */
export async function setBack(env: Env & { readonly budgetSeconds: number }, attempt: Attempt): Promise<boolean> {
  const { videoUploadId, payload, lane } = attempt;
  if (payload.isSetBack || (await ranSecondsOfOwner(env.db, { videoUploadId })).seconds < env.budgetSeconds) return false;
  return transaction(env.db, async (tx) => {
    if (!(await requeueBefore(tx, attempt))) return false;
    const position = { lane, behindSeconds: SET_BACK_SECONDS };
    await attempt.putBack(tx, { uncounted: true, payload: { ...payload, isSetBack: true }, position });
    env.log.info({ video_upload_id: videoUploadId }, "a video waits behind those of users who have used less");
    return true;
  });
}
