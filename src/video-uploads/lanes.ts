/**
 * A lane is a class of jobs with similar expected work and its own worker slots (size interval task assignment), so that short
 * videos don't wait for long ones.
 */
type Lane = {
  /** The maximum of expected work. */
  readonly expectedMaxSeconds: number;
  /** After this time, an attempt moves to the next lane. In the first lane, a busy machine or the start of ffmpeg needs most of it. */
  readonly runningMaxSeconds: number;
  /** Longer videos have a lower priority. At 19, processes could stall on a busy machine. */
  readonly niceness: number;
};

/** From the short ones to the long ones. */
export const LANES: readonly [Lane, ...Lane[]] = [
  { expectedMaxSeconds: 4, runningMaxSeconds: 30, niceness: 10 },
  { expectedMaxSeconds: 60, runningMaxSeconds: 60, niceness: 12 },
  { expectedMaxSeconds: 900, runningMaxSeconds: 900, niceness: 14 },
  { expectedMaxSeconds: Infinity, runningMaxSeconds: Infinity, niceness: 16 },
];

const MIB = 1024 * 1024;
/** Larger files begin in a later lane: few of them are less work, and fetching them twice takes long. */
const FIRST_LANES_MAX_BYTES = [32 * MIB, 256 * MIB];

/** The lane before probing, when only the size is known. */
export const laneOfBytes = (sizeBytes: number): number => FIRST_LANES_MAX_BYTES.filter((maxBytes) => sizeBytes > maxBytes).length;

export const laneOf = (expectedSeconds: number): number =>
  LANES.findIndex(({ expectedMaxSeconds }) => expectedSeconds <= expectedMaxSeconds);
