/** How a player rotates and mirrors frames (the display matrix of ISO/IEC 14496-12, 8.3.2), in right angles. */

export type Orientation = {
  /** Clockwise, in degrees, after mirroring. */
  readonly rotation: 0 | 90 | 180 | 270;
  /** Whether a player mirrors the frame horizontally first. */
  readonly isMirrored: boolean;
};

/** Reads a display matrix of ffprobe: three lines of three numbers. Rounds to right angles, and 45 degrees to none. */
export function orientationOf(displayMatrix = ""): Orientation {
  const rows = [...displayMatrix.matchAll(/^\w+: +(-?\d+) +(-?\d+) +-?\d+$/gm)];
  const [a = 1, b = 0, c = 0, d = 1] = rows.slice(0, 2).flatMap(([, x, y]) => [Number(x), Number(y)]);
  // (a, b) is the new direction of the right side, and (c, d) of the lower side, with axes to the right and down.
  const swapsSides = Math.abs(a) + Math.abs(d) < Math.abs(b) + Math.abs(c);
  const isMirrored = (swapsSides ? -b * c : a * d) < 0;
  if (swapsSides) return { rotation: c < 0 ? 90 : 270, isMirrored };
  return { rotation: d < 0 ? 180 : 0, isMirrored };
}

/** The filters that rotate and mirror frames as a player does. */
export function uprightFilters({ rotation, isMirrored }: Orientation): string[] {
  const filters = { 0: [], 90: ["transpose=clock"], 180: ["hflip", "vflip"], 270: ["transpose=cclock"] };
  return [...(isMirrored ? ["hflip"] : []), ...filters[rotation]];
}
