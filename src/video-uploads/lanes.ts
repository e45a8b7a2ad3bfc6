/**
 * Videos wait and run in lanes, by the work that they are expected to take. Each lane has places of its own in every worker, so a
 * short video never waits for a long one (size interval task assignment: Harchol-Balter, Crovella and Murta, 1999).
 */
type Lane = {
  /** The most work that a video of this lane is expected to take. */
  readonly expectedMaxSeconds: number;
  /** The longer the videos, the lower the priority of their processes. At 19, one could stall on a busy machine. */
  readonly niceness: number;
};

/** From the short ones to the long ones. */
export const LANES: readonly [Lane, ...Lane[]] = [
  { expectedMaxSeconds: 60, niceness: 10 },
  { expectedMaxSeconds: 900, niceness: 13 },
  { expectedMaxSeconds: Infinity, niceness: 16 },
];

/** A larger file begins in the second lane, because already fetching it can take longer than a short video. */
const SHORT_MAX_BYTES = 256 * 1024 * 1024;

/** The lane of a file of which only the size is known. */
export const laneOfBytes = (sizeBytes: number): number => (sizeBytes > SHORT_MAX_BYTES ? 1 : 0);

export const laneOf = (expectedSeconds: number): number =>
  LANES.findIndex(({ expectedMaxSeconds }) => expectedSeconds <= expectedMaxSeconds);
