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
  channels: z.number().optional(),
  disposition: z.record(z.string(), z.number()).optional(),
  side_data_list: z.array(z.object({ displaymatrix: z.string() }).partial()).optional(),
});
/** `isBroken`: its decoder could not be opened. */
export type Stream = z.infer<typeof streamSchema> & { readonly isBroken?: boolean };
/** A programme of MPEG-TS: a channel of a broadcast, with pictures and sounds of its own. */
export const programSchema = z.object({ streams: z.array(z.object({ index: z.int() })).default([]) });
type Program = z.infer<typeof programSchema>;

/** ffmpeg knows the layouts of up to 8 channels, and mixes up to 64. */
const [LAYOUT_CHANNELS_MAX, CHANNELS_MAX] = [8, 64];

/** Codecs of still images. Such a stream is often a preview, so it is chosen last. */
const IMAGE_CODECS: readonly (string | undefined)[] = ["mjpeg", "png", "gif", "tiff", "bmp"];

/**
 * Chooses the main video stream: rather no still images, then decodable, default, most pixels, first. Throws if it can't be
 * decoded.
 */
export function chooseVideo(streams: readonly Stream[], engine: Engine): Stream {
  const isCover = ({ disposition = {} }: Stream) => disposition["attached_pic"] === 1 || disposition["timed_thumbnails"] === 1;
  const candidates = streams.filter((it) => it.codec_type === "video" && !isCover(it));
  const [best] = sortBy(candidates, (it) => [
    IMAGE_CODECS.includes(it.codec_name) ? 1 : 0,
    canDecodeVideo(it, engine) ? 0 : 1,
    isDefault(it) ? 0 : 1,
    -(it.width ?? 0) * (it.height ?? 0),
  ]);
  if (best === undefined) throw new MediaFailure("unsupported_media", "The file has no video stream.");
  if (!canDecodeVideo(best, engine)) throw undecodable(best, VIDEO_CODECS, "picture");
  return best;
}

/** Sounds beside the main one: narrations, commentaries, and others for some listeners. */
const ASIDE = "visual_impaired hearing_impaired comment descriptions lyrics karaoke clean_effects non_diegetic".split(" ");

/**
 * The sounds of a video, the best one first: in its programme, decodable, the main one, default, in the original language, first.
 * Which ones have packets is not known yet.
 */
export function rankSounds(streams: readonly Stream[], video: Stream, programs: readonly Program[]): readonly Stream[] {
  const has = (it: Stream) => (program: Program) => program.streams.some(({ index }) => index === it.index);
  const isOfOther = (it: Stream) => programs.some(has(it)) && !programs.filter(has(video)).some(has(it));
  // Players ignore an audio stream without a codec name.
  const isSound = ({ codec_type, codec_name }: Stream) => codec_type === "audio" && codec_name !== undefined;
  const sounds = streams.filter((it) => isSound(it) && !(programs.some(has(video)) && isOfOther(it)));
  return sortBy(sounds, (it) => [
    canDecodeAudio(it) ? 0 : 1,
    ASIDE.some((name) => it.disposition?.[name] === 1) ? 1 : 0,
    isDefault(it) ? 0 : 1,
    it.disposition?.["dub"] === 1 ? 1 : 0,
  ]);
}

/** Throws if a sound can't be decoded, because a result without it would differ from the upload. */
export function requireDecodable(sound: Stream): void {
  const { channels = 0 } = sound;
  if (!canDecodeAudio(sound)) throw undecodable(sound, AUDIO_CODECS, "sound");
  if (channels > CHANNELS_MAX)
    throw new MediaFailure("unsupported_media", `The sound has ${channels} channels, more than ${CHANNELS_MAX}.`);
}

/** The number of channels to mix one by one, because ffmpeg knows no layout for it. Null if it can mix them by itself. */
export const mixedChannelsOf = ({ channels = 0 }: Stream): number | null => (channels > LAYOUT_CHANNELS_MAX ? channels : null);

/** A decoder that could not be opened, although its codec is accepted, has found damage. */
const undecodable = ({ codec_name = "unknown", isBroken = false }: Stream, codecs: readonly string[], what: string) =>
  isBroken && codecs.includes(codec_name)
    ? new MediaFailure("corrupt_media", `The beginning of the ${what}, of the codec ${codec_name}, is damaged.`)
    : new MediaFailure("unsupported_media", `The codec ${codec_name} is not supported.`);

const isDefault = ({ disposition }: Stream) => disposition?.["default"] === 1;

const canDecodeAudio = ({ codec_name = "", isBroken = false }: Stream) => !isBroken && AUDIO_CODECS.includes(codec_name);

/** The wasm build recognises AV1 but has no software decoder for it. */
const canDecodeVideo = ({ codec_name = "", isBroken = false }: Stream, { kind }: Engine) =>
  !isBroken && VIDEO_CODECS.includes(codec_name) && !(kind === "wasm" && codec_name === "av1");

/** Elements with lower ranks first, compared in order. Equal ones stay in their order. */
function sortBy<T>(elements: readonly T[], ranks: (element: T) => number[]): T[] {
  const ranked = elements.map((element) => ({ element, ranks: ranks(element) }));
  ranked.sort((a, b) => a.ranks.map((rank, at) => rank - b.ranks[at]!).find((it) => it !== 0) ?? 0);
  return ranked.map(({ element }) => element);
}
