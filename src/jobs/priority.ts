import type { Place } from "./job.ts";

/** Seconds count from this instant. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Each lane has a range of priorities of this many seconds, until 2048. Three of them fit into the 32-bit column of pg-boss. */
const LANE_SECONDS = 700_000_000;

/** The priority of a job that gets its place now: the earlier the lane, and in it the earlier the job, the higher. */
export function priorityOf({ lane, behindSeconds }: Place): number {
  const seconds = Math.floor((Date.now() - EPOCH_MS) / 1_000 + behindSeconds);
  return -(lane * LANE_SECONDS + Math.min(seconds, LANE_SECONDS - 1));
}

/** The priorities of a lane, as pg-boss names their bounds. The first lane has all above it, the last one all below. */
export const laneRange = (lane: number, lanes: number): { readonly minPriority?: number; readonly maxPriority?: number } => ({
  ...(lane === 0 ? {} : { maxPriority: -lane * LANE_SECONDS }),
  ...(lane === lanes - 1 ? {} : { minPriority: -(lane + 1) * LANE_SECONDS + 1 }),
});
