import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { sharesSamples } from "../../src/media/sample-sizes.ts";
import { box, repeatedSamplesClip, uint32s } from "./support/media-hostile.ts";
import { makeClip, temporaryFolder } from "../support/media.ts";

const all = Buffer.concat;
const nested = (types: string, content: Buffer) => {
  const names = types.split(" ");
  const sizeAt = (depth: number) => content.length + 8 * (names.length - depth);
  return all([...names.flatMap((type, depth) => [uint32s(sizeAt(depth)), Buffer.from(type)]), content]);
};
const track = (kind: "vide" | "soun", ...tables: readonly Buffer[]): Buffer => {
  const handler = box("hdlr", all([uint32s(0, 0), Buffer.from(kind), uint32s(0, 0, 0)]));
  return nested("moov trak mdia", all([handler, nested("minf stbl", all(tables))]));
};
const sizes = (...values: readonly number[]) => box("stsz", uint32s(0, 0, values.length, ...values));
const fragment = (...boxes: readonly Buffer[]) => nested("moof traf", all(boxes));
const MEGABYTE = 1_000_000;

async function judged(file: Buffer): Promise<boolean> {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "file"), file);
  return await sharesSamples(join(folder.path, "file"));
}

it.each([
  ["a table of sizes", track("vide", sizes(10, MEGABYTE))],
  ["a size and a count", track("vide", box("stsz", uint32s(0, 1_000, 1_000)))],
  ["sizes of 16 bits", track("vide", box("stz2", uint32s(0, 16, 2, 0xffff_ffff)))],
  ["sizes of 8 bits", track("vide", box("stz2", uint32s(0, 8, 4, 0xffff_ffff)))],
  ["two tracks that are too large together", all([track("vide", sizes(150)), track("vide", sizes(250))])],
  ["the sizes of a fragment, beside their durations", fragment(box("trun", uint32s(0x301, 2, 8, 1, 10, 1, MEGABYTE)))],
  ["the size of a fragment and a count", fragment(box("tfhd", uint32s(0x10, 1, 1_000)), box("trun", uint32s(0, 1_000)))],
  [
    "the size of all fragments of a track and a count",
    all([
      nested("moov mvex", box("trex", uint32s(0, 7, 1, 0, 1_000, 0))),
      fragment(box("tfhd", uint32s(0, 7)), box("trun", uint32s(0, 999))),
    ]),
  ],
])("an index that lists more data than the file has is found in %s", async (_what, file) => {
  expect(await judged(file)).toBe(true);
});

it.each([
  ["is right", track("vide", sizes(10, 20, 30))],
  ["has the sizes of old sound, which have another unit", track("soun", sizes(MEGABYTE))],
  ["has fewer sizes than it claims", track("vide", box("stsz", uint32s(0, 0, 0xffff_ffff, 1, 2)))],
  ["is cut in its header", track("vide", box("stsz", uint32s(0)))],
  ["has boxes without a size", all([uint32s(0), Buffer.from("moov"), uint32s(7), Buffer.from("trak")])],
  ["has a size of 64 bits behind its end", all([uint32s(1), Buffer.from("moov"), uint32s(0xffff_ffff, 0xffff_ffff)])],
  ["is nested without an end", nested("moov ".repeat(10_000).trim(), Buffer.alloc(0))],
  ["has a hundred thousand boxes", nested("moov", all(Array.from({ length: 100_000 }, () => box("free", Buffer.alloc(0)))))],
])("nothing is found in an index that %s", async (_what, file) => {
  expect(await judged(file)).toBe(false);
});

it("real clips list no more data than they have, whole or in fragments, and the repeated ones do", async () => {
  for (const container of ["mp4", "mov"] as const)
    expect(await sharesSamples(await makeClip({ durationSeconds: 2, width: 320, height: 240, container }))).toBe(false);
  const live = { durationSeconds: 2, width: 320, height: 240, container: "mp4", live: true } as const;
  expect(await sharesSamples(await makeClip(live))).toBe(false);
  expect(await sharesSamples(await repeatedSamplesClip(1_300))).toBe(true);
});
