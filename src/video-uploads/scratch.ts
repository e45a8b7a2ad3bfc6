import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../db/client.ts";
import type { Fence } from "./store.ts";

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d+)$/;

/** The folder in which one attempt keeps its files while it works. */
export function scratchOf(scratchDir: string, { videoUploadId, attempt }: Fence): string {
  return join(scratchDir, `${videoUploadId}-${attempt}`);
}

/** Removes the folders of attempts that are not the present ones: a worker that is killed cannot remove its own. */
export async function sweepScratch(db: Db, scratchDir: string): Promise<void> {
  for (const name of await readdir(scratchDir)) {
    const [, id, attempt] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    const isPresent = (await db.videoUpload.count({ where: { id, attempt: Number(attempt), status: "processing" } })) === 1;
    if (!isPresent) await rm(join(scratchDir, name), { recursive: true, force: true });
  }
}
