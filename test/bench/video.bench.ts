import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, readlink } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { makeClip, temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { processesNaming } from "../support/processes.ts";
import { finished, upload } from "../support/videos.ts";

const ROUNDS = 3;
const RATIO_MAX = 1.3;

/** A command and its working directory, to which its paths may be relative. */
type Command = { readonly words: readonly string[]; readonly folder: string };

/** The command that writes the renditions of a job, read from its running process. */
async function commandOf(job: Body, { dataDir }: Deployment): Promise<Command> {
  return eventually(
    "the process that writes the renditions",
    async () => {
      for (const pid of await processesNaming(join(dataDir, "scratch", job.id as string))) {
        const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0").slice(0, -1);
        // The process first runs the sandbox tools, and then ffmpeg.
        if (/\/ffmpeg$/.test(words[0] ?? "") && words.includes("-progress"))
          return { words, folder: await readlink(`/proc/${pid}/cwd`) };
      }
      return null;
    },
    30_000,
    5,
  );
}

/** The time from the row to the end of the job, by the clock of the database. */
async function jobMs(client: Client, { db }: Deployment, job: Body): Promise<number> {
  expect(await finished(client, job)).toMatchObject({ status: "succeeded", attempt: 1 });
  const { createdAt, finishedAt } = await db.videoUpload.findUniqueOrThrow({ where: { id: job.id as string } });
  return finishedAt!.getTime() - createdAt.getTime();
}

/** The time of the command alone, at the priority of a job, so that other load affects both alike. */
async function bareMs({ words: [program, ...args], folder }: Command): Promise<number> {
  const beganMs = performance.now();
  const child = spawn(program!, args, { cwd: folder, stdio: "ignore" });
  setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
  expect(await once(child, "close")).toEqual([0, null]);
  return performance.now() - beganMs;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const shown = (values: readonly number[]) =>
  `${(median(values) / 1_000).toFixed(2)} s (${values.map((it) => (it / 1_000).toFixed(2)).join(", ")})`;

itNeeds(
  ["native engine", "linux"],
  `a job for a 10 s clip in 720p takes at most ${RATIO_MAX} times as long as its ffmpeg command alone`,
  async () => {
    await using deployment = await createDeployment();
    await using folder = await temporaryFolder();
    await deployment.start("all", { MEDIA_ENGINE: "native" });
    const ada = await deployment.as();
    const clip = await makeClip({ durationSeconds: 10, width: 1280, height: 720, container: "mp4" });
    await copyFile(clip, join(folder.path, "original"));
    await mkdir(join(folder.path, "made"));

    const jobs: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const job = await upload(ada, clip);
      const command = await commandOf(job, deployment);
      jobs.push(await jobMs(ada, deployment, job));
      const scratch = join(deployment.dataDir, "scratch", `${job.id}-1`);
      const elsewhere = (path: string) => path.replace(scratch, folder.path);
      expect(elsewhere(command.folder)).not.toBe(command.folder);
      expect(command.words.filter((it) => it.startsWith("file:"))).toHaveLength(4);
      bare.push(await bareMs({ words: command.words.map(elsewhere), folder: elsewhere(command.folder) }));
    }
    const ratio = median(jobs) / median(bare);
    process.stderr.write(`a 10 s clip of 720p: job ${shown(jobs)}, bare ffmpeg ${shown(bare)}, ratio ${ratio.toFixed(2)}\n`);
    expect(ratio).toBeLessThanOrEqual(RATIO_MAX);
  },
  180_000,
);
