/** Chooses the main video and audio streams of a file. It can have many: covers, previews, commentaries. */
import { z } from "zod";
import { AUDIO_CODECS, VIDEO_CODECS } from "./codecs.ts";
import { colourTags } from "./colours.ts";
import type { Engine } from "./engine.ts";
import { MediaFailure } from "./media-failure.ts";

/** What ffprobe reports of a stream. */
export const streamSchema = z.object({
  index: z.int(),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  sample_aspect_ratio: z.string().optional(),
  pix_fmt: z.string().optional(),
  ...colourTags,
  avg_frame_rate: z.string().optional(),
  start_time: z.string().optional(),
  duration: z.string().optional(),
  disposition: z.object({ default: z.number(), attached_pic: z.number(), timed_thumbnails: z.number() }).partial().optional(),
  side_data_list: z.array(z.object({ displaymatrix: z.string() }).partial()).optional(),
});
export type Stream = z.infer<typeof streamSchema>;

/** Codecs of still images. Such a stream is often a preview, so it is chosen last. */
const IMAGE_CODECS: readonly (string | undefined)[] = ["mjpeg", "png", "gif", "tiff", "bmp"];

/**
 * Chooses the main video stream: rather no still images, then decodable, default, most pixels, first. Throws if it can't be
 * decoded.
 */
export function chooseVideo(streams: readonly Stream[], engine: Engine): Stream {
  const isCover = ({ disposition }: Stream) => disposition?.attached_pic === 1 || disposition?.timed_thumbnails === 1;
  const candidates = streams.filter((it) => it.codec_type === "video" && !isCover(it));
  const best = firstBy(candidates, (it) => [
    IMAGE_CODECS.includes(it.codec_name) ? 1 : 0,
    canDecodeVideo(it, engine) ? 0 : 1,
    isDefault(it) ? 0 : 1,
    -(it.width ?? 0) * (it.height ?? 0),
  ]);
  if (best === undefined) throw new MediaFailure("unsupported_media", "The file has no video stream.");
  if (!canDecodeVideo(best, engine)) throw unsupportedCodec(best.codec_name);
  return best;
}

/**
 * Chooses the main audio stream, or null. Throws if none can be decoded, because a result without sound would differ from the
 * upload.
 */
export function chooseAudio(streams: readonly Stream[]): Stream | null {
  // Players ignore an audio stream without a codec name.
  const sounds = streams.filter(({ codec_type, codec_name }) => codec_type === "audio" && codec_name !== undefined);
  const best = firstBy(sounds, (it) => [canDecodeAudio(it) ? 0 : 1, isDefault(it) ? 0 : 1]);
  if (best === undefined) return null;
  if (!canDecodeAudio(best)) throw unsupportedCodec(best.codec_name);
  return best;
}

export const unsupportedCodec = (codec = "unknown") =>
  new MediaFailure("unsupported_media", `The codec ${codec} is not supported.`);

const isDefault = ({ disposition }: Stream) => disposition?.default === 1;

const canDecodeAudio = ({ codec_name = "" }: Stream) => AUDIO_CODECS.includes(codec_name);

/** The wasm build recognises AV1 but has no software decoder for it. */
const canDecodeVideo = ({ codec_name = "" }: Stream, { kind }: Engine) =>
  VIDEO_CODECS.includes(codec_name) && !(kind === "wasm" && codec_name === "av1");

/** The element with the lowest ranks, compared in order. The first one of equal elements. */
function firstBy<T>(elements: readonly T[], ranks: (element: T) => number[]): T | undefined {
  const ranked = elements.map((element) => ({ element, ranks: ranks(element) }));
  ranked.sort((a, b) => a.ranks.map((rank, at) => rank - b.ranks[at]!).find((it) => it !== 0) ?? 0);
  return ranked[0]?.element;
}
