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
import { BARS, declared, look, makeBars, withHdrMetadata } from "./support/media-bars.ts";
import { enginesForSize, canMakeHevc } from "../support/media.ts";
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
  it.each(bars)("shows $what as it is in the poster and each rendition, and declares bt709", async (source) => {
    const { poster, renditions } = await processed(engine, await makeBars(source, await newFile()));
    const bt709 = { color_space: "bt709", color_transfer: "bt709", color_primaries: "bt709" };
    for (const [{ path }, kind, declares] of [
      [poster, "poster", { pix_fmt: "yuvj420p", color_range: "pc" }],
      ...renditions.map((it) => [it, "rendition", { pix_fmt: "yuv420p", color_range: "tv", ...bt709 }] as const),
    ] as const) {
      const { facts, patches } = await look(path, kind, source);
      const wrong = patches.filter((it) => it.difference > DIFFERENCE_MAX);
      expect({ path, wrong, facts }).toMatchObject({ path, wrong: [], facts: declares });
    }
  });

  itNeeds("native engine", "carries no description of the display or of Dolby Vision of an HDR source", async () => {
    const pq = BARS.find(({ what }) => what === "PQ")!;
    const plain = await makeBars(pq, await newFile());
    const path = await newFile();
    await writeFile(path, withHdrMetadata(await readFile(plain)));
    const kinds = ["DOVI configuration record", "Mastering display metadata", "Content light level metadata"];
    expect((await declared(path)).sideData).toEqual(expect.arrayContaining(kinds));
    for (const rendition of (await processed(engine, path)).renditions) {
      const { sideData } = await declared(rendition.path);
      expect(kinds.filter((it) => (sideData as string[]).includes(it))).toEqual([]);
      expect((await readFile(rendition.path)).toString("latin1")).not.toMatch(/mdcv|clli|dvcC|dvvC|dby1/);
    }
  });

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
    const input = [..."-hide_banner -nostdin -loglevel error -f lavfi -i".split(" "), "testsrc2=size=32x32:duration=0.04"];
    const args = [...input, "-filter_complex", chains.join(";"), ...maps, "-f", "null", "-"];
    const use = { tool: "ffmpeg", args, reads: [], writes: [], limits: DEFAULT_MEDIA_LIMITS } as const;
    const end = await engine.run(use, { cwd: folder, timeoutMs: 60_000, outputMaxBytes: 1024 * 1024 });
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("the colours of a stream that declares some", () => {
  const of = (declaration: Record<string, unknown>) =>
    coloursOf({ ...z.object(colourTags).parse(declaration), pix_fmt: "yuv420p", height: 1080 });

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
});
