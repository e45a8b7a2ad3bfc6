import type { SpritePlan } from "./ffmpeg-args.ts";
import { fitTile, type FrameSize } from "./frame-size.ts";

const TILES_MAX = 100;
const COLUMNS_MAX = 10;

/** Plans one tile per second, or longer intervals, so that there are at most 100 tiles. */
export function planSprite({ durationMs, ...frame }: FrameSize & { readonly durationMs: number }): Omit<SpritePlan, "path"> {
  const durationSeconds = durationMs / 1000;
  const intervalSeconds = Math.ceil(durationSeconds / TILES_MAX);
  const tileCount = Math.ceil(durationSeconds / intervalSeconds);
  const columns = Math.min(COLUMNS_MAX, tileCount);
  return { tile: fitTile(frame), columns, rows: Math.ceil(tileCount / columns), tileCount, intervalSeconds };
}
