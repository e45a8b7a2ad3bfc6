/**
 * A lane is a class of jobs with similar expected work and its own worker slots (size interval task assignment), so that short
 * videos don't wait for long ones.
 */
type Lane = {
  /** The maximum expected work of a video in this lane. */
  readonly expectedMaxSeconds: number;
  /** Longer videos have a lower priority. At 19, processes could stall on a busy machine. */
  readonly niceness: number;
};

/** From the short ones to the long ones. */
export const LANES: readonly [Lane, ...Lane[]] = [
  { expectedMaxSeconds: 60, niceness: 10 },
  { expectedMaxSeconds: 900, niceness: 13 },
  { expectedMaxSeconds: Infinity, niceness: 16 },
];

/** A larger file begins in the second lane, because fetching it alone can take longer than processing a short video. */
const SHORT_MAX_BYTES = 256 * 1024 * 1024;

/** The lane before probing, when only the size is known. */
export const laneOfBytes = (sizeBytes: number): number => (sizeBytes > SHORT_MAX_BYTES ? 1 : 0);

export const laneOf = (expectedSeconds: number): number =>
  LANES.findIndex(({ expectedMaxSeconds }) => expectedSeconds <= expectedMaxSeconds);
