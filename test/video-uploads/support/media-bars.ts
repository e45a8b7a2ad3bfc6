/**
 * Bars of known colours, and what they are in bt709. This is plain arithmetic from the standards: ITU-R BT.601, BT.709, BT.2020,
 * BT.1886, BT.2100 (SMPTE ST 2084 and HLG) and SMPTE RP 177. It has no part of the code that it tests.
 */
import { writeFile } from "node:fs/promises";
import { runFfmpeg } from "../../support/media.ts";
import { decoded, probed } from "./clip-check.ts";

type Triple = readonly [number, number, number];
type Matrix = "bt601" | "bt709" | "bt2020";
type Primaries = "bt601-525" | "bt601-625" | "bt709" | "bt2020" | "p3";

/** How a source encodes its colours. `pixelFormat` is planar, and little-endian above 8 bits. */
export type Encoding = {
  readonly matrix: Matrix | "rgb";
  readonly primaries?: Primaries;
  readonly transfer?: "sdr" | "pq" | "hlg";
  readonly range?: "limited" | "full";
  readonly pixelFormat: string;
};

const COLUMNS = 4;
const ROWS = 3;
/** R'G'B' from 0 to 1. In HDR, 1 is SDR white, and the last one is its brightest light. */
const PATCHES: readonly (readonly [name: string, colour: Triple])[] = [
  ["white", [1, 1, 1]],
  ["grey", [0.5, 0.5, 0.5]],
  ["dark grey", [0.2, 0.2, 0.2]],
  ["black", [0, 0, 0]],
  ["red", [1, 0, 0]],
  ["green", [0, 1, 0]],
  ["blue", [0, 0, 1]],
  ["skin", [0.78, 0.57, 0.44]],
  ["yellow", [1, 1, 0]],
  ["cyan", [0, 1, 1]],
  ["magenta", [1, 0, 1]],
  ["brightest", [1, 1, 1]],
];

/** R'G'B' of 203 nits (HDR reference white) and of 1,000 nits, in ITU-R BT.2408. */
const HDR_LEVELS = { pq: [0.5807, 0.7518], hlg: [0.75, 1] } as const;
const WHITE_NITS = 203;

const KR_KB: Record<Matrix, readonly [number, number]> = {
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
};

/** The chromaticities of red, green and blue: x and y of each. White is D65. */
const CHROMATICITIES: Record<Primaries, string> = {
  "bt601-525": "0.63 0.34, 0.31 0.595, 0.155 0.07",
  "bt601-625": "0.64 0.33, 0.29 0.6, 0.15 0.06",
  bt709: "0.64 0.33, 0.3 0.6, 0.15 0.06",
  bt2020: "0.708 0.292, 0.17 0.797, 0.131 0.046",
  p3: "0.68 0.32, 0.265 0.69, 0.15 0.06",
};
const WHITE_POINT = [0.3127, 0.329] as const;

const map = ([a, b, c]: Triple, change: (value: number) => number): Triple => [change(a), change(b), change(c)];
const clip = (value: number) => Math.min(1, Math.max(0, value));

function toYcc(matrix: Matrix, [r, g, b]: Triple): Triple {
  const [kr, kb] = KR_KB[matrix];
  const y = kr * r + (1 - kr - kb) * g + kb * b;
  return [y, (b - y) / (2 * (1 - kb)), (r - y) / (2 * (1 - kr))];
}

function fromYcc(matrix: Matrix, [y, cb, cr]: Triple): Triple {
  const [kr, kb] = KR_KB[matrix];
  const r = y + 2 * (1 - kr) * cr;
  const b = y + 2 * (1 - kb) * cb;
  return [r, (y - kr * r - kb * b) / (1 - kr - kb), b];
}

/** The scale and offset of luma and chroma codes. */
function quantiser(range: "limited" | "full", depth: number) {
  const max = 2 ** depth - 1;
  const step = 2 ** (depth - 8);
  return range === "full"
    ? { luma: [max, 0] as const, chroma: [max, 128 * step] as const }
    : { luma: [219 * step, 16 * step] as const, chroma: [224 * step, 128 * step] as const };
}

function codesOf([y, cb, cr]: Triple, range: "limited" | "full", depth: number): Triple {
  const { luma, chroma } = quantiser(range, depth);
  const code = (value: number, [scale, offset]: readonly [number, number]) =>
    Math.min(2 ** depth - 1, Math.max(0, Math.round(value * scale + offset)));
  return [code(y, luma), code(cb, chroma), code(cr, chroma)];
}

function valuesOf([y, cb, cr]: Triple, range: "limited" | "full", depth: number): Triple {
  const { luma, chroma } = quantiser(range, depth);
  return [(y - luma[1]) / luma[0], (cb - chroma[1]) / chroma[0], (cr - chroma[1]) / chroma[0]];
}

type Rows = readonly [Triple, Triple, Triple];
const apply = (rows: Rows, [x, y, z]: Triple): Triple => {
  const row = ([a, b, c]: Triple) => a * x + b * y + c * z;
  return [row(rows[0]), row(rows[1]), row(rows[2])];
};

function inverse([[a, b, c], [d, e, f], [g, h, i]]: Rows): Rows {
  const det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const over = (row: Triple) => map(row, (value) => value / det);
  return [
    over([e * i - f * h, c * h - b * i, b * f - c * e]),
    over([f * g - d * i, a * i - c * g, c * d - a * f]),
    over([d * h - e * g, b * g - a * h, a * e - b * d]),
  ];
}

/** The matrix from linear RGB to CIE XYZ (SMPTE RP 177). */
function toXyz(primaries: Primaries): Rows {
  const xyz = ([x, y]: readonly number[]): Triple => [x! / y!, 1, (1 - x! - y!) / y!];
  const pairs = CHROMATICITIES[primaries].split(", ").map((it) => it.split(" ").map(Number));
  const [r, g, b] = pairs.map(xyz) as unknown as Rows;
  const columns: Rows = [
    [r[0], g[0], b[0]],
    [1, 1, 1],
    [r[2], g[2], b[2]],
  ];
  const [sr, sg, sb] = apply(inverse(columns), xyz(WHITE_POINT));
  const scaled = ([x, y, z]: Triple): Triple => [x * sr, y * sg, z * sb];
  return [scaled(columns[0]), scaled(columns[1]), scaled(columns[2])];
}

/** From R'G'B' to light, where 1 is SDR white. */
function toLight(colour: Triple, transfer: "sdr" | "pq" | "hlg"): Triple {
  if (transfer === "sdr") return map(colour, (it) => clip(it) ** 2.4); // BT.1886
  if (transfer === "pq") {
    const [m1, m2, c1, c2, c3] = [
      2610 / 16384,
      (2523 / 4096) * 128,
      3424 / 4096,
      (2413 / 4096) * 32,
      (2392 / 4096) * 32,
    ] as const;
    return map(colour, (it) => {
      const power = clip(it) ** (1 / m2);
      return (10_000 / WHITE_NITS) * (Math.max(0, power - c1) / (c2 - c3 * power)) ** (1 / m1);
    });
  }
  const a = 0.17883277;
  const [b, c] = [1 - 4 * a, 0.5 - a * Math.log(4 * a)];
  const scene = map(colour, (it) => (clip(it) <= 0.5 ? clip(it) ** 2 / 3 : (Math.exp((clip(it) - c) / a) + b) / 12));
  const luminance = 0.2627 * scene[0] + 0.678 * scene[1] + 0.0593 * scene[2];
  return map(scene, (it) => (1_000 / WHITE_NITS) * luminance ** 0.2 * it);
}

/**
 * The Möbius curve: a straight line up to `from`, then (x + a) / (x + b) * s. The second part begins with the same value and
 * slope, and reaches 1 at `peak`.
 */
function mobius(x: number, peak: number, from = 0.3): number {
  if (x <= from) return x;
  const a = (-from * from * (peak - 1)) / (from * from - 2 * from + peak);
  const b = (from * from - 2 * from * peak + peak) / (peak - 1);
  const scale = (peak + b) / (peak + a);
  return (scale * (x + a)) / (x + b);
}

/** R'G'B' of bt709 from 0 to 255, for R'G'B' in the encoding of a source. */
function inBt709(colour: Triple, { primaries = "bt709", transfer = "sdr" }: Encoding): Triple {
  if (primaries === "bt709" && transfer === "sdr") return map(colour, (it) => 255 * clip(it));
  const light = apply(inverse(toXyz("bt709")), apply(toXyz(primaries), toLight(colour, transfer)));
  const brightest = Math.max(...light, 1e-6);
  const factor = transfer === "sdr" ? 1 : mobius(brightest, 1_000 / WHITE_NITS) / brightest;
  return map(light, (it) => 255 * clip(it * factor) ** (1 / 2.4));
}

/** The samples of a source's patch, as its file has them, and its colour in bt709. */
function patchesOf(encoding: Encoding): { readonly name: string; readonly codes: Triple; readonly expected: Triple }[] {
  const { matrix, transfer = "sdr", range = "limited", pixelFormat } = encoding;
  const depth = depthOf(pixelFormat);
  const [white, brightest] = transfer === "sdr" ? [1, 1] : HDR_LEVELS[transfer];
  return PATCHES.map(([name, colour]) => {
    const encoded = map(colour, (it) => it * (name === "brightest" ? brightest : white));
    if (matrix === "rgb") {
      const [r, g, b] = map(encoded, (it) => Math.round(it * (2 ** depth - 1)));
      return { name, codes: [g, b, r], expected: inBt709(encoded, encoding) }; // gbrp has its planes in this order.
    }
    const codes = codesOf(toYcc(matrix, encoded), range, depth);
    // From the rounded codes, because they are the source.
    return { name, codes, expected: inBt709(fromYcc(matrix, valuesOf(codes, range, depth)), encoding) };
  });
}

const depthOf = (pixelFormat: string) => Number(/(?<=p)\d+(?=le$)/.exec(pixelFormat)?.[0] ?? 8);
/** The width and height of a plane of chroma, as shares of the picture. */
function sharesOf(pixelFormat: string): readonly [number, number] {
  if (pixelFormat.includes("420")) return [2, 2];
  return pixelFormat.includes("422") ? [2, 1] : [1, 1];
}

const words = (text: string): string[] => text.split(" ");
const tags = (matrix: string, primaries: string, transfer: string, range = "tv") =>
  words(`-colorspace ${matrix} -color_primaries ${primaries} -color_trc ${transfer} -color_range ${range}`);
const x264 = words("-c:v libx264 -preset ultrafast -qp 4 -f mp4");
const x265 = (transfer: string) =>
  words(
    `-c:v libx265 -preset ultrafast -tag:v hvc1 -x265-params log-level=error:qp=4:colormatrix=bt2020nc:colorprim=bt2020:transfer=${transfer}:range=limited -f mov`,
  );
const bt709 = tags("bt709", "bt709", "bt709");

export type Bars = Encoding & { readonly what: string; readonly size: string; readonly codec: readonly string[] };

/** The encoding in short: matrix, pixel format, and what else differs. */
const bars = (what: string, size: string, encoding: string, codec: readonly string[]): Bars => {
  const [matrix = "", pixelFormat = "", ...more] = words(encoding);
  const others = Object.fromEntries(more.map((it) => it.split("=")));
  return { what, size, matrix: matrix as Bars["matrix"], pixelFormat, ...others, codec };
};
/** What has more than 576 lines, or two renditions, is large. */
const [SD, HD] = ["160x120", "1280x720"] as const;
const RGB = "-c:v libx264rgb -pix_fmt rgb24 -preset ultrafast -qp 0";
const [WIDE, HLG, PQ] = ["primaries=bt2020", "primaries=bt2020 transfer=hlg", "primaries=bt2020 transfer=pq"] as const;
const ANDROID = [...tags("bt470bg", "bt470bg", "smpte170m", "pc"), ...x264];

/** The bars as cameras, phones, editors and screen recorders write them. */
export const BARS: readonly Bars[] = [
  bars("bt709", SD, "bt709 yuv420p", [...bt709, ...x264]),
  bars("bt709 in full range", SD, "bt709 yuvj420p range=full", [...tags("bt709", "bt709", "bt709", "pc"), ...x264]),
  bars("nothing declared, with 720 lines", HD, "bt709 yuv420p", x264),
  bars("nothing declared, with odd sides", "321x241", "bt601 yuv420p", words("-c:v libvpx -qmin 0 -qmax 4 -b:v 4M -f webm")),
  bars("bt601 (525 lines)", SD, "bt601 yuv420p primaries=bt601-525", [...tags("smpte170m", "smpte170m", "smpte170m"), ...x264]),
  bars("bt601 (625 lines), as Android records", SD, "bt601 yuvj420p primaries=bt601-625 range=full", ANDROID),
  bars("Motion JPEG", SD, "bt601 yuvj422p range=full", words("-c:v mjpeg -q:v 1 -huffman default -f mov")),
  bars("P3", SD, "bt709 yuv420p primaries=p3", [...tags("bt709", "smpte432", "bt709"), ...x264]),
  bars("bt2020 in SDR", SD, `bt2020 yuv420p10le ${WIDE}`, [...tags("bt2020nc", "bt2020", "bt2020-10"), ...x264]),
  bars("HLG, as phones record", HD, `bt2020 yuv420p10le ${HLG}`, x265("arib-std-b67")),
  bars("PQ", SD, `bt2020 yuv420p10le ${PQ}`, x265("smpte2084")),
  bars("PQ in full range", SD, `bt2020 yuv420p10le ${PQ} range=full`, [
    ...tags("bt2020nc", "bt2020", "smpte2084", "pc"),
    ...x264,
  ]),
  bars("RGB", SD, "rgb gbrp", words(`${RGB} -f matroska`)),
  bars("RGB marked as limited range", SD, "rgb gbrp", words(`${RGB} -bsf:v h264_metadata=video_full_range_flag=0 -f matroska`)),
  // Its encoder takes the tags of the picture.
  bars(
    "ProRes 4444",
    SD,
    "bt709 yuv444p10le",
    words(
      "-vf setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709 -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le -f mov",
    ),
  ),
];

/** A raw picture of the bars, for `-f rawvideo`. */
function rawBars(encoding: Encoding, width: number, height: number): Buffer {
  const [shareX, shareY] = sharesOf(encoding.pixelFormat);
  const patches = patchesOf(encoding);
  const wide = depthOf(encoding.pixelFormat) > 8;
  const planes = [0, 1, 2].map((plane) => {
    const [columns, rows] = plane === 0 ? [width, height] : [Math.ceil(width / shareX), Math.ceil(height / shareY)];
    const samples = wide ? new Uint16Array(columns * rows) : new Uint8Array(columns * rows);
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < columns; x++) {
        const at = Math.floor((y / rows) * ROWS) * COLUMNS + Math.floor((x / columns) * COLUMNS);
        samples[y * columns + x] = patches[at]!.codes[plane]!;
      }
    return Buffer.from(samples.buffer);
  });
  return Buffer.concat(planes);
}

/** Writes five pictures of the bars to a new file at this path. */
export async function makeBars(bars: Bars, file: string): Promise<string> {
  const raw = `${file}.raw`;
  const [width = 0, height = 0] = bars.size.split("x").map(Number);
  const picture = rawBars(bars, width, height);
  await writeFile(raw, Buffer.concat(Array.from({ length: 5 }, () => picture)));
  const input = ["-f", "rawvideo", "-pix_fmt", bars.pixelFormat, "-s", `${width}x${height}`, "-r", "5", "-i", `file:${raw}`];
  await runFfmpeg([...input, ...bars.codec, "-y", `file:${file}`], [file], [raw]);
  return file;
}

/** What a picture declares, and how far each patch is at most from its true colour, with what was seen and expected. */
export async function look(picture: string, kind: "poster" | "rendition", source: Encoding) {
  const facts = await declared(picture);
  const shown = await decode(picture, kind, facts);
  const patches = patchesOf(source).map(({ name, expected }, at) => {
    const seen = shown(((at % COLUMNS) + 0.5) / COLUMNS, (Math.floor(at / COLUMNS) + 0.5) / ROWS);
    const difference = Math.max(...expected.map((it, plane) => Math.abs(it - seen[plane]!)));
    return { name, difference, seen: seen.map(Math.round), expected: expected.map(Math.round) };
  });
  return { facts, patches };
}

/** The first picture of a file: its R'G'B' from 0 to 255 around a point, by the matrix and range that its kind must have. */
async function decode(path: string, kind: "poster" | "rendition", { width, height }: Record<string, unknown>) {
  const [bytes] = await decoded(["-i", `file:${path}`], [path], ["-map", "0:v:0", "-frames:v", "1", "-f", "rawvideo"]);
  const [columns, rows] = [Math.ceil(Number(width) / 2), Math.ceil(Number(height) / 2)];
  const [luma, chroma] = [Number(width) * Number(height), columns * rows];
  if (bytes!.length !== luma + 2 * chroma) throw new Error(`${path} is not 4:2:0 with 8 bits`);
  return (x: number, y: number): Triple => {
    const mean = (offset: number, w: number, h: number): number => {
      const [left, top] = [Math.floor(x * w) - 3, Math.floor(y * h) - 3];
      let sum = 0;
      for (let row = top; row < top + 6; row++)
        for (let column = left; column < left + 6; column++) sum += bytes![offset + row * w + column]!;
      return sum / 36;
    };
    const codes: Triple = [mean(0, Number(width), Number(height)), mean(luma, columns, rows), mean(luma + chroma, columns, rows)];
    const values = valuesOf(codes, kind === "poster" ? "full" : "limited", 8);
    return map(fromYcc(kind === "poster" ? "bt601" : "bt709", values), (it) => 255 * clip(it));
  };
}

/** What ffprobe says of the first stream, and the kinds of side data of the stream and its first frame. */
export async function declared(path: string): Promise<Record<string, unknown>> {
  const shown =
    "stream=width,height,pix_fmt,color_range,color_space,color_transfer,color_primaries:stream_side_data:frame_side_data";
  const first = ["-select_streams", "v:0", "-read_intervals", "%+#1", "-show_frames", "-show_streams"];
  const report = await probed(path, shown, ...first);
  return {
    ...report.streams[0],
    sideData: JSON.stringify([report.streams, report.frames]).match(/(?<="side_data_type":\s?")[^"]+/g) ?? [],
  };
}

/** The same QuickTime file of HEVC, with what HDR10 and Dolby Vision add to its description: four boxes. */
export function withHdrMetadata(source: Buffer): Buffer {
  const box = (name: string, ...words: number[]): Buffer => {
    const bytes = Buffer.alloc(8 + 2 * words.length);
    bytes.writeUInt32BE(bytes.length, 0);
    bytes.write(name, 4, "latin1");
    words.forEach((word, at) => bytes.writeUInt16BE(word, 8 + 2 * at));
    return bytes;
  };
  const added = Buffer.concat([
    box("mdcv", 13_250, 34_500, 7_500, 3_000, 34_000, 16_000, 15_635, 16_450, 0x98, 0x9680, 0, 1),
    box("clli", 1_000, 400),
    box("dvvC", 0x0100, 0x1025, 0x4000, ...Array<number>(9).fill(0)), // Profile 8.4, as phones record.
  ]);
  const file = Buffer.from(source);
  // The index is behind the media data, so nothing that it refers to moves.
  let at = file.lastIndexOf("moov");
  for (const name of ["moov", "trak", "mdia", "minf", "stbl", "stsd", "hvc1"]) {
    at = file.indexOf(name, at);
    file.writeUInt32BE(file.readUInt32BE(at - 4) + added.length, at - 4);
  }
  const end = at - 4 + file.readUInt32BE(at - 4) - added.length;
  return Buffer.concat([file.subarray(0, end), added, file.subarray(end)]);
}
