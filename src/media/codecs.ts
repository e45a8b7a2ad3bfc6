/** The accepted codecs and the allowed decoders. Each one adds attack surface. */

export const VIDEO_CODECS: readonly string[] =
  "h264 hevc vp8 vp9 av1 mpeg1video mpeg2video mpeg4 h263 dvvideo prores mjpeg".split(" ");

/** Codecs of cameras and recorders, with frames that can be interlaced. */
export const INTERLACED_CODECS: readonly string[] = "h264 mpeg2video mpeg4 dvvideo prores mjpeg".split(" ");

export const AUDIO_CODECS: readonly string[] = [
  ..."aac mp3 mp2 opus vorbis flac alac ac3 eac3 amr_nb amr_wb".split(" "),
  ..."u8 s16le s16be s24le s24be s32le s32be f32le f32be mulaw alaw".split(" ").map((it) => `pcm_${it}`),
];

/** Decoders with another name than their codec. */
const OTHER_DECODERS = ["libdav1d", "libaom-av1", "libvpx-vp9", "mp3float", "mp2float", "libopus", "libvorbis", "amrnb", "amrwb"];

/**
 * Decoders of ignored streams (covers, subtitles), which ffprobe initialises. Their initialisation reads at most a short header
 * (FFmpeg 5.1).
 */
const IGNORED_DECODERS = [
  ..."png gif tiff bmp".split(" "),
  ..."dca truehd mlp".split(" "),
  ..."mov_text subrip srt ass ssa webvtt text dvdsub pgssub dvbsub cc_dec libzvbi_teletextdec".split(" "),
];

/** For `-codec_whitelist`: only these decoders get data of the file, even for probing. */
export const DECODER_WHITELIST = [...VIDEO_CODECS, ...AUDIO_CODECS, ...OTHER_DECODERS].join(",");

/** In addition, decoders that ffprobe initialises but never uses. */
export const INITIALISED_WHITELIST = [DECODER_WHITELIST, ...IGNORED_DECODERS].join(",");
