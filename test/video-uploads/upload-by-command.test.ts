import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { findEngine } from "../../src/media/engine.ts";
import { probe } from "../../src/media/probe.ts";
import type { Client } from "../support/client.ts";
import { findCommand } from "../support/commands.ts";
import { repository } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";

type Measured = { readonly codec: string; readonly width: number; readonly height: number; readonly durationMs: number };

/** The facts about a file by the ffprobe on PATH, or by our probe if there is none. */
async function measure(path: string): Promise<Measured> {
  const ffprobe = findCommand("ffprobe");
  if (ffprobe === null) {
    process.stderr.write("\nSKIPPED for ffprobe: it is not on PATH, so our own probe measures\n\n");
    const { videoCodec, width, height, durationMs } = await probe(findEngine({ mode: "wasm" }), path);
    return { codec: videoCodec, width, height, durationMs };
  }
  const { stdout } = await promisify(execFile)(ffprobe, [
    "-v",
    "error",
    "-select_streams",
    "v:0",
    "-show_entries",
    "stream=codec_name,width,height:format=duration",
    "-of",
    "json",
    path,
  ]);
  const {
    streams: [stream],
    format,
  } = JSON.parse(stdout) as { streams: [{ codec_name: string; width: number; height: number }]; format: { duration?: string } };
  return {
    codec: stream.codec_name,
    width: stream.width,
    height: stream.height,
    durationMs: Number(format.duration ?? 0) * 1_000,
  };
}

/** Runs the command in the README through npm. */
async function uploadByNpm(service: TestService, client: Client): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn("npm", ["run", "-s", "plumbline", "--", "upload", "src/demo/clip.mp4", "--url", service.url], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NO_COLOR: "1",
      PLUMBLINE_KEY: client.authorization!.slice("Bearer ".length),
    },
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  const [code] = (await once(child, "close")) as [number];
  return { code, ...output };
}

it("`npm run -s plumbline -- upload src/demo/clip.mp4` prints the URLs of a valid poster and valid renditions, with wasm too", async () => {
  const service = await startTestService({ MEDIA_ENGINE: "wasm" });
  try {
    const ada = await service.as();
    const { code, stdout, stderr } = await uploadByNpm(service, ada);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const printed = stdout.match(/http:\S+/g) ?? [];
    const original = await measure(join(repository, "src/demo/clip.mp4"));
    const { result } = (await ada("GET", "/video-uploads")).body.data[0];
    expect(printed).toEqual([result.poster, ...result.renditions].map((it: { href: string }) => `${service.url}${it.href}`));
    expect(Math.abs(result.duration_ms - original.durationMs)).toBeLessThanOrEqual(100);
    for (const [index, said] of [result.poster, ...result.renditions].entries()) {
      const answer = await fetch(printed[index]!, { headers: { Authorization: ada.authorization! } });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, said.content_type]);
      const path = join(service.dataDir, `downloaded-${index}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.length).toBe(said.size_bytes);
      await writeFile(path, bytes);
      const isPoster = index === 0;
      // Our probe refuses a picture.
      if (isPoster && findCommand("ffprobe") === null) continue;
      const { durationMs, ...measured } = await measure(path);
      expect(measured).toEqual({ codec: isPoster ? "mjpeg" : "h264", width: said.width, height: said.height });
      if (!isPoster) expect(Math.abs(durationMs - original.durationMs)).toBeLessThanOrEqual(100);
    }
  } finally {
    await service.close();
  }
}, 180_000);
