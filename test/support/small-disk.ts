import { execFileSync } from "node:child_process";
import { mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate file system that a test can fill without harm. */
export type SmallDisk = AsyncDisposable & {
  readonly path: string;
  /** Takes all free space except `leaveBytes`. */
  fill(leaveBytes?: number): Promise<void>;
  /** Frees the space again. */
  empty(): Promise<void>;
};

/** A file system in memory, for tests that need `mount`. */
export async function mountSmallDisk(sizeBytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", path]);
  const ballast = join(path, "ballast");
  return {
    path,
    async fill(leaveBytes = 0) {
      await using file = await open(ballast, "w");
      let written = 0;
      // Large blocks take the space fast, and small ones the rest of it.
      for (const sizeBytes of [2 ** 20, 4_096]) {
        const block = Buffer.alloc(sizeBytes);
        try {
          for (;;) written += (await file.write(block)).bytesWritten;
        } catch (error) {
          if ((error as { code?: string }).code !== "ENOSPC") throw error;
        }
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
