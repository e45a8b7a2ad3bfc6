/** Looks at what the service made of a clip, as ffprobe and a decoder show it, and compares it with its row of the table. */
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DEFAULT_MEDIA_LIMITS } from "../../../src/media/limits.ts";
import type { Body, Client } from "../../support/client.ts";
import { anyEngine, runFfmpeg, temporaryFolder } from "../../support/media.ts";
import { playbackOf } from "../../support/playback.ts";
import type { Canary } from "./canary.ts";
import { FILM_MS, FRAMES, SECONDS } from "./clip-film.ts";

/** What must hold of the result. */
export type Shows = {
  readonly ms: number;
  /** The number of pictures, or the least and the greatest. */
  readonly frames: number | readonly [number, number];
  /** The number of the second of the film that each tile shows. `-` if tiles are too small to be read. */
  readonly tiles: string;
  /** How many seconds a tile stands for. */
  readonly every: number;
  readonly flashesMs: readonly number[];
  /** The beeps, if they aren't with the flashes. */
  readonly beepsMs?: readonly number[];
  /** How far flashes and beeps may be from their times. They are together in any case. */
  readonly withinMs: number;
  /** The sizes of the renditions, the smallest first. */
  readonly size: string;
  /** The size of the poster, if it isn't that of the first rendition. */
  readonly poster?: string;
  readonly tile?: string;
  /** The colours of the quarters. `-` if the picture is too small. */
  readonly quarters: string;
  /** Properties of the result, such as the codecs of the clip. */
  readonly result: Body;
  readonly also?: (...pictures: string[]) => Promise<string[]>;
};
/** What holds of the plain film. */
export const PLAIN_FILM: Shows = {
  ms: FILM_MS,
  frames: FRAMES,
  tiles: "0123",
  every: 1,
  flashesMs: [1_000, 2_000, 3_000],
  withinMs: 40,
  size: "320x240",
  quarters: "red green blue yellow",
  result: {},
};

/** What must hold of a file that is refused: the code, and what the sentence names. */
export type Refused = { readonly code: string; readonly detail: RegExp };

/** What recorded or made the file, how it is made, and what must hold of its job. */
export type Row = readonly [
  by: string,
  make: (canary: Canary) => Promise<string | Uint8Array>,
  /** What differs from the plain film. "plays" is a file whose film nobody can read any more. */
  expected?: Partial<Shows> | Refused | "plays",
];

const TOGETHER_MS = 40;
const SHAPE = 0.02;
/** Baseline, Main and High, which have 4:2:0 with 8 bits only. The highest level that browsers and phones play is 4.2. */
const [PROFILES, LEVEL_MAX] = [[66, 77, 100], 42];

/** Collects what is wrong. */
function createFaults() {
  const found: string[] = [];
  const unless = (holds: boolean, what: string, seen: unknown, expected: unknown) =>
    void (holds || found.push(`${what}: ${String(seen)} instead of ${String(expected)}`));
  return {
    found,
    same: (what: string, seen: unknown, expected: unknown) => unless(String(seen) === String(expected), what, seen, expected),
    near: (what: string, seen: number, expected: number, within: number) =>
      unless(Math.abs(seen - expected) <= within, what, seen, expected),
    each: (what: string, seen: readonly number[], expected: readonly number[], within: number) =>
      unless(
        seen.length === expected.length && seen.every((it, at) => Math.abs(it - expected[at]!) <= within),
        what,
        seen.join(),
        expected.join(),
      ),
  };
}
type Faults = ReturnType<typeof createFaults>;

/** A file of a result, as it is in the store and on the disk. */
type File = { readonly path: string; readonly bytes: Buffer };

/** What is wrong with the result of a job. Empty if nothing is. Without `shows`, only what must hold of any result. */
export async function faultsOf(client: Client, url: string, job: Body, shows: Shows | null, folder: string): Promise<string[]> {
  const faults = createFaults();
  const { result } = job;
  const links = await playbackOf(client, job.id);
  const fetched = async (href: string, name: string): Promise<File> => {
    const file = { path: join(folder, `${job.id}-${name}`), bytes: Buffer.from(await (await fetch(`${url}${href}`)).bytes()) };
    await writeFile(file.path, file.bytes);
    return file;
  };
  // All at once, because the connection would be closed while a test looks at a long film.
  const lastCueMs = await lastCue(`${url}${links.sprite!.webvtt.href}`);
  const poster = await fetched(links.poster.href, "poster.jpg");
  const sprite = await fetched(links.sprite!.href, "sprite.jpg");
  const films: File[] = [];
  for (const { href, name } of links.renditions) films.push(await fetched(href, `${name}.mp4`));
  const { looks, still, tiles } = await lookAt(films, poster, sprite, result.sprite);
  for (const [at, look] of looks.entries()) {
    const [rendition, { path, bytes }] = [result.renditions[at], films[at]!];
    faults.same("whether the index is at the front", bytes.indexOf("moov") < bytes.indexOf("mdat"), true);
    checkLook(faults, look, rendition);
    checkTimes(faults, look, [result.duration_ms, rendition.duration_ms, lastCueMs], shows?.ms ?? look.endMs);
    if (shows !== null) await checkFilm(faults, look, shows, path);
  }
  if (shows === null) return faults.found;
  const sizes = result.renditions.map((it: Body) => `${it.width}x${it.height}`);
  faults.same("the sizes", sizes.join(" "), shows.size);
  for (const [name, value] of Object.entries(shows.result as object)) faults.same(name, result[name], value);
  faults.same("the size of the poster", `${result.poster.width}x${result.poster.height}`, shows.poster ?? sizes[0]);
  faults.same("the seconds of a tile", result.sprite.interval_ms / 1_000, shows.every);
  if (shows.tile !== undefined) faults.same("a tile", `${result.sprite.tile_width}x${result.sprite.tile_height}`, shows.tile);
  if (shows.tiles !== "-") {
    if (still.second !== "flash") {
      faults.same("the quarters of the poster", still.quarters, shows.quarters);
      faults.near("the shape of the poster", still.aspect, 1, SHAPE);
    }
    faults.same("the tiles", tiles.map((it) => it.second).join(""), shows.tiles);
    faults.same("the quarters of the tiles", [...new Set(tiles.map((it) => it.quarters))].join(), shows.quarters);
  }
  faults.found.push(...((await shows.also?.(...[poster, ...films].map((it) => it.path))) ?? []));
  return faults.found;
}

/** What holds of any rendition. */
function checkLook(faults: Faults, { pictures, size, pixel, profile, level }: Look, rendition: Body): void {
  faults.same("the size in the file", size, `${rendition.width}x${rendition.height}`);
  faults.same("the shape of a pixel", pixel, "1/1");
  faults.same("whether browsers play the profile", PROFILES.includes(profile) || profile, true);
  // No lower level has wider pictures.
  const isWide = Math.max(rendition.width, rendition.height) > 4_096;
  faults.same("whether browsers play the level", isWide || level <= LEVEL_MAX || level, true);
  const tooFast = pictures.find((it, at) => it.atMs - (pictures[at - 6]?.atMs ?? -Infinity) < 95);
  faults.same("when there are more than 60 pictures a second", tooFast?.atMs, undefined);
}

/** The length of the file, and of all that says how long it is. */
function checkTimes(faults: Faults, { endMs, pictures }: Look, said: readonly number[], ms: number): void {
  const within = Math.max(100, ms / Math.max(1, pictures.length - 1));
  faults.each("duration_ms, that of the rendition, and the end of the last cue", said, [ms, ms, ms], within);
  faults.near("the end of the file", endMs, ms, within);
  faults.near("duration_ms of the rendition beside its end", said[1]!, endMs, within);
}

/** Pictures and sound of the film. */
async function checkFilm(faults: Faults, look: Look, shows: Shows, path: string): Promise<void> {
  const [least = 0, most = least] = [shows.frames].flat();
  const count = look.pictures.length;
  if (count < least || count > most) faults.same("the number of pictures", count, least === most ? least : `${least} to ${most}`);
  const { flashesMs, beepsMs = flashesMs, withinMs } = shows;
  faults.each("flashes", look.flashesMs, flashesMs, withinMs);
  faults.each("beeps by timestamps", look.beepsMs, beepsMs, withinMs);
  faults.each("beeps by counted samples", look.countedMs, beepsMs, withinMs);
  if (shows.beepsMs === undefined) faults.each("beeps beside flashes", look.beepsMs, look.flashesMs, TOGETHER_MS);
  if (shows.tiles === "-") {
    if (shows.quarters !== "-") faults.same("the quarters", await quartersOf(path), shows.quarters);
    return;
  }
  const lastAtMs = look.pictures.at(-1)!.atMs;
  const seconds = [...shows.tiles].map((_, n) => {
    const atMs = Math.min((n + 0.5) * 1_000 * shows.every, lastAtMs);
    return look.pictures.findLast((it) => it.atMs <= atMs + 1)?.second;
  });
  faults.same("what the rendition shows when a tile does", seconds.join(""), shows.tiles);
  const upright = look.pictures.filter((it) => /\d/.test(it.second));
  faults.same("the quarters", [...new Set(upright.map((it) => it.quarters))].join(), shows.quarters);
  const aspects = upright.map((it) => it.aspect);
  faults.near("the shape", Math.min(...aspects), 1, SHAPE);
  faults.near("the shape", Math.max(...aspects), 1, SHAPE);
}

async function lastCue(url: string): Promise<number> {
  const cues = await (await fetch(url)).text();
  const [hours = 0, minutes = 0, seconds = 0] = /.*--> ([\d:.]+)/s.exec(cues)![1]!.split(":").map(Number);
  return Math.round(1_000 * (3_600 * hours + 60 * minutes + seconds));
}

/** What a picture shows. */
type Seen = {
  /** The number of the second, "flash", or "?". */
  readonly second: string;
  /** The width of the white square divided by its height. */
  readonly aspect: number;
  /** The colours of the quarters, from left to right and from top to bottom. */
  readonly quarters: string;
};
type Look = {
  readonly pictures: readonly (Seen & { readonly atMs: number })[];
  readonly flashesMs: readonly number[];
  /** Where the timestamps put the beeps, and where they are if a player counts samples. */
  readonly beepsMs: readonly number[];
  readonly countedMs: readonly number[];
  /** The end of the last picture or sample. */
  readonly endMs: number;
  /** As the file declares them, and the shape of a pixel. */
  readonly size: string | undefined;
  readonly pixel: string | undefined;
  readonly profile: number;
  readonly level: number;
};

const SIDE = 120;
/** The square in the middle of the picture, in which all is that a test reads. */
const MIDDLE = `crop='min(iw,ih)':'min(iw,ih)',scale=${SIDE}:${SIDE}:flags=area`;
const RGB = ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24"];
const RATE = 48_000;
const PCM = ["-ac", "1", "-ar", String(RATE), "-f", "s16le"];

type Sprite = Readonly<Record<"width" | "height" | "tile_width" | "tile_height" | "tile_count", number>>;

/** Looks at all files of a result in one run: renditions, poster, and each tile of the sprite. */
async function lookAt(films: readonly File[], poster: File, { path }: File, sprite: Sprite) {
  const layout = `${sprite.width / sprite.tile_width}x${sprite.height / sprite.tile_height}`;
  const filled = `aresample=${RATE}:async=1:first_pts=0`;
  const paths = [...films.map((it) => it.path), poster.path, path];
  const outputs = films.map(({ bytes }, at) => [
    ["-map", `${at}`, "-c", "copy", "-f", "framecrc"],
    ["-map", `${at}:v`, "-vf", MIDDLE, ...RGB],
    ...(bytes.includes("soun")
      ? [
          ["-map", `${at}:a`, "-af", filled, ...PCM],
          ["-map", `${at}:a`, ...PCM],
        ]
      : []),
  ]);
  const made = await decoded(
    ["-copyts", ...paths.flatMap((it) => ["-i", `file:${it}`])],
    paths,
    ...outputs.flat(),
    ["-map", `${films.length}:v`, "-vf", MIDDLE, ...RGB],
    ["-map", `${films.length + 1}:v`, "-vf", `untile=${layout},${MIDDLE}`, ...RGB],
  );
  const looks = films.map((film, at) => lookOf(film, made.splice(0, outputs[at]!.length)));
  return { looks, still: seenIn(made[0]!)[0]!, tiles: seenIn(made[1]!).slice(0, sprite.tile_count) };
}

/** What a rendition shows: its packets, its pictures, and its sound twice. */
function lookOf({ bytes }: File, [listed, pixels, samples, counted]: readonly Buffer[]): Look {
  const packets = listed!.toString();
  const header = (name: string) => new RegExp(`^#${name} 0: (\\S+)`, "m").exec(packets)?.[1];
  const tickMs = [...packets.matchAll(/^#tb \d: (\d+)\/(\d+)/gm)].map(
    ([, over, under]) => (1_000 * Number(over)) / Number(under),
  );
  const all = [...packets.matchAll(/^(\d), *-?\d+, *(-?\d+), *(\d+),/gm)].map(([, stream, pts, duration]) => {
    const tick = tickMs[Number(stream)]!;
    return { stream: Number(stream), atMs: Number(pts) * tick, lastsMs: Number(duration) * tick };
  });
  const times = all.filter((it) => it.stream === 0).map((it) => it.atMs);
  times.sort((one, other) => one - other);
  const pictures = seenIn(pixels!).map((it, at) => ({ ...it, atMs: times[at] ?? NaN }));
  const starts = pictures.filter((it, at) => it.second === "flash" && pictures[at - 1]?.second !== "flash");
  const configuration = bytes.indexOf("avcC") + 4;
  return {
    pictures,
    flashesMs: starts.map((it) => Math.round(it.atMs)),
    beepsMs: samples === undefined ? [] : beepsIn(samples),
    countedMs: counted === undefined ? [] : beepsIn(counted),
    endMs: Math.round(Math.max(...all.map((it) => it.atMs + it.lastsMs))),
    ...{ size: header("dimensions"), pixel: header("sar") },
    ...{ profile: bytes[configuration + 1]!, level: bytes[configuration + 3]! },
  };
}

/** The quarters of the first picture, of any size and shape. */
async function quartersOf(path: string): Promise<string> {
  const [pixels] = await decoded(["-i", `file:${path}`], [path], ["-frames:v", "1", "-vf", "scale=8:8:flags=area", ...RGB]);
  return quarterNames([0, 7, 56, 63].map((at) => [...pixels!.subarray(3 * at, 3 * at + 3)]));
}

/** How much neighbouring lines at the left edge of a picture differ, from 0 to 255. In pictures of upright bars, only combs differ. */
export async function combing(path: string): Promise<number> {
  const [width, height] = [32, 200];
  const edge = ["-vf", `select='eq(n,0)+eq(n,40)',crop=${width}:${height}:0:20`, "-fps_mode", "passthrough"];
  const [pixels] = await decoded(["-i", `file:${path}`], [path], [...edge, "-an", "-f", "rawvideo", "-pix_fmt", "gray"]);
  const last = pixels!.subarray(-width * height);
  let sum = 0;
  for (let at = width; at < last.length; at += 1) sum += Math.abs(last[at]! - last[at - width]!);
  return sum / last.length;
}

function seenIn(pixels: Buffer): readonly Seen[] {
  const bytes = SIDE * SIDE * 3;
  return Array.from({ length: pixels.length / bytes }, (_, at) => seen(pixels.subarray(at * bytes, (at + 1) * bytes)));
}

/** Reads a picture outwards from the middle: the white square, the ring, the quarters. */
function seen(picture: Buffer): Seen {
  const middle = SIDE / 2;
  const at = (x: number, y: number) => [...picture.subarray(3 * (Math.round(y) * SIDE + Math.round(x))).subarray(0, 3)];
  /** How far white extends from the middle, to a fraction of a pixel. */
  const reach = (dx: number, dy: number): number => {
    let sum = 0;
    for (let step = 0; step < middle; step += 1) {
      const least = Math.min(...at(middle + dx * step - (dx < 0 ? 1 : 0), middle + dy * step - (dy < 0 ? 1 : 0)));
      if (least < 60) return sum;
      sum += Math.min(1, least / 235);
    }
    return sum;
  };
  const [right, left, down, up] = [reach(1, 0), reach(-1, 0), reach(0, 1), reach(0, -1)];
  const x = (left + right) / 2;
  const aspect = (left + right) / (up + down);
  const outside = middle + 1.4 * x;
  const ring = outside < SIDE ? nameOf(at(outside, middle)) : "ffffff";
  const second = SECONDS.findIndex((it) => it.endsWith(ring));
  if (second === -1) return { second: /^(f{6}|0{6})$/.test(ring) && x > 0 ? "flash" : "?", aspect, quarters: "" };
  const far = 2.4 * x;
  const corners = [at(middle - far, middle - far), at(middle + far, middle - far)];
  corners.push(at(middle - far, middle + far), at(middle + far, middle + far));
  return { second: String(second), aspect, quarters: quarterNames(corners) };
}

const QUARTERS: Readonly<Record<string, string>> = { ff0000: "red", "00ff00": "green", "0000ff": "blue", ffff00: "yellow" };
const quarterNames = (corners: readonly (readonly number[])[]) =>
  corners.map((it) => QUARTERS[nameOf(it)] ?? nameOf(it)).join(" ");

const nameOf = (colour: readonly number[]) => colour.map((part) => (part > 128 ? "ff" : "00")).join("");

/** When each beep begins, after at least a fifth of a second without one. */
function beepsIn(bytes: Buffer): number[] {
  const samples = new Int16Array(new Uint8Array(bytes).buffer);
  let loudest = 0;
  for (const it of samples) loudest = Math.max(loudest, Math.abs(it));
  const beeps: number[] = [];
  let lastLoud = -Infinity;
  const loud = Math.max(500, loudest / 4);
  for (let at = 0; at < samples.length; at += 1) {
    if (Math.abs(samples[at]!) < loud) continue;
    if (at - lastLoud > RATE / 5) beeps.push(Math.round((1_000 * at) / RATE));
    lastLoud = at;
  }
  return beeps;
}

type Entries = readonly Readonly<Record<string, string | number>>[];
type Report = {
  readonly streams: Entries;
  readonly packets: Entries;
  readonly frames: Entries;
  readonly format: Entries[number];
};

/** What ffprobe says of a file. `shown` are its entries. */
export async function probed(path: string, shown: string, ...more: readonly string[]): Promise<Report> {
  const args = ["-loglevel", "error", ...more, "-show_entries", shown, "-of", "json", `file:${path}`];
  const use = { tool: "ffprobe", args, reads: [path], writes: [], limits: DEFAULT_MEDIA_LIMITS } as const;
  const end = await anyEngine().run(use, { cwd: dirname(path), timeoutMs: 60_000, outputMaxBytes: 16 * 1024 * 1024 });
  return JSON.parse(end.stdout) as Report;
}

/** What ffmpeg writes for each of these outputs. */
export async function decoded(input: readonly string[], reads: readonly string[], ...outputs: (readonly string[])[]) {
  await using folder = await temporaryFolder();
  const made = outputs.map((_, at) => join(folder.path, `made-${at}`));
  const written = outputs.flatMap((args, at) => [...args, "-y", `file:${made[at]!}`]);
  await runFfmpeg([...input, ...written], made, reads);
  return await Promise.all(made.map((it) => readFile(it)));
}
