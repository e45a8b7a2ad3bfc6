/** Converts the declared colours of a video: renditions are bt709 in limited range, posters bt601 in full range (JFIF). */
import { z } from "zod";
import type { FrameSize } from "./frame-size.ts";

/** Code points of ITU-T H.273, which are the same for matrix and primaries. */
const [BT709, BT601, BT2020] = [1, 6, 9];
/** Code points by the names in ffprobe, for zscale. */
const MATRICES = { bt709: BT709, fcc: 4, bt470bg: 5, smpte170m: BT601, smpte240m: 7, ycgco: 8, bt2020nc: BT2020 };
const PRIMARIES = {
  ...{ bt709: BT709, bt470m: 4, bt470bg: 5, smpte170m: BT601, smpte240m: 7, film: 8, bt2020: BT2020 },
  ...{ smpte428: 10, smpte431: 11, smpte432: 12, ebu3213: 22 },
};
const HLG = 18;
/** PQ and HLG. All others are SDR, which players show as bt709. */
const HDR_TRANSFERS = { smpte2084: 16, "arib-std-b67": HLG };

/** Untrusted text of the file. A value that is not in the table counts as not declared. */
const oneOf = (table: Readonly<Record<string, number>>) =>
  z.preprocess((name) => new Map<unknown, number>(Object.entries(table)).get(name), z.number().optional());

/** What ffprobe reports of the colours of a video stream. */
export const colourTags = {
  color_space: oneOf(MATRICES),
  color_primaries: oneOf(PRIMARIES),
  color_transfer: oneOf(HDR_TRANSFERS),
  color_range: oneOf({ tv: 0, pc: 1 }),
};
type DeclaredColours = z.infer<z.ZodObject<typeof colourTags>> & {
  readonly pix_fmt?: string | undefined;
  readonly height?: number | undefined;
};

/** The colours of a video as code points, with defaults for undeclared values. */
export type Colours = {
  readonly matrix: number;
  readonly primaries: number;
  /** `BT709` for all of SDR. */
  readonly transfer: number;
  readonly isFullRange: boolean;
  readonly isRgb: boolean;
};

/** Up to this height, players assume bt601 (standard-definition television) for a video that declares no colours. */
const STANDARD_DEFINITION_LINES = 576;

/** The declared colours of a stream, with the usual defaults. `height` is the stored height, before rotation. */
export function coloursOf(stream: DeclaredColours): Colours {
  const { color_space: matrix, color_primaries: primaries, color_transfer: transfer, pix_fmt: format = "", height = 0 } = stream;
  const isWide = transfer !== undefined || matrix === BT2020 || primaries === BT2020;
  return {
    matrix: matrix ?? (isWide ? BT2020 : height <= STANDARD_DEFINITION_LINES ? BT601 : BT709),
    // bt601 has two sets of primaries. bt709 lies between them.
    primaries: primaries ?? (isWide ? BT2020 : BT709),
    transfer: transfer ?? BT709,
    isFullRange: stream.color_range === 1 || format.startsWith("yuvj"),
    isRgb: /rgb|gbr|bgr/.test(format),
  };
}

const RENDITION = { matrix: BT709, range: "tv", format: "yuv420p", chroma: "left" };
const RENDITION_COLOURS: Colours = { matrix: BT709, primaries: BT709, transfer: BT709, isFullRange: false, isRgb: false };
const POSTER = { matrix: BT601, range: "pc", format: "yuvj420p", chroma: "center" };

/**
 * The filters that resize the picture to `size` and give it the colours of a rendition. The pixels are square. If the size of the
 * picture changes, each part keeps its shape.
 */
export const renditionFilters = (colours: Colours, size: FrameSize): string => filters(colours, size, RENDITION);

/** The same for a poster. */
export const posterFilters = (colours: Colours, size: FrameSize): string => filters(colours, size, POSTER);

/** The same for the tiles of a sprite, which are scaled frames of a rendition. */
export const spriteFilters = (size: FrameSize): string => filters(RENDITION_COLOURS, size, POSTER);

function filters(from: Colours, size: FrameSize, to: typeof RENDITION): string {
  return [
    ...(needsConversion(from, to) ? conversion(from, size, to) : [`scale=${fit(size)}`]),
    `format=${to.format},setsar=1`,
    `pad=${size.width}:${size.height}:-1:-1`,
    `setparams=colorspace=${to.matrix}:color_primaries=bt709:color_trc=bt709:range=${to.range}`,
    // Metadata of the source (mastering display, light levels, HDR10+, Dolby Vision) is wrong for the result.
    "sidedata=mode=delete",
  ].join(",");
}

/** Most videos need no conversion. Then swscale resizes them, in half the time of zscale on the WebAssembly build. */
const needsConversion = (from: Colours, to: typeof RENDITION): boolean =>
  to === POSTER || from.isRgb || from.isFullRange || [from.matrix, from.primaries, from.transfer].some((it) => it !== BT709);

/** The luminance of SDR white in nits (ITU-R BT.2408), and the brightest luminance that tone mapping preserves, relative to it. */
const WHITE_NITS = 203;
const PEAK = 1000 / WHITE_NITS;

/** The even size, within `size`, for the shape of each frame. It allows for a side of `size` that was rounded by a pixel. */
function fit({ width, height }: FrameSize): string {
  const even = (side: string) => `'max(2,2*round(${side}/2))'`;
  return `w=${even(`min(${width},${height + 1}*dar)`)}:h=${even(`min(${height},${width + 1}/dar)`)}`;
}

function conversion(from: Colours, size: FrameSize, to: typeof RENDITION): string[] {
  const input = `min=${from.matrix}:pin=${from.primaries}:tin=${from.transfer}:rin=${from.isFullRange ? "pc" : "tv"}`;
  // zscale refuses frames with half a chroma sample at the edge. By default, crop removes it, but all of a side of one pixel.
  const resize = `scale='max(2,iw)':'max(2,ih)',crop,zscale=${fit(size)}:f=spline16:${input}:p=bt709`;
  const output = `m=${to.matrix}:t=bt709:r=${to.range}:c=${to.chroma}`;
  // Colours outside bt709 are clipped in RGB. In YCbCr, clipping would change other colours, too.
  const cut = ["format=gbrp10le", `zscale=${output}`];
  if (from.transfer === BT709) return from.primaries === BT709 ? [`${resize}:${output}`] : [`${resize}:t=bt709`, ...cut];
  // By default, zscale computes the luminance of HLG per channel, not from all three (BT.2100). With other primaries, it can't
  // do more.
  const isExact = from.transfer === HLG && from.primaries === BT2020;
  return [
    `${resize}:t=linear:npl=${WHITE_NITS}${isExact ? ":agamma=false" : ""}`,
    "format=gbrpf32le",
    `tonemap=mobius:desat=0:peak=${PEAK.toFixed(2)}`,
    "zscale=t=bt709",
    ...cut,
  ];
}
