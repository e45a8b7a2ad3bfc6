/** What the packets of the used streams say. Times are on the clock that transcoding has, without the declared ones. */
export type Measured = {
  /** From the beginning of the first packet to the end of the last one. At least a frame. */
  readonly durationMs: number;
  /** How much later these streams begin than the file, because of an unused stream. */
  readonly leadMs: number;
  /** When the last frame begins. */
  readonly lastFrameMs: number;
  /** The mean rate, and the most frames within a second of the clock. */
  readonly framesPerSecond: number;
  readonly framesInSecondMax: number;
  /** Null without any packet of sound. */
  readonly sound: Sound | null;
};
export type Sound = {
  readonly startMs: number;
  /** The longest time without sound before its last packet, also at the beginning. */
  readonly gapMaxMs: number;
};
