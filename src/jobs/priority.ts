import type { QueuePosition } from "./job.ts";

/** The beginning of the count of seconds. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Each lane has a range of priorities of this many seconds, until 2048. Three of them fit into the 32-bit column of pg-boss. */
const LANE_SECONDS = 700_000_000;

/** The priority of a job that is enqueued now: higher in earlier lanes, and within a lane for earlier jobs. */
export function priorityOf({ lane, behindSeconds }: QueuePosition): number {
  const seconds = Math.floor((Date.now() - EPOCH_MS) / 1_000 + behindSeconds);
  return -(lane * LANE_SECONDS + Math.min(seconds, LANE_SECONDS - 1));
}

/** The range of priorities of a lane, as options of pg-boss. The first and the last lane are unbounded. */
export const laneRange = (lane: number, lanes: number): { readonly minPriority?: number; readonly maxPriority?: number } => ({
  ...(lane === 0 ? {} : { maxPriority: -lane * LANE_SECONDS }),
  ...(lane === lanes - 1 ? {} : { minPriority: -(lane + 1) * LANE_SECONDS + 1 }),
});
