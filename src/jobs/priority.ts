import type { QueuePosition } from "./job.ts";

/** The beginning of the count of seconds. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Each lane has a range of priorities of this many seconds, until 2048. */
const LANE_SECONDS = 700_000_000;

/**
 * The priority of a job that is enqueued now: higher in earlier lanes, and within a lane for earlier jobs. The first lane has positive
 * ones, so that four fit into the 32-bit column of pg-boss. 1.2.0 has three lanes, at the priorities of the last three.
 */
export function priorityOf({ lane, behindSeconds }: QueuePosition): number {
  const seconds = Math.floor((Date.now() - EPOCH_MS) / 1_000 + behindSeconds);
  return (1 - lane) * LANE_SECONDS - Math.min(seconds, LANE_SECONDS - 1);
}

/** The range of priorities of a lane, as options of pg-boss. The first and the last lane are unbounded. */
export const laneRange = (lane: number, lanes: number): { readonly minPriority?: number; readonly maxPriority?: number } => ({
  ...(lane === 0 ? {} : { maxPriority: (1 - lane) * LANE_SECONDS }),
  ...(lane === lanes - 1 ? {} : { minPriority: -lane * LANE_SECONDS + 1 }),
});
