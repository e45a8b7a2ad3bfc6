/** A picture that is wider than any encoder allows: the width in the parameter set of a real H.264 stream is overwritten. */
import { derive, makeWith } from "../../support/media.ts";

const BLOCK = 16;

/** A Matroska file of two seconds with pictures of this width, a multiple of 16, and a height of 16. */
export async function wideClip(width: number): Promise<string> {
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=4096x16:rate=5:duration=2"];
  const codec = ["-c:v", "libx264", "-profile:v", "baseline", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
  const narrow = await makeWith([...picture, ...codec, "-f", "h264"], "h264");
  const wide = await derive(narrow, `${width}-wide`, (bytes) => widened(bytes, width / BLOCK));
  return makeWith(["-r", "5", "-f", "h264", "-i", `file:${wide}`, "-c", "copy", "-f", "matroska"], "mkv", [wide]);
}

function widened(stream: Buffer, blocks: number): Buffer {
  const startCode = Buffer.from("00000001", "hex");
  const units = stream
    .toString("latin1")
    .split(/\0\0\0?\x01/)
    .slice(1)
    .map((it) => Buffer.from(it, "latin1"));
  return Buffer.concat(units.flatMap((unit) => [startCode, isParameterSet(unit) ? withWidth(unit, blocks) : unit]));
}

const isParameterSet = (unit: Buffer) => (unit[0]! & 31) === 7;

/** Only for the baseline profile, which has no other fields between the level and these. */
function withWidth(unit: Buffer, blocks: number): Buffer {
  const bits = [...unescaped(unit)].map((it) => it.toString(2).padStart(8, "0")).join("");
  let at = 32; // Type, profile, constraints, level.
  const skip = (): string => {
    const zeros = bits.indexOf("1", at) - at;
    const word = bits.slice(at, at + 2 * zeros + 1);
    at += word.length;
    return word;
  };
  skip(); // seq_parameter_set_id
  skip(); // log2_max_frame_num_minus4
  if (skip() === "1") skip(); // pic_order_cnt_type, and log2_max_pic_order_cnt_lsb_minus4 if it is 0.
  skip(); // max_num_ref_frames
  at += 1; // gaps_in_frame_num_value_allowed_flag
  const [head, old] = [bits.slice(0, at), skip()];
  const value = blocks.toString(2);
  const changed = `${head}${"0".repeat(value.length - 1)}${value}${bits.slice(head.length + old.length)}`.replace(/0+$/, "");
  const padded = changed.padEnd(Math.ceil(changed.length / 8) * 8, "0");
  return escaped(Buffer.from(padded.match(/.{8}/g)!.map((it) => Number.parseInt(it, 2))));
}

const unescaped = (unit: Buffer) => Buffer.from(unit.toString("latin1").replaceAll("\0\0\x03", "\0\0"), "latin1");

function escaped(unit: Buffer): Buffer {
  const bytes: number[] = [];
  for (const byte of unit) {
    if (byte <= 3 && bytes.at(-1) === 0 && bytes.at(-2) === 0) bytes.push(3);
    bytes.push(byte);
  }
  return Buffer.from(bytes);
}
