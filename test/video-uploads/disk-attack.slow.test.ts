import { statfsSync } from "node:fs";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { createClient, type Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { loopingNoiseClip, repeatedSamplesClip, understatedNoiseClip } from "./support/media-hostile.ts";
import { describeNeeds, itNeeds } from "../support/needs.ts";
import { run } from "../support/running.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { linesOf, output } from "../support/plumbline.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

const MIB = 1_024 * 1_024;
const MIN_FREE_BYTES = 32 * MIB;

describeNeeds("mount", "a small video with a large result, on a disk of 600 MB with the embedded PostgreSQL", () => {
  const stack = new AsyncDisposableStack();
  let disk: SmallDisk;
  let mallory: Client;
  let bob: Client;
  let clip: Buffer;
  let leastFree = Infinity;

  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(disk.path);
    return bavail * bsize;
  };
  /** Takes what is free, except for this much. Never more, because PostgreSQL runs on this disk. */
  const leave = async (bytes: number) => {
    await disk.empty();
    await writeFile(join(disk.path, "ballast"), Buffer.alloc(freeBytes() - bytes));
  };

  beforeAll(async () => {
    disk = stack.use(await mountSmallDisk(600 * MIB));
    // If root runs the tests, PostgreSQL runs as another user, which must be able to enter the folder.
    await chmod(disk.path, 0o711);
    const settings = { DATA_DIR: disk.path, MIN_FREE_BYTES: String(MIN_FREE_BYTES) };
    const service = stack.use(run({ NODE_ENV: "test", ...settings }));
    const { url } = await service.ready();
    const as = async (name: string) => {
      const [user] = linesOf(await output(settings, "add", name, "--json"));
      return createClient(url, { userId: user!.user_id, name, authorization: `Bearer ${user!.api_key}` });
    };
    [mallory, bob, clip] = [await as("Mallory"), await as("Bob"), await smallClip()];
    const sampling = setInterval(() => (leastFree = Math.min(leastFree, freeBytes())), 5);
    stack.defer(() => clearInterval(sampling));
  }, 180_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  /** Mallory's video fails once, with this code, while Bob's is taken and succeeds. */
  async function attack(video: string, code: string): Promise<void> {
    leastFree = Infinity;
    const job = await upload(mallory, video);
    const others = await upload(bob, clip);
    const [failed, other] = await Promise.all([finished(mallory, job), finished(bob, others)]);
    expect(failed).toMatchObject({ status: "failed", attempt: 1, result: null, error: { code } });
    expect(other).toMatchObject({ status: "succeeded", attempt: 1 });
    const spareBytes = leastFree - MIN_FREE_BYTES;
    process.stderr.write(`${code}: the least free space was MIN_FREE_BYTES and ${(spareBytes / MIB).toFixed(1)} MiB\n`);
    expect(spareBytes).toBeGreaterThanOrEqual(-8 * MIB);
    expect(await readFile(join(disk.path, "postgres.log"), "utf8")).not.toMatch(/PANIC|FATAL|ERROR|No space/);
    await eventually("an empty scratch folder", async () => (await readdir(join(disk.path, "scratch"))).length === 0);
  }

  itNeeds(
    "ffmpeg",
    "fails at once if its index lists the same pictures many times",
    async () => {
      await leave(MIN_FREE_BYTES + 5 * MIB);
      await attack(await repeatedSamplesClip(1_300), "corrupt_media");
    },
    120_000,
  );

  itNeeds(
    "ffmpeg",
    "fails when it has filled the disk, though it declared to be short",
    async () => {
      const video = await understatedNoiseClip(500);
      await leave(MIN_FREE_BYTES + 16 * MIB);
      await attack(video, "insufficient_storage");
      expect(leastFree).toBeLessThan(MIN_FREE_BYTES + 4 * MIB);
    },
    120_000,
  );

  itNeeds(
    "ffmpeg",
    "fails when its result is far larger than its file, even with enough free space",
    async () => {
      const video = await loopingNoiseClip(900);
      await leave(MIN_FREE_BYTES + 150 * MIB);
      await attack(video, "result_too_large");
      expect(leastFree).toBeGreaterThan(MIN_FREE_BYTES + 100 * MIB);
    },
    120_000,
  );
});
