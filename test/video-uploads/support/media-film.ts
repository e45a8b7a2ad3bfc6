/**
 * A film that shows what a rendition has changed: a quarter of each colour, and a square in the middle. A flash and a beep begin
 * together after one second.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_MEDIA_LIMITS } from "../../../src/media/limits.ts";
import { anyEngine, temporaryFolder } from "../../support/media.ts";

const [WIDTH, HEIGHT] = [320, 240];
export const FILM_MS = 2_000;
export const FLASH_MS = 1_000;
const FLASH = "between(t,0.999,1.079)";

type PictureOptions = {
  readonly framesPerSecond?: number;
  readonly width?: number;
  readonly height?: number;
};

/** The filter that makes the flash. */
export const flash = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  `drawbox=0:0:${width}:${height}:white:fill:enable='${FLASH}'`;

/** The source of the pictures, with the quarters red, green, blue and yellow. */
export function filmPicture({ framesPerSecond = 25, width = WIDTH, height = HEIGHT }: PictureOptions = {}): string {
  const [halfX, halfY, side] = [width / 2, height / 2, Math.min(width, height) / 3];
  const boxes = [
    `0:0:${halfX}:${halfY}:red`,
    `${halfX}:0:${halfX}:${halfY}:lime`,
    `0:${halfY}:${halfX}:${halfY}:blue`,
    `${halfX}:${halfY}:${halfX}:${halfY}:yellow`,
    `${halfX - side / 2}:${halfY - side / 2}:${side}:${side}:white`,
  ].map((box) => `drawbox=${box}:fill`);
  const source = `color=black:size=${width}x${height}:rate=${framesPerSecond}:duration=${FILM_MS / 1000}`;
  return [source, ...boxes, flash({ width, height })].join(",");
}

/** The source of the sound. */
export function filmSound(beginsAtSeconds = FLASH_MS / 1000): string {
  const end = beginsAtSeconds + 0.1;
  return `aevalsrc='if(between(t,${beginsAtSeconds},${end}),sin(2000*PI*t),0)':sample_rate=48000:duration=${FILM_MS / 1000}`;
}

type Seen = {
  /** The colours of the quarters, from left to right and from top to bottom. */
  readonly quarters: string;
  /** The width of the square divided by its height, on square pixels. */
  readonly squareAspect: number;
};

/** Examines the first picture of a video or a poster with these dimensions. */
export async function examine(path: string, { width, height }: { width: number; height: number }): Promise<Seen> {
  const pixels = await decoded(path, ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
  if (pixels.length !== width * height * 3) throw new Error(`The picture is not ${width}x${height}.`);
  const at = (x: number, y: number) => [...pixels.subarray(3 * (y * width + x)).subarray(0, 3)];
  // A little beside the middle, where the chroma of two quarters can add up to grey.
  const [middleX, middleY] = [(width >> 1) + (width >> 5), (height >> 1) + (height >> 5)];
  const isWhite = (x: number, y: number) => Math.min(...at(x, y)) > 150;
  const whiteX = Array.from({ length: width }, (_, x) => isWhite(x, middleY)).filter(Boolean).length;
  const whiteY = Array.from({ length: height }, (_, y) => isWhite(middleX, y)).filter(Boolean).length;
  const quarters = [
    [width >> 3, height >> 3],
    [width - (width >> 3) - 1, height >> 3],
    [width >> 3, height - (height >> 3) - 1],
    [width - (width >> 3) - 1, height - (height >> 3) - 1],
  ].map(([x = 0, y = 0]) => nameOf(at(x, y)));
  return { quarters: quarters.join(" "), squareAspect: whiteX / whiteY };
}

function nameOf(colour: readonly number[]): string {
  const key = colour.map((part) => (part > 128 ? "1" : "0")).join("");
  return { "100": "red", "010": "green", "001": "blue", "110": "yellow", "111": "white" }[key] ?? `rgb(${colour.join()})`;
}

const LOOKS_PER_SECOND = 200;
const SAMPLES_PER_SECOND = 48_000;

/** When the flash and the beep begin, by the clock of the file. NaN if there is none. */
export async function momentsOf(path: string): Promise<{ readonly flashMs: number; readonly beepMs: number }> {
  const steady = `scale=1:1:flags=area,format=gray,fps=${LOOKS_PER_SECOND}:start_time=0`;
  const brightness = await decoded(path, ["-copyts", "-an", "-vf", steady, "-f", "rawvideo"]);
  const steadySound = `aresample=${SAMPLES_PER_SECOND}:async=1:first_pts=0`;
  const bytes = await decoded(path, ["-copyts", "-vn", "-af", steadySound, "-ac", "1", "-f", "s16le"]).catch(() =>
    Buffer.alloc(0),
  );
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  const moment = (index: number, perSecond: number) => (index === -1 ? NaN : (1000 * index) / perSecond);
  return {
    flashMs: moment(
      brightness.findIndex((it) => it > 200),
      LOOKS_PER_SECOND,
    ),
    beepMs: moment(
      samples.findIndex((it) => Math.abs(it) > 3_000),
      SAMPLES_PER_SECOND,
    ),
  };
}

/** How much neighbouring lines of the last picture differ, from 0 to 255. In pictures of upright bars, only combs differ. */
export async function combing(path: string, { width, height }: { width: number; height: number }): Promise<number> {
  const all = await decoded(path, ["-an", "-f", "rawvideo", "-pix_fmt", "gray"]);
  const last = all.subarray(all.length - width * height);
  let sum = 0;
  for (let at = width; at < last.length; at += 1) sum += Math.abs(last[at]! - last[at - width]!);
  return sum / last.length;
}

/** What ffmpeg writes when it decodes a file with these options of the output. */
export async function decoded(path: string, args: readonly string[]): Promise<Buffer> {
  await using folder = await temporaryFolder();
  const made = join(folder.path, "decoded");
  const input = ["-hide_banner", "-nostdin", "-loglevel", "error", "-i", `file:${path}`];
  const end = await anyEngine().run(
    {
      tool: "ffmpeg",
      args: [...input, ...args, "-y", `file:${made}`],
      reads: [path],
      writes: [made],
      limits: DEFAULT_MEDIA_LIMITS,
    },
    { cwd: folder.path, timeoutMs: 60_000, outputMaxBytes: 1024 * 1024 },
  );
  if (end.exitCode !== 0) throw new Error(`The file could not be decoded: ${JSON.stringify(end)}`);
  // Awaited here, because the folder is removed when this function returns.
  return await readFile(made);
}
