export type FrameSize = { readonly width: number; readonly height: number };

/** The longest side that H.264 encoders and players support. */
const SIDE_MAX = 16_384;

/**
 * Scales down to a shorter side of at most `shortSide`, with even sides (H.264). Keeps the aspect ratio of a long, narrow
 * picture.
 */
export function fitFrame({ width, height }: FrameSize, shortSide: number): FrameSize {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  // Limits the longer side of a long, narrow picture.
  const scale = Math.min(1, shortSide / short, (4 * shortSide) / long);
  const fitShort = even(short * scale, short);
  const fitLong = even((fitShort * long) / short, Math.min(long, SIDE_MAX));
  return width < height ? { width: fitShort, height: fitLong } : { width: fitLong, height: fitShort };
}

const TILE_SIDE_MAX = 160;

/** Scales down to the size of a sprite tile. With even sides, neighbours share no chroma samples. */
export function fitTile({ width, height }: FrameSize): FrameSize {
  const scale = Math.min(1, TILE_SIDE_MAX / Math.max(width, height));
  return { width: even(width * scale, width), height: even(height * scale, height) };
}

/** The nearest even number, at most `max`, but at least 2. */
function even(side: number, max: number): number {
  const nearest = 2 * Math.round(Math.min(side, max) / 2);
  return Math.max(2, nearest > max ? nearest - 2 : nearest);
}
