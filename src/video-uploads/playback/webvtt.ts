import type { StoredResult, StoredSprite } from "../store.ts";

/** A WebVTT file with a cue per tile of a sprite (media fragments, W3C). The last cue lasts as long as the longest rendition. */
export function webvttOf({ durationMs, renditions }: StoredResult, sprite: StoredSprite, link: string): string {
  const { width, tileWidth, tileHeight, tileCount, intervalMs } = sprite;
  const columns = width / tileWidth;
  const endMs = Math.max(durationMs, ...renditions.map((it) => it.durationMs));
  const cues = Array.from({ length: tileCount }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const untilMs = index === tileCount - 1 ? endMs : (index + 1) * intervalMs;
    const tile = [column * tileWidth, row * tileHeight, tileWidth, tileHeight].join(",");
    return `${timeOf(index * intervalMs)} --> ${timeOf(untilMs)}\n${link}#xywh=${tile}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

/** As `01:02:03.456`. */
function timeOf(timeMs: number): string {
  const padded = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, "0");
  const [hours, minutes, seconds] = [timeMs / 3_600_000, (timeMs / 60_000) % 60, (timeMs / 1000) % 60];
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds, 2)}.${padded(timeMs % 1000, 3)}`;
}
