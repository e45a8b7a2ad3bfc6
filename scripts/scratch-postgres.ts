import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../src/embedded-postgres/index.ts";

// The data is temporary, so PostgreSQL need not wait for the disk.
const SETTINGS: Readonly<Record<string, string>> = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/**
 * Starts a temporary PostgreSQL with additional settings and its files in `folder`. `stop`, or the end of this process, removes it and its
 * files.
 */
export async function startScratchPostgres(settings: typeof SETTINGS = {}, folder = tmpdir()): Promise<EmbeddedPostgres> {
  const dataDir = mkdtempSync(join(folder, "plumbline-scratch-"));
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const cleaner = cleanUpOnDeath(dataDir);
  const remove = () => {
    rmSync(dataDir, { recursive: true, force: true });
    cleaner.cancel();
  };
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir, settings: { ...SETTINGS, ...settings } });
    return { url, stop: () => stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Starts a shell that cleans up when its standard input closes, which the kernel does when this process dies. */
export function cleanUpOnDeath(dataDir: string): { cancel(): void } {
  const script =
    'read -r _; pid=$(head -n 1 "$1/postgres/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"; sleep 1; rm -rf "$1"';
  const child = spawn("/bin/sh", ["-c", script, "sh", dataDir], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  return { cancel: () => child.kill() };
}
