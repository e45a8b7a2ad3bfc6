import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../src/embedded-postgres/index.ts";

// Nobody keeps these data, so nobody has to wait for the disk.
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** A PostgreSQL that keeps nothing: quick, and gone with its files after `stop`, or when this process dies, however it dies. */
export async function startScratchPostgres(): Promise<EmbeddedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), "plumbline-scratch-"));
  // Run by root, PostgreSQL is another user, who must be able to pass through.
  chmodSync(dataDir, 0o711);
  const undertaker = appointUndertaker(dataDir);
  const remove = () => {
    rmSync(dataDir, { recursive: true, force: true });
    undertaker.dismiss();
  };
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    return { url, stop: () => stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A shell that waits for the other end of its standard input to close, which the kernel does when this process dies. */
function appointUndertaker(dataDir: string): { dismiss(): void } {
  const script =
    'read -r _; pid=$(head -n 1 "$1/postgres/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"; sleep 1; rm -rf "$1"';
  const child = spawn("/bin/sh", ["-c", script, "sh", dataDir], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  return { dismiss: () => child.kill() };
}
