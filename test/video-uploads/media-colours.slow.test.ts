/** Tests that posters and renditions show the true colours of their source, with every engine on this machine. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { coloursOf, colourTags, renditionFilters } from "../../src/media/colours.ts";
import type { Engine } from "../../src/media/engine.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { probe } from "../../src/media/probe.ts";
import { transcode } from "../../src/media/transcode.ts";
import { BARS, declared, differences, makeBars, withHdrMetadata } from "./support/media-bars.ts";
import { enginesForSize, anyEngine, canMakeHevc } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";

const words = (text: string): string[] => text.split(" ");
const DIFFERENCE_MAX = 6;
/** All names that ffprobe prints, also those that count as not declared. */
const MATRICES = words(
  "gbr bt709 unknown reserved fcc bt470bg smpte170m smpte240m ycgco bt2020nc bt2020c smpte2085 chroma-derived-nc chroma-derived-c ictcp",
);
const PRIMARIES = words(
  "reserved bt709 unknown bt470m bt470bg smpte170m smpte240m film bt2020 smpte428 smpte431 smpte432 ebu3213",
);
const TRANSFERS = words("bt709 smpte2084 arib-std-b67");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-colours-"));
  // The engine must read it, and runs as another user if root runs the tests.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function newFile(): Promise<string> {
  const own = await mkdtemp(join(folder, "bars-"));
  await chmod(own, 0o755);
  return join(own, "bars");
}

async function processed(engine: Engine, path: string) {
  const outDir = await mkdtemp(join(folder, "job-"));
  return transcode(engine, path, await probe(engine, path), outDir);
}

const bars = BARS.filter((it) => !it.codec.includes("libx265") || canMakeHevc());

describe.each(enginesForSize())("colours with the $kind engine", (engine) => {
  let largest = 0;
  afterAll(
    () => void process.stderr.write(`the largest difference from a true colour, ${engine.kind}: ${largest.toFixed(1)} of 255\n`),
  );

  it.each(bars)(
    "shows $what as it is in the poster and each rendition, and declares bt709",
    async (source) => {
      const file = join(await mkdtemp(join(folder, "bars-")), "bars");
      await chmod(join(file, ".."), 0o755);
      const { poster, renditions } = await processed(engine, await makeBars(anyEngine(), source, file));
      for (const { path, kind } of [
        { path: poster.path, kind: "poster" as const },
        ...renditions.map((it) => ({ path: it.path, kind: "rendition" as const })),
      ]) {
        const found = await differences(anyEngine(), path, kind, source);
        largest = Math.max(largest, ...found.map((it) => it.difference));
        const wrong = found.filter((it) => it.difference > DIFFERENCE_MAX);
        expect({ path, wrong }).toEqual({ path, wrong: [] });
      }
      expect(await declared(anyEngine(), poster.path)).toMatchObject({ pix_fmt: "yuvj420p", color_range: "pc" });
      for (const { path } of renditions)
        expect(await declared(anyEngine(), path)).toMatchObject({
          pix_fmt: "yuv420p",
          color_range: "tv",
          color_space: "bt709",
          color_transfer: "bt709",
          color_primaries: "bt709",
        });
    },
    60_000,
  );

  itNeeds(
    "native engine",
    "carries no description of the display, the light levels or Dolby Vision of an HDR source",
    async () => {
      const plain = await makeBars(
        anyEngine(),
        BARS.find(({ what }) => what === "PQ")!,
        await newFile(),
      );
      const path = await newFile();
      await writeFile(path, withHdrMetadata(await readFile(plain)));
      const kinds = ["DOVI configuration record", "Mastering display metadata", "Content light level metadata"];
      expect((await declared(anyEngine(), path)).sideData).toEqual(expect.arrayContaining(kinds));
      for (const rendition of (await processed(engine, path)).renditions) {
        const { sideData } = await declared(anyEngine(), rendition.path);
        expect(kinds.filter((it) => (sideData as string[]).includes(it))).toEqual([]);
        expect((await readFile(rendition.path)).toString("latin1")).not.toMatch(/mdcv|clli|dvcC|dvvC|dby1/);
      }
    },
    180_000,
  );

  it("converts from every colour that a file can declare", async () => {
    const declarations = TRANSFERS.flatMap((color_transfer) => [
      ...MATRICES.map((color_space) => ({ color_transfer, color_space })),
      ...PRIMARIES.map((color_primaries) => ({ color_transfer, color_primaries })),
    ]);
    const chains = declarations.map((it, at) => {
      const colours = coloursOf({ ...z.object(colourTags).parse({ ...it, color_range: "tv" }), pix_fmt: "yuv420p", height: 32 });
      return `[0:v]${renditionFilters(colours, { width: 16, height: 16 })}[v${at}]`;
    });
    const maps = declarations.flatMap((_, at) => ["-map", `[v${at}]`]);
    const input = ["-hide_banner", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=32x32:duration=0.04"];
    const end = await engine.run(
      {
        tool: "ffmpeg",
        args: [...input, "-filter_complex", chains.join(";"), ...maps, "-f", "null", "-"],
        reads: [],
        writes: [],
        limits: DEFAULT_MEDIA_LIMITS,
      },
      { cwd: folder, timeoutMs: 60_000, outputMaxBytes: 1024 * 1024 },
    );
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
  }, 180_000);
});

describe("the colours of a stream that declares some", () => {
  const [BT709, BT601, BT2020, PQ] = [1, 6, 9, 16];
  const of = (declaration: Record<string, unknown>, rest: { pix_fmt?: string; height?: number } = {}) =>
    coloursOf({ ...z.object(colourTags).parse(declaration), pix_fmt: "yuv420p", height: 1080, ...rest });

  it("are bt601 up to 576 lines and bt709 above if it declares none, and bt2020 in HDR", () => {
    expect(of({}, { height: 576 })).toMatchObject({ matrix: BT601, primaries: BT709, transfer: BT709, isFullRange: false });
    expect(of({}, { height: 577 })).toMatchObject({ matrix: BT709, primaries: BT709, transfer: BT709, isFullRange: false });
    expect(of({ color_transfer: "smpte2084" }, { height: 480 })).toMatchObject({
      matrix: BT2020,
      primaries: BT2020,
      transfer: PQ,
    });
    expect(of({ color_space: "bt709", color_transfer: "smpte2084" })).toMatchObject({ matrix: BT709, primaries: BT2020 });
  });

  it.each([
    ["text", "bt709,movie=/etc/passwd"],
    ["a property of every object", "__proto__"],
    ["no text", ["bt2020nc"]],
    ["a number", 9],
    ["nothing", null],
  ])("are the usual ones if it declares nonsense (%s)", (_, value) => {
    const [color_space, color_primaries, color_transfer, color_range] = Array<unknown>(4).fill(value);
    expect(of({ color_space, color_primaries, color_transfer, color_range })).toEqual(of({}));
  });

  it("are full range for such a pixel format, and RGB", () => {
    expect(of({}, { pix_fmt: "yuvj422p" })).toMatchObject({ isFullRange: true, isRgb: false });
    for (const pix_fmt of ["gbrp", "gbrap12le", "rgb24", "bgra", "argb", "0bgr", "x2rgb10le"])
      expect(of({ color_space: "bt709" }, { pix_fmt })).toMatchObject({ isRgb: true });
  });
});
