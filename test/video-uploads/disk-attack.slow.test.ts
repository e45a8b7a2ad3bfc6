import { statfsSync } from "node:fs";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { createClient, type Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { loopingNoiseClip, understatedNoiseClip } from "./support/media-hostile.ts";
import { describeNeeds, itNeeds } from "../support/needs.ts";
import { run, linesOf, output } from "../support/processes.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { finished, smallClip, upload, uploadPath } from "../support/videos.ts";

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
  });
  afterAll(() => stack.disposeAsync());

  itNeeds("ffmpeg", "waits for the space that it needs, whatever it declares, while another video is taken", async () => {
    const video = await understatedNoiseClip(500);
    await leave(MIN_FREE_BYTES + 16 * MIB);
    leastFree = Infinity;
    const job = await upload(mallory, video);
    expect(await finished(bob, await upload(bob, clip))).toMatchObject({ status: "succeeded", attempt: 1 });
    await eventually("a job that waits again", async () => {
      const { body } = await mallory("GET", uploadPath(job));
      return body.status === "queued" && body.attempt > 0;
    });
    // Only the file itself is there for some time, and the result of the other one.
    expect(leastFree).toBeGreaterThan(MIN_FREE_BYTES + 8 * MIB);
    await disk.empty();
    expect(await finished(mallory, job)).toMatchObject({ status: "succeeded" });
  });

  itNeeds("ffmpeg", "fails when its result is far larger than its file, though there is space", async () => {
    const video = await loopingNoiseClip(900);
    await leave(MIN_FREE_BYTES + 150 * MIB);
    leastFree = Infinity;
    const [job, others] = [await upload(mallory, video), await upload(bob, clip)];
    const [failed, other] = await Promise.all([finished(mallory, job), finished(bob, others)]);
    // The first attempt moves it to another lane.
    expect(failed).toMatchObject({ status: "failed", attempt: 2, result: null, error: { code: "result_too_large" } });
    expect(other).toMatchObject({ status: "succeeded", attempt: 1 });
    process.stderr.write(`the least free space was MIN_FREE_BYTES and ${((leastFree - MIN_FREE_BYTES) / MIB).toFixed(1)} MiB\n`);
    expect(leastFree).toBeGreaterThan(MIN_FREE_BYTES + 100 * MIB);
    expect(await readFile(join(disk.path, "postgres.log"), "utf8")).not.toMatch(/PANIC|FATAL|ERROR|No space/);
    await eventually("an empty scratch folder", async () => (await readdir(join(disk.path, "scratch"))).length === 0);
  });
});
