import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import type { Engine } from "../../src/media/engine.ts";
import { renditionArgs } from "../../src/media/ffmpeg-args.ts";
import { DEFAULT_MEDIA_LIMITS as limits } from "../../src/media/limits.ts";
import { probe } from "../../src/media/probe.ts";
import { planSprite } from "../../src/media/sprite-plan.ts";
import { renditionsOf } from "../../src/media/transcode.ts";
import { allEngines, makeClip, temporaryFolder } from "../support/media.ts";

const RATIO_MAX = 1.05;
const CASES = {
  native: [
    { seconds: 10, rounds: 3 },
    { seconds: 60, rounds: 1 },
  ],
  wasm: [{ seconds: 4, rounds: 3 }],
};
const TICKS_PER_SECOND = 100;

/** The same command without the sprite. */
function withoutSprite(args: readonly string[]): string[] {
  const graph = args.indexOf("-filter_complex") + 1;
  const chains = args[graph]!.split(";").filter((it) => !it.endsWith("[sprite]"));
  const plain = chains.join(";").replace(",split[480p][tiled]", "[480p]");
  return args.slice(0, args.indexOf("[sprite]") - 1).with(graph, plain);
}

/** The CPU time of all processes that this one has started and that have ended. Linux only. */
async function endedCpuSeconds(): Promise<number> {
  const fields = (await readFile("/proc/self/stat", "utf8")).split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

async function cpuSeconds(engine: Engine, args: readonly string[], path: string, folder: string): Promise<number> {
  const before = await endedCpuSeconds();
  const writes = args.filter((it) => it.startsWith(`file:${folder}`)).map((it) => it.slice("file:".length));
  const work = { tool: "ffmpeg", args: [...args], reads: [path], writes, limits } as const;
  const end = await engine.run(work, { cwd: folder, timeoutMs: 300_000, outputMaxBytes: 1e9 });
  expect([end.exitCode, end.stderr]).toEqual([0, ""]);
  return (await endedCpuSeconds()) - before;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const shown = (values: readonly number[]) => values.map((it) => it.toFixed(2)).join(", ");

it.each(allEngines().flatMap((engine) => CASES[engine.kind].map((it) => ({ ...it, engine, kind: engine.kind }))))(
  `with the $kind engine, the renditions of $seconds s of 720p take less than ${RATIO_MAX} times the CPU time with a sprite`,
  async ({ kind, seconds, rounds, engine }) => {
    await using folder = await temporaryFolder();
    const path = await makeClip({ durationSeconds: seconds, width: 1280, height: 720, container: "mp4" });
    const info = await probe(engine, path);
    const plans = renditionsOf(info).map((it) => ({ ...it, path: join(folder.path, `${it.name}.mp4`) }));
    const sprite = { ...planSprite(info), path: join(folder.path, "sprite.jpg") };
    const args = renditionArgs({ path, container: info.container, limits }, plans, sprite, info);
    const [without, withIt]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      without.push(await cpuSeconds(engine, withoutSprite(args), path, folder.path));
      withIt.push(await cpuSeconds(engine, args, path, folder.path));
    }
    const ratio = median(withIt.map((it, index) => it / without[index]!));
    process.stderr.write(
      `${kind}, ${seconds} s of 720p: ${shown(without)} s of CPU time, with a sprite ${shown(withIt)} s, ratio ${ratio.toFixed(3)}\n`,
    );
    expect(ratio).toBeLessThan(RATIO_MAX);
  },
  600_000,
);
