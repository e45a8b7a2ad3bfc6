import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../src/db/embedded-postgres.ts";

/** A PostgreSQL that keeps nothing: quick, and removed by `stop`. */
export async function startScratchPostgres(): Promise<EmbeddedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), "plumbline-scratch-"));
  // Run by root, PostgreSQL is another user, who must be able to pass through.
  chmodSync(dataDir, 0o711);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off" } });
    return { url, stop: () => stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}
