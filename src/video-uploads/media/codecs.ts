/** The accepted codecs, and the decoders that may run for them. Each one adds attack surface. */

export const VIDEO_CODECS: readonly string[] = "h264 hevc vp8 vp9 av1 mpeg4 h263 prores mjpeg".split(" ");

export const AUDIO_CODECS: readonly string[] = [
  ..."aac mp3 mp2 opus vorbis flac alac ac3 eac3 amr_nb amr_wb".split(" "),
  ..."u8 s16le s16be s24le s24be s32le s32be f32le f32be mulaw alaw".split(" ").map((it) => `pcm_${it}`),
];

/** Decoders that do not have the name of their codec. */
const OTHER_DECODERS = ["libdav1d", "libaom-av1", "libvpx-vp9", "mp3float", "libopus", "libvorbis", "amrnb", "amrwb"];

/** The service ignores cover pictures and subtitles, but ffprobe fails on a file with a stream that it may not open. */
const IGNORED_DECODERS = ["png", "mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text", "dvdsub", "pgssub"];

/** For `-codec_whitelist`: a stream in any other codec is never opened, not even to probe it. */
export const DECODER_WHITELIST = [...VIDEO_CODECS, ...AUDIO_CODECS, ...OTHER_DECODERS, ...IGNORED_DECODERS].join(",");
