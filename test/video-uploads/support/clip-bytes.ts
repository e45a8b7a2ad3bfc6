/** Changes to the bytes of clips, as recorders, downloaders and accidents make them. */
import { readFile } from "node:fs/promises";
import { derive, makeWith } from "../../support/media.ts";
import { coded, FRAMES, lavfi, picture, sound, VP8, type Make } from "./clip-film.ts";

/** Files after one another, as `cat` joins them. */
export const joined = (name: string, first: Make, ...others: readonly Make[]): Make => {
  return async () => {
    const rest = await Promise.all(others.map(async (it) => readFile(await it())));
    return derive(await first(), name, (bytes) => Buffer.concat([bytes, ...rest]));
  };
};

/** A WebM whose picture changes its size while it is recorded: parts of equal length, with one sound. */
export const resized = (...sizes: readonly string[]): Make => {
  const begin = (part: number) => Math.round((part * FRAMES) / sizes.length);
  return async () => {
    const parts = await Promise.all(
      sizes.map((size, at) => {
        const cut = `trim=start_frame=${begin(at)}:end_frame=${begin(at + 1)}`;
        return coded("webm", `${VP8} -f webm`, picture({ size }, cut, "setpts=PTS-STARTPTS"))();
      }),
    );
    const list = await derive(parts[0]!, `${sizes.join("-")}.list`, () =>
      Buffer.from(`ffconcat version 1.0\n${parts.map((it) => `file ${it}\n`).join("")}`),
    );
    const input = ["-f", "concat", "-safe", "0", "-i", `file:${list}`, ...lavfi(sound())];
    return makeWith([...input, "-c:v", "copy", "-c:a", "libopus", "-f", "webm"], "webm", [list, ...parts]);
  };
};

/** An MP4 whose header declares another duration. Its tracks declare the true one. */
export const declaring = (seconds: number) => (bytes: Buffer) => {
  const at = bytes.lastIndexOf("mvhd");
  bytes.writeUInt32BE(bytes.readUInt32BE(at + 16) * seconds, at + 20);
  return bytes;
};

/** The same for Matroska and WebM. */
export const declaringInMatroska = (seconds: number) => (bytes: Buffer) => {
  bytes.writeDoubleBE(1_000 * seconds, bytes.indexOf(Buffer.from("448988", "hex")) + 3);
  return bytes;
};

/** An MP4 that plays only these parts, in milliseconds. Its index is at the end, so that nothing else moves. */
export const playing = (...parts: readonly (readonly [fromMs: number, toMs: number])[]) => {
  return (bytes: Buffer): Buffer => {
    let file = bytes;
    const movieScale = file.readUInt32BE(file.indexOf("mvhd") + 16);
    for (let track = file.indexOf("trak"); track !== -1; track = file.indexOf("trak", track + 1)) {
      const [list, media] = [file.indexOf("elst", track), file.indexOf("mdhd", track)];
      const scale = file.readUInt32BE(media + 16);
      const [entries, begin] = [file.readUInt32BE(list + 8), file.readInt32BE(list + 16)];
      const edits = parts.flatMap(([from, to]) => [
        Math.round(((to - from) * movieScale) / 1_000),
        begin + Math.round((from * scale) / 1_000),
        0x10000,
      ]);
      const table = Buffer.alloc(4 + 4 * edits.length);
      [parts.length, ...edits].forEach((it, at) => table.writeUInt32BE(it, 4 * at));
      const grown = table.length - 4 - 12 * entries;
      for (const box of [list, file.lastIndexOf("edts", list), track, file.indexOf("moov")])
        file.writeUInt32BE(file.readUInt32BE(box - 4) + grown, box - 4);
      file = Buffer.concat([file.subarray(0, list + 8), table, file.subarray(list + 12 + 12 * entries)]);
    }
    return file;
  };
};
