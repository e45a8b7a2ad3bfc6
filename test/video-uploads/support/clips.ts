/** The rows of the table of clips: what recorded or made a file, how it is made, and what must be said of its job. */
import { DEFAULT_MEDIA_LIMITS } from "../../../src/media/limits.ts";
import { makeClip, makeWith, transformTracks } from "../../support/media.ts";
import { sized } from "../../support/size.ts";
import type { Canary } from "./canary.ts";
import { declaring, declaringInMatroska, joined, playing, resized } from "./clip-bytes.ts";
import { combing, type Refused, type Row, type Shows } from "./clip-check.ts";
import {
  changed,
  coded,
  copied,
  damageVorbis,
  film,
  FILM_MS,
  H264,
  lavfi,
  PLAIN,
  PLAIN_MKV,
  PLAIN_MP4,
  PLAIN_TS,
  picture,
  silent,
  sound,
  VP8,
  type Make,
} from "./clip-film.ts";
import * as hostile from "./media-hostile.ts";

/* Recordings of browsers and screens: WebM and fragments, whose times are irregular and whose headers say little. */
const WEBM = `${VP8} -c:a libopus`;
const LIVE = "-fps_mode:v passthrough -enc_time_base:v 1/1000 -live 1";
const RECORDED = film("webm", WEBM);
/** At irregular times, at most 60 in a second, and one at the beginning of each. */
const IRREGULAR = "if(eq(n,0)+lt(mod(t+0.0001,1),0.0009)+gte(t-prev_selected_t,0.017+0.04*random(1)),1,0)";
const FRAGMENTS = "-movflags frag_keyframe+empty_moov";
const PAUSED = "select='lt(t,1.5)+gte(t,2.4)'";
const CHANGES = "select='not(mod(n,25))+eq(mod(n,25),2)'";
const WITHOUT_A_SECOND = "-bsf:a noise=amount=0:drop='gt(pts*tb,1.5)*lt(pts*tb,2.5)'";
const NO_SOUND = "-bsf:a noise=amount=0:drop=1";
const MUTE: Partial<Shows> = { beepsMs: [], result: { audio_codec: null } };
const VP9 = "-c:v libvpx-vp9 -deadline realtime";
const codecs = (video_codec: string, audio_codec?: string): Partial<Shows> => ({
  result: { video_codec, ...(audio_codec === undefined ? {} : { audio_codec }) },
});

const OF_BROWSERS: readonly Row[] = [
  [
    "Chrome's MediaRecorder at irregular times",
    film("webm", `${WEBM} ${LIVE}`, { rate: 1000, select: IRREGULAR }),
    { frames: [153, 156] },
  ],
  ["MediaRecorder of a canvas at 120 frames a second", film("webm", `${WEBM} ${LIVE}`, { rate: 120 }), { frames: [227, 229] }],
  ["Firefox's MediaRecorder, which begins late", film("webm", `${WEBM} ${LIVE} -output_ts_offset 0.7`)],
  ["Chrome's H.264 and Opus in fragments", film("mp4", `${PLAIN} -bf 0 -c:a libopus ${FRAGMENTS}+default_base_moof`)],
  ["a WebRTC call whose phone is turned", resized("320x180", "180x320"), { size: "320x180" }],
  ["a recorded window that grows to an odd size", resized("320x240", "322x250"), { size: "320x240" }],
  [
    "a recording that was paused",
    film("webm", `${WEBM} ${LIVE} -af a${PAUSED}`, {}, PAUSED),
    { frames: 73, flashesMs: [1_000, 3_000] },
  ],
  ["a microphone that was muted", copied(RECORDED, "webm", WITHOUT_A_SECOND), { beepsMs: [1_000, 3_000] }],
  ["a microphone switched on after 1.5 s", film("webm", `${WEBM} -af atrim=start=1.5`), { beepsMs: [2_000, 3_000] }],
  ["a camera switched on after 0.44 s", film("webm", `${WEBM} -vf trim=start=0.44`), { frames: 84 }],
  ["a screen recording with a frame for each change", film("mkv", `${PLAIN} ${LIVE}`, {}, CHANGES), { frames: 8 }],
  ["a header with the time of the clock on the wall", changed(RECORDED, "60s", declaringInMatroska(60))],
];

/* Phones, cameras and editors: MP4, QuickTime and AVI. */
/** The plain film with this matrix, as [where the right side goes, where the lower side goes], to the right and down. */
const turned = (...matrix: [number, number, number, number]): Make =>
  changed(PLAIN_MP4, `matrix${matrix.join("_")}`, (bytes) => transformTracks(bytes, matrix));
const UPRIGHT = { size: "240x320", tile: "120x160", result: { width: 240, height: 320 } } as const;
const PCM = "-c:a pcm_s16le";
/** With sound of this many channels, in which only one has the beeps. */
const channels = (count: number, options = PCM): Make =>
  coded("mov", `${H264} ${options} -f mov`, picture(), sound({ channels: count }));

const ORIENTATIONS: readonly Row[] = [
  ["a phone held upright", turned(0, 1, -1, 0), { ...UPRIGHT, quarters: "blue red yellow green" }],
  ["a front camera of a phone held upright", turned(0, 1, 1, 0), { ...UPRIGHT, quarters: "red blue green yellow" }],
];

const LIVE_90K = "-fps_mode passthrough -enc_time_base 1/90000";
const UNEVEN = ["settb=1/90000", "setpts='PTS+1000*sin(N*5)*gt(N,0)'"];
const RATES: readonly Row[] = [
  ["a phone whose frames come early and late", film("mp4", `${PLAIN} ${LIVE_90K}`, { rate: 30 }, ...UNEVEN), { frames: 114 }],
  ["a camera of NTSC, 59.94 frames a second", film("mov", PLAIN, { rate: "60000/1001" }), { frames: [227, 228] }],
  ["a header that says half a second", changed(PLAIN_MP4, "half", declaring(0.5))],
];

const EDITED: Partial<Shows> = { ms: 3_080, frames: 77, tiles: "1233", flashesMs: [280, 1_280, 2_280] };
const edited = (...parts: [number, number][]) => changed(PLAIN_MP4, `edits-${parts.join("-")}`, playing(...parts));
const SHORTENED: Partial<Shows> = { ms: 2_800, frames: 70, tiles: "023", flashesMs: [1_000, 2_000] };
const FILES: readonly Row[] = [
  ["an MP4 with its index at the end", PLAIN_MP4, { result: { container: "mp4", video_codec: "h264", audio_codec: "aac" } }],
  ["a clip whose beginning was cut off by an edit list", copied(PLAIN_MP4, "mp4", "-ss 0.72|"), EDITED],
  ["a clip whose middle was cut out, away from a key frame", edited([0, 1_300], [2_300, 3_800]), SHORTENED],
  ["an MP4 that starts after an hour", copied(PLAIN_MP4, "mp4", "-output_ts_offset 3600")],
];

const HEVC = "-c:v libx265 -preset ultrafast -x265-params log-level=error -pix_fmt yuv420p -c:a aac";
const DV: Partial<Shows> = { size: "640x480", poster: "768x576", result: { width: 768, height: 576 } };
const CIF = "scale=352:288,setsar=12/11";
const CODECS: readonly Row[] = [
  ["HEVC of a phone", film("mp4", HEVC), codecs("hevc")],
  ["MPEG-4 and MP3 in AVI", film("avi", "-c:v mpeg4 -q:v 3 -c:a libmp3lame"), codecs("mpeg4", "mp3")],
  ["Motion JPEG and PCM", film("avi", `-c:v mjpeg -q:v 3 -pix_fmt yuvj420p ${PCM}`), codecs("mjpeg")],
  ["DV of a camcorder", film("avi", `-c:v dvvideo -pix_fmt yuv420p ${PCM} -ac 2`, {}, "scale=720:576,setsar=16/15"), DV],
  [
    "H.263 of an old phone",
    film("3gp", "-c:v h263 -q:v 3 -c:a aac", { rate: "30000/1001" }, CIF),
    { frames: [113, 114], size: "384x288" },
  ],
];

const SOUNDS: readonly Row[] = [
  ["a recorder with 8 channels of 96,000 samples a second", channels(8, `${PCM} -ar 96000`)],
  ["a recorder with 9 channels", channels(9)],
  ["FLAC", film("mkv", `${H264} -c:a flac`), { result: { container: "mkv", audio_codec: "flac" } }],
  ["telephone sound", film("mov", `${H264} -c:a pcm_mulaw -ar 8000`), { result: { audio_codec: "pcm_mulaw" } }],
];

/* Every size, shape and length, and interlaced ones. */
const ANAMORPHIC = film("mp4", PLAIN, {}, "scale=240:240,setsar=4/3");
const QUARTER = { quarters: "blue red yellow green" };
const upright = (it: Buffer) => transformTracks(it, [0, 1, -1, 0]);
const HEVC_8K = film("mp4", HEVC, { rate: 5, size: "7680x4320" });
const LARGE = { frames: 19, size: "854x480 1280x720", poster: "1280x720", tile: "160x90" } as const;
const REALTIME = "-c:v libvpx -b:v 1M -deadline realtime -cpu-used 8 -c:a libopus";
const TINY = { tiles: "-", quarters: "-" } as const;
const WIDEST = "color=gray:size=65488x16:rate=5:duration=1";

const SIZES: readonly Row[] = [
  ["pixels of 1:2", film("mkv", PLAIN, {}, "scale=640:240,setsar=1/2"), { result: { width: 320, height: 240 } }],
  ["a phone held upright, with pixels of 4:3", changed(ANAMORPHIC, "upright", upright), { ...QUARTER, size: "240x320" }],
  ["a camcorder with pixels of 4:3", film("mp4", PLAIN, { rate: 5, size: "1280x720" }, "scale=960:720,setsar=4/3"), LARGE],
  ...sized<Row[]>([], [["HEVC in 8K", HEVC_8K, { ...LARGE, result: { width: 7680, height: 4320 } }]]),
  ["odd sides", film("mkv", REALTIME, {}, "scale=321:241"), { tile: "160x120", result: { width: 321, height: 241 } }],
  ["a picture of 16 by 16", film("mp4", PLAIN, {}, "scale=16:16,setsar=1"), { size: "16x16", tiles: "-" }],
  ["VP9 of 1 by 1", silent("mkv", VP9, {}, "scale=1:1,setsar=1"), { ...TINY, ...codecs("vp9"), size: "2x2", beepsMs: [] }],
  ["the widest picture that is allowed", coded("avi", "-c:v mjpeg -pix_fmt yuvj420p -f avi", WIDEST), "plays"],
];

/** A tile shows the middle of three seconds, and the number of a second repeats after six. */
const LONG: Partial<Shows> = {
  ...{ ...MUTE, ms: 201_000, frames: 603, every: 3, size: "96x72" },
  tiles: `${"14".repeat(33)}1`,
  flashesMs: Array.from({ length: 200 }, (_, n) => 1_000 * (n + 1)),
};
/** The last picture lasts for two seconds more, as in a screen recording in which nothing moves at the end. */
const stillEnding = async () => {
  const source = await silent("mp4", `${H264} -bf 0`)();
  const last = "setts=duration=if(eq(N\\,94)\\,12800*2\\,512)";
  return makeWith(["-i", `file:${source}`, "-c", "copy", "-bsf:v", last, "-f", "mp4"], "mp4", [source]);
};

/** So many megabytes of busy picture before the first sound that a queue of ffmpeg is full: four minutes of noise. */
const soundAfterMinutes = async () => {
  const noise = "color=black:s=640x480:r=1:d=5,noise=alls=100:allf=t+u";
  const five = await coded("mp4", `-c:v libx264 -preset ultrafast -crf 23 -pix_fmt yuv420p -g 1 -f mp4`, noise)();
  const loop = ["-stream_loop", "47", "-i", `file:${five}`, "-itsoffset", "232", ...lavfi(sound({ seconds: 8 }))];
  return makeWith([...loop, "-c:v", "copy", "-c:a", "aac", "-f", "matroska"], "mkv", [five]);
};
const AFTER_MINUTES: Partial<Shows> = {
  ...{ ms: 240_000, frames: 240, every: 3, tiles: "-", quarters: "-", size: "640x480", flashesMs: [] },
  beepsMs: [233_000, 234_000, 235_000, 236_000, 237_000, 238_000, 239_000],
};

const LENGTHS: readonly Row[] = [
  ["three seconds for each tile", silent("mp4", H264, { seconds: 201, size: "96x72", rate: 3 }), LONG],
  ...sized<Row[]>([], [["sound that begins after minutes of busy picture", soundAfterMinutes, AFTER_MINUTES]]),
  ["a single frame", silent("mp4", H264, { seconds: 0.04 }), { ms: 40, frames: 1, tiles: "0", flashesMs: [], beepsMs: [] }],
  [
    "sound that goes on when the picture has ended",
    coded("mp4", `${PLAIN} -f mp4`, picture({ seconds: 1.8 }), sound()),
    { frames: 45, tiles: "0111", flashesMs: [1_000], beepsMs: [1_000, 2_000, 3_000] },
  ],
  ["a screen recording in which nothing moves at the end", stillEnding, { ms: 5_760, tiles: "012333", ...MUTE }],
];

/** Bars at the edge that move to the side, so that half of the lines of each frame are from a fiftieth of a second later. */
const BARS = "geq=lum='if(mod(floor((X+100*T)/8),2),235,16)':cb=128:cr=128";
const INTERLACED = [
  `format=yuv444p[film];color=black:size=40x240:rate=50:duration=${FILM_MS / 1_000},format=yuv444p,${BARS}[bars];[film][bars]overlay=format=yuv444`,
  "tinterlace=mode=interleave_top",
  "setfield=tff",
];
const FLAGS = "-flags +ildct+ilme";
const noCombs = async (...pictures: string[]): Promise<string[]> => {
  const found = await Promise.all(pictures.map(combing));
  return found.some((it) => it > 6) ? [`combs: ${found.join()}`] : [];
};
const interlaced = (extension: string, video: string, audio: string, options: string): Row => [
  `an interlaced recording: ${extension}`,
  film(extension, options, { rate: 50 }, ...INTERLACED),
  { also: noCombs, result: { container: extension, ...codecs(video, audio).result } },
];
const SCANS: readonly Row[] = [
  interlaced("mp4", "h264", "aac", `-c:v libx264 -preset veryfast ${FLAGS} -x264-params tff=1 -pix_fmt yuv420p -c:a aac`),
  interlaced("ts", "mpeg2video", "mp2", `-c:v mpeg2video -q:v 2 ${FLAGS} -top 1 -pix_fmt yuv420p -c:a mp2`),
  interlaced("mov", "prores", "pcm_s16le", "-c:v prores_ks -flags +ildct -pix_fmt yuv422p10le -c:a pcm_s16le"),
];

/* MPEG-TS of broadcasts, downloaders and camcorders, and files with several tracks. */
const TWICE: Partial<Shows> = {
  // Sound and picture of a part don't end at the same time.
  withinMs: 100,
  ms: 7_640,
  frames: 190,
  tiles: "01230123",
  flashesMs: [1_000, 2_000, 3_000, 4_820, 5_820, 6_820],
};
const THRICE: Partial<Shows> = {
  ...TWICE,
  ms: 11_460,
  frames: 285,
  tiles: "012301230123",
  flashesMs: [...TWICE.flashesMs!, 8_640, 9_640, 10_640],
};
const later = (seconds: number) => film("ts", `${PLAIN} -g 10 -output_ts_offset ${seconds}`);
/** Two programmes, of which the one with the larger picture has the right sound. */
const programmes = coded(
  "ts",
  `-map 0 -map 1 -map 2 -map 3 ${H264} -c:a mp2 -program title=A:st=0:st=1 -program title=B:st=2:st=3 -f mpegts`,
  picture({ size: "160x120" }),
  sound({ lateMs: 400 }),
  picture(),
  sound(),
);

const WITH_AC3 = film("ts", `${H264} -g 10 -c:a ac3`);

const BROADCASTS: readonly Row[] = [
  ["H.264 and AC-3 of a camcorder", film("m2ts", `${H264} -g 10 -c:a ac3 -mpegts_m2ts_mode 1`), codecs("h264", "ac3")],
  ["MPEG-TS that starts after an hour", later(3_600)],
  ["three segments that a downloader has joined", joined("cat3.ts", PLAIN_TS, PLAIN_TS, PLAIN_TS), THRICE],
  ["two segments of a broadcast, with sound first", joined("ac3-twice.ts", WITH_AC3, WITH_AC3), TWICE],
  ["a recorder that was switched off for an hour", joined("hour.ts", PLAIN_TS, later(3_600)), TWICE],
  ["a recorder whose clock goes back by 2 s", joined("back.ts", later(2), PLAIN_TS), TWICE],
  ["a camera whose table names a sound that never comes", copied(PLAIN_MP4, "ts", NO_SOUND), MUTE],
  ["two programmes", programmes],
];

/** Two sounds, of which the second is right. `which` are options of the streams. */
const sounds = (extension: string, format: string, which: string): Make =>
  coded(extension, `-map 0 -map 1 -map 2 ${PLAIN} ${which} -f ${format}`, picture(), sound({ lateMs: 400 }), sound());
/** With one cover of this type and a font. */
const covered = (codec: string, mimetype: string) => async () => {
  const source = await PLAIN_MP4();
  const cover = await coded(codec, `-c:v ${codec} -f image2pipe`, "color=white:size=640x480:rate=1:duration=1")();
  const attached = (at: number, type: string, name: string) => [
    "-attach",
    cover,
    `-metadata:s:t:${at}`,
    `mimetype=${type}`,
    `-metadata:s:t:${at}`,
    `filename=${name}`,
  ];
  const files = [...attached(0, mimetype, "cover"), ...attached(1, "font/ttf", "font.ttf")];
  return makeWith(["-i", `file:${source}`, "-c", "copy", ...files, "-f", "matroska"], "mkv", [source, cover]);
};
/** Two sounds, of which the header of one can't be read. */
const NARRATED = "-c:a mp2 -disposition:a:0 visual_impaired -metadata:s:a:0 language=eng -metadata:s:a:1 language=eng";
const withDamagedVorbis = changed(
  coded("mkv", `-map 0 -map 1 -map 1 ${H264} -c:a:0 aac -c:a:1 libvorbis -f matroska`, picture(), sound()),
  "damaged",
  damageVorbis,
);
const startingLate = async () => {
  const delay = ["-itsoffset", "3600"];
  const sources = [...delay, ...lavfi(picture()), ...delay, ...lavfi(sound()), ...lavfi(sound({ lateMs: 400 }))];
  const options = `-map 0 -map 1 -map 2 ${H264} -c:a:0 aac -c:a:1 dca -strict -2 -f matroska`;
  return makeWith([...sources, ...options.split(" ")], "mkv");
};

const UNKNOWN = `-map 0 -map 0 -map 1 -map 1 ${H264} -c:v:1 ffv1 -c:a:0 aac -c:a:1 wavpack -f matroska`;
const TRACKS: readonly Row[] = [
  ["a narration for the blind first", sounds("ts", "mpegts", NARRATED)],
  ["DTS first and AAC second", sounds("mkv", "matroska", "-c:a:0 dca -strict -2")],
  ["a second picture in FFV1, and a second sound in WavPack", coded("mkv", UNKNOWN, picture(), sound())],
  ["AAC first and a Vorbis second that is damaged", withDamagedVorbis],
  ["a TIFF cover and a font", covered("tiff", "image/tiff")],
  ["a film that starts an hour after sound that isn't used", startingLate],
];

export const FILMS: readonly Row[] = [
  ...[...OF_BROWSERS, ...ORIENTATIONS, ...RATES, ...FILES, ...CODECS, ...SOUNDS],
  ...[...SIZES, ...LENGTHS, ...SCANS, ...BROADCASTS, ...TRACKS],
];

/* Files that are cut, damaged, hostile, or no video. Each says what is wrong with it. */
const [CORRUPT, UNSUPPORTED] = ["corrupt_media", "unsupported_media"] as const;
const refused = (code: string, detail: RegExp): Refused => ({ code, detail });
const UNDECODABLE = refused(CORRUPT, /could not be decoded to its end/);
const UNREADABLE = refused(CORRUPT, /cannot be read/);
const TRUNCATED = refused(CORRUPT, /truncated/);
const NO_VIDEO = refused(UNSUPPORTED, /no video stream/);
const OTHER = refused(UNSUPPORTED, /not an MP4, QuickTime, WebM, Matroska, AVI or MPEG-TS video/);
const tooManyPixels = refused(UNSUPPORTED, new RegExp(`more than ${DEFAULT_MEDIA_LIMITS.framePixelsMax} pixels`));
const tooWide = refused(UNSUPPORTED, /more than 65535 pixels wide or high/);
const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.6));
const front = copied(PLAIN_MP4, "mp4", "-movflags faststart");
const AVI = film("avi", "-c:v mpeg4 -c:a libmp3lame");
const SMALL_TS = () => makeClip({ durationSeconds: 2, width: 320, height: 240, container: "ts" });
/** A hundred bytes changed after the first kilobyte. */
const scratched = (file: Buffer) => {
  for (let count = 1; count <= 100; count += 1) {
    const at = 1_024 + ((count * 7_919) % (file.length - 1_024));
    file[at] = file[at]! ^ 0xff;
  }
  return file;
};

const DAMAGE = refused(CORRUPT, /./);
const ELSEWHERE = refused(UNSUPPORTED, /refers to another file/);
const FORTY = `-map 0 ${"-map 1 ".repeat(40)}${PLAIN} -f matroska`;
const bytes =
  (text: string, ...more: Buffer[]) =>
  () =>
    Promise.resolve(Buffer.concat([Buffer.from(text, "latin1"), ...more]));

const CUT_OFF: readonly Row[] = [
  ["an MP4 whose upload was cut", changed(front, "cut", half), TRUNCATED],
  ["Matroska whose upload was cut", changed(PLAIN_MKV, "cut", half), TRUNCATED],
  ["an AVI whose upload was cut", changed(AVI, "cut", half), TRUNCATED],
  ["MPEG-TS whose upload was cut", changed(PLAIN_TS, "cut", half), "plays"],
  ["a recording of a browser that crashed", changed(film("webm", `${VP8} -c:a libopus -live 1`), "cut", half), "plays"],
];
const DAMAGED: readonly Row[] = [
  ["a hundred bytes of an AVI changed", changed(AVI, "scratched", scratched), "plays"],
  ["a hundred bytes of MPEG-TS changed", changed(SMALL_TS, "scratched", scratched), "plays"],
  ["half of it overwritten", hostile.damagedClip, UNDECODABLE],
  ["every third byte flipped", hostile.riddledClip, refused(CORRUPT, /decoded|shown/)],
  ["media data of zeros", hostile.undecodableClip, refused(CORRUPT, /decoded|shown/)],
  ["an MP4 without an index", hostile.clipWithoutIndex, UNREADABLE],
  ["an MP4 with an empty index", hostile.clipWithEmptyIndex, DAMAGE],
  ["noise after the first box", bytes("\0\0\0\x14ftypisom\0\0\0\0mp42", Buffer.alloc(50_000, 0xa7)), DAMAGE],
];
const HOSTILE: readonly Row[] = [
  ["a picture of 0 by 0", hostile.sizelessClip, refused(CORRUPT, /size|shown|read/)],
  ["pictures of 8,191 by 8,191", () => hostile.giantPictureClip(8_191), tooManyPixels],
  ["pictures of 16,383 by 16,383", () => hostile.giantPictureClip(16_383), tooManyPixels],
  ["pictures stretched to 72,000 by 80", silent("mkv", H264, {}, "scale=720:80", "setsar=100/1"), tooWide],
  ["five hours in a few kilobytes", hostile.fiveHourClip, refused("too_long", /longer than 14400 seconds/)],
  ["an index that declares 250 million entries", hostile.swollenIndexClip, DAMAGE],
  ["a frame that claims to last half of the time there is", hostile.denseIndexClip, "plays"],
  ["its pictures in another file", ({ victimPath }) => hostile.clipNamingAnotherFile(victimPath), ELSEWHERE],
];
const UNUSABLE: readonly Row[] = [
  ["sound alone, in an MP4", coded("mp4", "-c:a aac -f mp4", sound()), NO_VIDEO],
  ["DTS alone", film("mkv", `${H264} -c:a dca -strict -2`), refused(UNSUPPORTED, /codec dts is not supported/)],
  ["FFV1 alone", film("mkv", "-c:v ffv1 -c:a aac"), refused(UNSUPPORTED, /codec ffv1 is not supported/)],
  ["forty tracks", coded("mkv", FORTY, picture(), sound()), refused(UNSUPPORTED, /more than 32 streams/)],
];
const NO_VIDEOS: readonly Row[] = [
  ["an HLS playlist of a file", naming("HLS playlist of a file"), OTHER],
  ...["HLS playlist that joins both", "list of files", "SDP", "DASH manifest"].map((name): Row => [
    `behind the first bytes of an MP4: ${name}`,
    naming(name, "\0\0\0\x14ftypisom\0\0\0\0mp42"),
    DAMAGE,
  ]),
  ...["HLS playlist of an address", "list of files"].map((name): Row => [
    `behind the first bytes of a WebM: ${name}`,
    naming(name, "\x1aE\xdf\xa3\x87\x42\x82\x84webm"),
    DAMAGE,
  ]),
];
/** A text that names other files or addresses. `media-hostile.ts` has the texts. */
function naming(name: string, head = "") {
  return async ({ victimPath, url }: Canary) => Buffer.from(head + hostile.textsNamingOthers(victimPath, url)[name]!, "latin1");
}

export const REFUSED: readonly Row[] = [...CUT_OFF, ...DAMAGED, ...HOSTILE, ...UNUSABLE, ...NO_VIDEOS];
