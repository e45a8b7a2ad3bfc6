import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findEngine } from "../../src/media/engine.ts";
import { eventually } from "./eventually.ts";

/** The real ffmpeg, with an ffprobe that waits until the gate is open. So a test can act in the middle of a job. */
export type GatedFfmpeg = AsyncDisposable & {
  /** The value for FFMPEG_PATH. */
  readonly path: string;
  /** Resolves with the ids of the waiting ffprobe processes when there are at least `count`. */
  waiting(count: number): Promise<number[]>;
  open(): Promise<void>;
};

/** For tests that need `ffmpeg`. */
export async function gatedFfmpeg(): Promise<GatedFfmpeg> {
  const real = findEngine({ mode: "native" }).description.replace(/^native /, "");
  const folder = await mkdtemp(join(tmpdir(), "plumbline-gate-"));
  const [path, probe, gate] = ["ffmpeg", "ffprobe", "open"].map((name) => join(folder, name)) as [string, string, string];
  await symlink(real, path);
  await writeFile(
    probe,
    `#!/bin/sh\n: > ${folder}/waits.$$\nwhile [ ! -e ${gate} ]; do sleep 0.02; done\nexec ${real.replace(/ffmpeg$/, "ffprobe")} "$@"\n`,
  );
  await chmod(probe, 0o755);
  // If the service runs as root, it starts ffprobe as another user, which must be able to write here.
  await chmod(folder, 0o777);
  return {
    path,
    waiting: (count) =>
      eventually(
        `${count} probes at the gate`,
        async () => {
          const pids = (await readdir(folder))
            .filter((it) => it.startsWith("waits."))
            .map((it) => Number(it.slice("waits.".length)));
          return pids.length >= count ? pids : null;
        },
        60_000,
      ),
    open: () => writeFile(gate, ""),
    async [Symbol.asyncDispose]() {
      // Lets processes that still wait continue, so that they end.
      await writeFile(gate, "");
      await delay(50);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a process exists and is not a zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/^\d+ \(.*\) [ZX]/.test(stat);
}
