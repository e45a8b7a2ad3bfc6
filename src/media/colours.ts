/**
 * The true colours of a video: what its file declares, and the filters that convert them to those of its results. Each
 * rendition is bt709 in limited range. A poster is what JFIF defines for a JPEG: the matrix of bt601, in full range.
 */
import { z } from "zod";
import type { FrameSize } from "./frame-size.ts";

/** Code points of ITU-T H.273. The matrix and the primaries of these three have the same ones. */
const [BT709, BT601, BT2020] = [1, 6, 9];
/** By the names in ffprobe. zscale takes the numbers. */
const MATRICES = { bt709: BT709, fcc: 4, bt470bg: 5, smpte170m: BT601, smpte240m: 7, ycgco: 8, bt2020nc: BT2020 };
const PRIMARIES = {
  ...{ bt709: BT709, bt470m: 4, bt470bg: 5, smpte170m: BT601, smpte240m: 7, film: 8, bt2020: BT2020 },
  ...{ smpte428: 10, smpte431: 11, smpte432: 12, ebu3213: 22 },
};
const HLG = 18;
/** PQ and HLG. All others are SDR, and players show them as if they were bt709. */
const HDR_TRANSFERS = { smpte2084: 16, "arib-std-b67": HLG };

/** The file decides about these texts. One that is not in the table counts as not declared. */
const oneOf = (table: Readonly<Record<string, number>>) =>
  z.preprocess((name) => new Map<unknown, number>(Object.entries(table)).get(name), z.number().optional());

/** What ffprobe reports of the colours of a video stream. */
export const colourTags = {
  color_space: oneOf(MATRICES),
  color_primaries: oneOf(PRIMARIES),
  color_transfer: oneOf(HDR_TRANSFERS),
  color_range: oneOf({ tv: 0, pc: 1 }),
};
type Declared = z.infer<z.ZodObject<typeof colourTags>> & {
  readonly pix_fmt?: string | undefined;
  readonly height?: number | undefined;
};

/** The colours of a video, with nothing left open, as code points. */
export type Colours = {
  readonly matrix: number;
  readonly primaries: number;
  /** `BT709` for all of SDR. */
  readonly transfer: number;
  readonly isFullRange: boolean;
  readonly isRgb: boolean;
};

/** Television had bt601 up to this height of the picture. Players take that for a video that declares no colours, too. */
const STANDARD_DEFINITION_LINES = 576;

/** The colours that a stream declares, and the usual ones for what it doesn't. `height` is the stored one, before rotation. */
export function coloursOf(stream: Declared): Colours {
  const { color_space: matrix, color_primaries: primaries, color_transfer: transfer, pix_fmt: format = "", height = 0 } = stream;
  const isWide = transfer !== undefined || matrix === BT2020 || primaries === BT2020;
  return {
    matrix: matrix ?? (isWide ? BT2020 : height <= STANDARD_DEFINITION_LINES ? BT601 : BT709),
    // bt601 has two sets of primaries, and those of bt709 lie between them.
    primaries: primaries ?? (isWide ? BT2020 : BT709),
    transfer: transfer ?? BT709,
    isFullRange: stream.color_range === 1 || format.startsWith("yuvj"),
    isRgb: /rgb|gbr|bgr/.test(format),
  };
}

const RENDITION = { matrix: BT709, range: "tv", format: "yuv420p", chroma: "left" };
const RENDITION_COLOURS: Colours = { matrix: BT709, primaries: BT709, transfer: BT709, isFullRange: false, isRgb: false };
const POSTER = { matrix: BT601, range: "pc", format: "yuvj420p", chroma: "center" };

/** The filters that resize the picture to `size` and give it the colours of a rendition. The pixels are square. */
export const renditionFilters = (colours: Colours, size: FrameSize): string => filters(colours, size, RENDITION);

/** The same for a poster. */
export const posterFilters = (colours: Colours, size: FrameSize): string => filters(colours, size, POSTER);

/** The same for the tiles of a sprite, which are made of pictures of a rendition. */
export const spriteFilters = (size: FrameSize): string => filters(RENDITION_COLOURS, size, POSTER);

function filters(from: Colours, size: FrameSize, to: typeof RENDITION): string {
  return [
    ...(needsConversion(from, to) ? conversion(from, size, to) : [`scale=${size.width}:${size.height}`]),
    `format=${to.format},setsar=1`,
    `setparams=colorspace=${to.matrix}:color_primaries=bt709:color_trc=bt709:range=${to.range}`,
    // It describes the source: the display that it was made on, its light levels, HDR10+, Dolby Vision.
    "sidedata=mode=delete",
  ].join(",");
}

/** Most videos need none. swscale then resizes them, which takes half the time of zscale on the WebAssembly build. */
const needsConversion = (from: Colours, to: typeof RENDITION): boolean =>
  to === POSTER || from.isRgb || from.isFullRange || [from.matrix, from.primaries, from.transfer].some((it) => it !== BT709);

/** The light of SDR white, in nits, and the brightest light that keeps a difference, as a multiple of it (ITU-R BT.2408). */
const WHITE_NITS = 203;
const PEAK = 1000 / WHITE_NITS;

function conversion(from: Colours, { width, height }: FrameSize, to: typeof RENDITION): string[] {
  const input = `min=${from.matrix}:pin=${from.primaries}:tin=${from.transfer}:rin=${from.isFullRange ? "pc" : "tv"}`;
  // zscale refuses a picture with half a chroma sample at its edge. By default, crop cuts off just that.
  const resize = `crop,zscale=w=${width}:h=${height}:f=spline16:${input}:p=bt709`;
  const output = `m=${to.matrix}:t=bt709:r=${to.range}:c=${to.chroma}`;
  // Colours that bt709 does not have must be cut to it as RGB. As YCbCr, they would change the others.
  const cut = ["format=gbrp10le", `zscale=${output}`];
  if (from.transfer === BT709) return from.primaries === BT709 ? [`${resize}:${output}`] : [`${resize}:t=bt709`, ...cut];
  // By default, zscale computes the light of HLG from each channel alone, not from all three (BT.2100). With unusual primaries,
  // it can do only that.
  const isExact = from.transfer === HLG && from.primaries === BT2020;
  return [
    `${resize}:t=linear:npl=${WHITE_NITS}${isExact ? ":agamma=false" : ""}`,
    "format=gbrpf32le",
    `tonemap=mobius:desat=0:peak=${PEAK.toFixed(2)}`,
    "zscale=t=bt709",
    ...cut,
  ];
}
