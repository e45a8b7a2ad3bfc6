/**
 * The film of the clips. Its picture says what a rendition has changed: a quarter of each colour, a white square in the middle,
 * and around it a ring whose colour is the number of the second. Each second after the first begins with a flash and a beep.
 */
import { derive, makeWith } from "../../support/media.ts";

export const FILM_MS = 3_800;
export const FRAMES = 95;
const BEGINS = "lt(mod(t+0.001,1),0.079)*gte(t,0.9)";
/** The ring has one of these in each second, in turn. Black and white mean something else. */
export const SECONDS = ["0xff0000", "0x00ff00", "0xffff00", "0x0000ff", "0xff00ff", "0x00ffff"] as const;

type Picture = {
  readonly seconds?: number;
  readonly rate?: number | string;
  readonly size?: string;
  /** Which pictures there are, so that the others aren't drawn. */
  readonly select?: string;
};

/** The source of the pictures. `filters` change them. */
export function picture(
  { seconds = FILM_MS / 1_000, rate = 25, size = "320x240", select = "1" }: Picture = {},
  ...filters: string[]
): string {
  const [width = 0, height = 0] = size.split("x").map(Number);
  const side = Math.min(width, height);
  const centred = (share: number) => {
    const square = Math.round(side * share);
    return `${(width - square) / 2}:${(height - square) / 2}:${square}:${square}`;
  };
  const quarters = ["0:0 red", "1:0 lime", "0:1 blue", "1:1 yellow"].map((it) => {
    const [at, colour] = it.split(" ");
    const [x = 0, y = 0] = at!.split(":").map(Number);
    return `${(x * width) / 2}:${(y * height) / 2}:${width / 2}:${height / 2}:${colour}:fill`;
  });
  const rings = SECONDS.map((colour, n) => `${centred(0.6)}:${colour}:fill:enable='eq(mod(floor(t+0.001),6),${n})'`);
  const flash = `0:0:${width}:${height}:white:fill:enable='${BEGINS}'`;
  const boxes = [...quarters, ...rings, `${centred(1 / 3)}:white:fill`, flash].map((box) => `drawbox=${box}`);
  return [`color=black:size=${size}:rate=${rate}:duration=${seconds},select='${select}'`, ...boxes, ...filters].join(",");
}

type Sound = { readonly seconds?: number; readonly lateMs?: number; readonly channels?: number; readonly rate?: number };

/** The source of the sound. One of a track that must not be chosen is late. */
export function sound({ seconds = FILM_MS / 1_000, lateMs = 0, channels = 1, rate = 48_000 }: Sound = {}): string {
  const beep = `if(lt(mod(t-${lateMs / 1_000},1),0.08)*gte(t,0.9)*lt(t,${seconds - 0.1}),0.8*sin(2*PI*1000*t),0)`;
  return `aevalsrc='${Array<string>(channels).fill(beep).join("|")}':s=${rate}:d=${seconds}`;
}

const words = (text: string): string[] => text.split(" ").filter(Boolean);
export const lavfi = (...sources: readonly string[]): string[] => sources.flatMap((it) => ["-f", "lavfi", "-i", it]);

export type Make = () => Promise<string>;

export const H264 = "-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 25";
export const PLAIN = `${H264} -c:a aac`;
export const VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 800k -g 25";

/** These sources of lavfi, coded with these options. */
export const coded =
  (extension: string, options: string, ...sources: readonly string[]): Make =>
  () =>
    makeWith([...lavfi(...sources), ...words(options)], extension);

/** The film, coded with these options. The format follows from the extension. */
export const film = (extension: string, options: string, pictures?: Picture, ...filters: string[]): Make =>
  coded(
    extension,
    `${options} -f ${formatOf(extension)}`,
    picture(pictures, ...filters),
    sound(pictures?.seconds === undefined ? {} : { seconds: pictures.seconds }),
  );

/** The film without sound. */
export const silent = (extension: string, options: string, pictures?: Picture, ...filters: string[]): Make =>
  coded(extension, `${options} -f ${formatOf(extension)}`, picture(pictures, ...filters));

/** The streams of another file, copied with these options, of which those before a bar belong to the input. */
export const copied = (source: Make, extension: string, options = ""): Make => {
  const [after = "", before = ""] = options.split("|").toReversed();
  return async () => {
    const path = await source();
    const input = [...words(before), "-i", `file:${path}`, "-map", "0", "-c", "copy"];
    return makeWith([...input, ...words(after), "-f", formatOf(extension)], extension, [path]);
  };
};

/** Another file with changed bytes. */
export const changed =
  (source: Make, name: string, change: (bytes: Buffer) => Buffer): Make =>
  async () =>
    derive(await source(), name, (bytes) => change(Buffer.from(bytes)));

function formatOf(extension: string): string {
  const others: Readonly<Record<string, string>> = { mkv: "matroska", ts: "mpegts", m2ts: "mpegts" };
  return others[extension] ?? extension;
}

/** Damages the header of a Vorbis sound, so that its decoder can't be opened. */
export const damageVorbis = (bytes: Buffer) => {
  const at = bytes.indexOf("\x05vorbis", "latin1");
  return bytes.fill(0xa7, at, at + 200);
};

export const PLAIN_MP4 = film("mp4", PLAIN);
export const PLAIN_TS = film("ts", `${PLAIN} -g 10`);
export const PLAIN_MKV = copied(PLAIN_MP4, "mkv");
