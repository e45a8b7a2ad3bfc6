import { execFileSync } from "node:child_process";
import { mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own that can be full without harm to anybody. */
export type SmallDisk = AsyncDisposable & {
  readonly path: string;
  /** Takes all the room that is left, but for so many bytes. */
  fill(leaveBytes?: number): Promise<void>;
  /** Gives the room back. */
  empty(): Promise<void>;
};

/** A disk in memory, for tests that need `mount`. */
export async function mountSmallDisk(sizeBytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", path]);
  const ballast = join(path, "ballast");
  return {
    path,
    async fill(leaveBytes = 0) {
      await using file = await open(ballast, "w");
      const block = Buffer.alloc(4_096);
      let written = 0;
      try {
        for (;;) written += (await file.write(block)).bytesWritten;
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOSPC") throw error;
      }
      await file.truncate(Math.max(0, written - leaveBytes));
    },
    empty: () => rm(ballast, { force: true }),
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["--lazy", path]);
      await rmdir(path);
    },
  };
}
