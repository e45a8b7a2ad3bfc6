/** The codecs that are accepted, and the decoders that may therefore run. Each further one is attack surface. */

export const VIDEO_CODECS: readonly string[] = "h264 hevc vp8 vp9 av1 mpeg4 h263 prores mjpeg".split(" ");

export const AUDIO_CODECS: readonly string[] = [
  ..."aac mp3 mp2 opus vorbis flac alac ac3 eac3 amr_nb amr_wb".split(" "),
  ..."u8 s16le s16be s24le s24be s32le s32be f32le f32be mulaw alaw".split(" ").map((it) => `pcm_${it}`),
];

/** Where a decoder is not called by its codec's name. */
const OTHER_DECODERS = ["libdav1d", "libaom-av1", "libvpx-vp9", "mp3float", "libopus", "libvorbis", "amrnb", "amrwb"];

/** Cover pictures and subtitles are passed over, but ffprobe gives up on a file whose streams it may not open. */
const IGNORED_DECODERS = ["png", "mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text", "dvdsub", "pgssub"];

/** For `-codec_whitelist`: a stream in any other codec is never opened, not even to look at it. */
export const DECODER_WHITELIST = [...VIDEO_CODECS, ...AUDIO_CODECS, ...OTHER_DECODERS, ...IGNORED_DECODERS].join(",");
