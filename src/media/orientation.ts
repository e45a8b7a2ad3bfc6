/** How a player turns and mirrors the stored picture (the matrix of ISO/IEC 14496-12, 8.3.2), in right angles. */

export type Orientation = {
  /** Degrees by which a player turns the stored picture clockwise, after mirroring it. */
  readonly rotation: 0 | 90 | 180 | 270;
  /** Whether a player first exchanges left and right. */
  readonly isMirrored: boolean;
};

/**
 * Reads a display matrix as ffprobe prints it: three lines of three numbers. An angle between two right angles becomes the
 * nearer one, and 45 degrees become none, because a picture has no other sides than its own. No matrix means upright.
 */
export function orientationOf(displayMatrix = ""): Orientation {
  const rows = [...displayMatrix.matchAll(/^\w+: +(-?\d+) +(-?\d+) +-?\d+$/gm)];
  const [a = 1, b = 0, c = 0, d = 1] = rows.slice(0, 2).flatMap(([, x, y]) => [Number(x), Number(y)]);
  // (a, b) is where the right side of the picture goes, and (c, d) the lower side, on axes to the right and down.
  const swapsSides = Math.abs(a) + Math.abs(d) < Math.abs(b) + Math.abs(c);
  const isMirrored = (swapsSides ? -b * c : a * d) < 0;
  if (swapsSides) return { rotation: c < 0 ? 90 : 270, isMirrored };
  return { rotation: d < 0 ? 180 : 0, isMirrored };
}

/** The filters that do to a picture what a player would. */
export function uprightFilters({ rotation, isMirrored }: Orientation): string[] {
  const turns = { 0: [], 90: ["transpose=clock"], 180: ["hflip", "vflip"], 270: ["transpose=cclock"] };
  return [...(isMirrored ? ["hflip"] : []), ...turns[rotation]];
}
