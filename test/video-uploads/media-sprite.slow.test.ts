/** Tests the sprite of a video, with every engine on this machine. */
import { describe, expect, it } from "@jest/globals";
import type { Engine } from "../../src/media/engine.ts";
import { probe } from "../../src/media/probe.ts";
import { planSprite } from "../../src/media/sprite-plan.ts";
import { transcode, type Sprite } from "../../src/media/transcode.ts";
import { decoded } from "./support/media-film.ts";
import { allEngines, makeClip, makeWith, temporaryFolder } from "../support/media.ts";

const HOUR_MS = 3_600_000;
/** Black at the beginning and white at the end, so that a picture tells its moment. */
const RAMP = { first: 16, last: 235 };

type Clip = { readonly seconds: number; readonly size: string; readonly rate?: number; readonly soundSeconds?: number };

const makeRamp = ({ seconds, size, rate = 10, soundSeconds }: Clip) => {
  const ramp = `geq=lum='${RAMP.first}+${RAMP.last - RAMP.first}*T/${seconds}':cb=128:cr=128`;
  const picture = `color=black:size=${size}:rate=${rate}:duration=${seconds},format=yuv420p,${ramp}`;
  const sound = soundSeconds === undefined ? [] : ["-f", "lavfi", "-i", `sine=duration=${soundSeconds}`, "-c:a", "aac"];
  const coding = "-c:v libx264 -preset ultrafast -qp 1 -pix_fmt yuv420p -f mp4".split(" ");
  return makeWith(["-f", "lavfi", "-i", picture, ...sound, ...coding], "mp4");
};

/** Makes the sprite of a video, as a job does, and reads its luma. */
async function spriteOf(engine: Engine, path: string): Promise<{ sprite: Sprite; luma: Buffer; frames: string }> {
  await using folder = await temporaryFolder();
  const { sprite } = await transcode(engine, path, await probe(engine, path), folder.path);
  const luma = await decoded(sprite.path, ["-f", "rawvideo", "-pix_fmt", "gray"]);
  return { sprite, luma, frames: `${luma.length / (sprite.width * sprite.height)}` };
}

/** When the picture in the middle of a tile is shown. */
function momentOf({ width, tileWidth, tileHeight }: Sprite, luma: Buffer, tile: number, seconds: number): number {
  const columns = width / tileWidth;
  const [x, y] = [(tile % columns) * tileWidth, Math.floor(tile / columns) * tileHeight];
  // The levels of a JPEG have the full range, from 0 to 255.
  return (luma[(y + (tileHeight >> 1)) * width + x + (tileWidth >> 1)]! / 255) * seconds;
}

describe.each(allEngines())("the sprite that the $kind engine makes", (engine) => {
  it.each([
    // The last tile has no middle, so it shows the end.
    [{ seconds: 12.4, size: "320x180" }, 13, 1, { width: 1600, height: 180, tileWidth: 160, tileHeight: 90 }],
    // The sound continues, so the last tile is repeated.
    [{ seconds: 2, size: "96x160", soundSeconds: 4 }, 4, 1, { width: 384, height: 160, tileWidth: 96, tileHeight: 160 }],
    [{ seconds: 0.2, size: "64x48" }, 1, 1, { width: 64, height: 48 }],
    [{ seconds: 0.04, rate: 25, size: "64x48" }, 1, 1, { width: 64, height: 48 }],
    // Half of its tiles show one picture.
    [{ seconds: 6, size: "64x48", rate: 0.5 }, 6, 1, { width: 384, height: 48 }],
    [{ seconds: 250, size: "64x48", rate: 2 }, 84, 3, { width: 640, height: 432 }],
  ] as const)(
    "shows in each tile of %j what is shown in the middle of its time",
    async (clip: Clip, tileCount, interval, size) => {
      const { seconds, rate = 10 } = clip;
      const { sprite, luma, frames } = await spriteOf(engine, await makeRamp(clip));
      expect(sprite).toMatchObject({ contentType: "image/jpeg", tileCount, intervalMs: 1000 * interval, ...size });
      expect(frames).toBe("1");
      const lastTile = Math.ceil(seconds / interval) - 1;
      const lastFrame = Math.ceil(seconds * rate) - 1;
      for (let tile = 0; tile < tileCount; tile++) {
        const shown = Math.min(Math.floor((Math.min(tile, lastTile) + 0.5) * interval * rate), lastFrame) / rate;
        const tolerance = 1 / rate + seconds / 100;
        expect(Math.abs(momentOf(sprite, luma, tile, seconds) - shown)).toBeLessThanOrEqual(tolerance);
      }
    },
    120_000,
  );

  it.each([
    ["upright for a rotated video", { width: 320, height: 240, container: "mp4", rotation: 90 }, [120, 160]],
    ["even for odd sizes, without sound", { width: 321, height: 241, container: "webm", audio: false }, [160, 120]],
    ["as small as the video", { width: 34, height: 22, container: "mp4" }, [34, 22]],
    ["two pixels high for a long, narrow video", { width: 1600, height: 16, container: "mp4" }, [160, 2]],
  ] as const)("has tiles that are %s", async (_, recipe, [tileWidth, tileHeight]) => {
    const { sprite, frames } = await spriteOf(engine, await makeClip({ durationSeconds: 2, ...recipe }));
    expect(sprite).toMatchObject({ tileWidth, tileHeight, tileCount: 2, width: 2 * tileWidth, height: tileHeight });
    expect(frames).toBe("1");
  });
});

it("a sprite has at most 100 tiles, and 160 pixels on a side of each, for every duration and size", () => {
  for (const durationMs of [1, 999, 1000, 1001, 99_999, 100_000, 100_001, HOUR_MS, 4 * HOUR_MS])
    for (const frame of [
      { width: 1, height: 1 },
      { width: 8192, height: 4320 },
      { width: 16, height: 65_535 },
    ]) {
      const { tile, columns, rows, tileCount, intervalSeconds } = planSprite({ durationMs, ...frame });
      expect(tileCount).toBeLessThanOrEqual(Math.min(100, columns * rows));
      expect(tileCount).toBeGreaterThan(columns * (rows - 1));
      expect(columns).toBeLessThanOrEqual(10);
      expect(Math.max(tile.width, tile.height)).toBeLessThanOrEqual(160);
      expect(tileCount * intervalSeconds * 1000).toBeGreaterThanOrEqual(durationMs);
      expect((tileCount - 1) * intervalSeconds * 1000).toBeLessThan(durationMs);
    }
});
