/** The accepted codecs, and the decoders that may run for them. Each one adds attack surface. */

export const VIDEO_CODECS: readonly string[] =
  "h264 hevc vp8 vp9 av1 mpeg1video mpeg2video mpeg4 h263 dvvideo prores mjpeg".split(" ");

/** Those of cameras and recorders whose frames can be interlaced. */
export const INTERLACED_CODECS: readonly string[] = "h264 mpeg2video mpeg4 dvvideo prores mjpeg".split(" ");

export const AUDIO_CODECS: readonly string[] = [
  ..."aac mp3 mp2 opus vorbis flac alac ac3 eac3 amr_nb amr_wb".split(" "),
  ..."u8 s16le s16be s24le s24be s32le s32be f32le f32be mulaw alaw".split(" ").map((it) => `pcm_${it}`),
];

/** Decoders that do not have the name of their codec. */
const OTHER_DECODERS = ["libdav1d", "libaom-av1", "libvpx-vp9", "mp3float", "mp2float", "libopus", "libvorbis", "amrnb", "amrwb"];

/**
 * Decoders of what the service passes over: covers, subtitles, and sound that another track also has. ffprobe initialises a
 * decoder for every stream and fails on the whole file if it may not, but gives these nothing to decode. On the list are only
 * decoders whose initialisation reads nothing of the file, or a header of text or a few bytes (read in FFmpeg 5.1).
 */
const PASSED_OVER_DECODERS = [
  ..."png gif tiff bmp".split(" "),
  ..."dca truehd mlp".split(" "),
  ..."mov_text subrip srt ass ssa webvtt text dvdsub pgssub dvbsub cc_dec libzvbi_teletextdec".split(" "),
];

/** For `-codec_whitelist`: no other decoder gets a byte to decode, not even to probe it. */
export const DECODER_WHITELIST = [...VIDEO_CODECS, ...AUDIO_CODECS, ...OTHER_DECODERS].join(",");

/** The same for what ffprobe initialises but never uses. */
export const INITIALISED_WHITELIST = [DECODER_WHITELIST, ...PASSED_OVER_DECODERS].join(",");
