/** Bounds what one attempt may write, so that no video fills the disk or takes more storage than its owner has. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeBytesAt } from "../storage/free-space.ts";
import type { ChildEnd, Inspect } from "./child-process.ts";
import type { MediaLimits } from "./limits.ts";
import { MediaFailure, overQuota } from "./media-failure.ts";

/** The room for the output of an attempt. */
export type Room = {
  /** To keep free on the disk, for PostgreSQL for example. */
  readonly minFreeBytes: number;
  /** What the storage quota of the owner leaves. */
  readonly quotaBytes: number;
};

/** What an attempt will probably write: `plannedBytes` is the most that it writes unless its source lies. */
type Plan = { readonly sourceBytes: number; readonly plannedBytes: number };

/** With less than this above its minimum, the disk counts as full. Small files take whole blocks, and others write too. */
const FULL_WITHIN_BYTES = 1024 * 1024;

/**
 * Bounds all files in a folder together. Throws a failure at once if the disk has no room now for what is planned, or the quota
 * none at all. `maxBytes` is the limit for the tools, which is exact; `inspect` is for the supervisor of each tool, and sees all
 * files and the disk. `check` throws if a tool has ended because of what it wrote.
 */
export async function boundOutput(folder: string, plan: Plan, limits: MediaLimits, { minFreeBytes, quotaBytes }: Room) {
  const freeBefore = await freeBytesAt(folder);
  const roomBytes = freeBefore - minFreeBytes;
  const byRatio = Math.max(limits.resultAlwaysBytes, Math.floor(limits.resultRatioMax * plan.sourceBytes));
  const allowed = [
    { maxBytes: Math.min(byRatio, limits.outputMaxBytes), fail: tooLarge },
    { maxBytes: quotaBytes, fail: overQuota },
  ];
  if (quotaBytes <= 0) throw overQuota({ quotaBytes });
  if (roomBytes < Math.min(plan.plannedBytes, ...allowed.map((it) => it.maxBytes)))
    throw noRoomNow({ freeBefore, minFreeBytes, ...plan });
  const bounds = [...allowed, { maxBytes: roomBytes, fail: fillsDisk }];
  const { maxBytes, fail } = bounds.reduce((least, it) => (it.maxBytes < least.maxBytes ? it : least));

  let lastWriteMs = 0;
  const inspect: Inspect = async () => {
    const [files, free] = await Promise.all([filesIn(folder), freeBytesAt(folder)]);
    if (free < minFreeBytes) return "disk_full";
    if (totalOf(files) > maxBytes) return "result_limit";
    const writeMs = Math.max(0, ...files.map((it) => it.mtimeMs));
    if (writeMs === lastWriteMs) return null;
    lastWriteMs = writeMs;
    return "advanced";
  };

  const check = async (end: ChildEnd): Promise<void> => {
    const [writtenBytes, free] = [totalOf(await filesIn(folder)), await freeBytesAt(folder)];
    const cause = { ...end, stdout: "", writtenBytes, maxBytes, freeBefore, free };
    if (end.stoppedFor === "disk_full" || DISK_FULL.test(end.stderr)) {
      // The larger part of what has filled the disk decides whose fault it is. Another attempt at this video would fill it again.
      const isOwn = free - minFreeBytes < FULL_WITHIN_BYTES && 2 * writtenBytes >= freeBefore - free;
      throw isOwn ? fillsDisk(cause) : noRoomNow(cause);
    }
    const isStopped = end.stoppedFor === "result_limit" || end.exitSignal === "SIGXFSZ" || /File too large/.test(end.stderr);
    // A tool can report success with a file that is cut.
    if (isStopped || writtenBytes >= maxBytes) throw fail(cause);
  };
  return { maxBytes, inspect, check };
}

const DISK_FULL = /No space left on device|Disk quota exceeded/;

async function filesIn(folder: string) {
  const found = (await readdir(folder)).map((name) => stat(join(folder, name)).catch(() => null));
  return (await Promise.all(found)).filter((it) => it !== null);
}

const totalOf = (files: readonly { readonly size: number }[]) => files.reduce((sum, it) => sum + it.size, 0);

const tooLarge = (cause: unknown) =>
  new MediaFailure("result_too_large", "The result of processing is far larger than the uploaded file.", { cause });

const fillsDisk = (cause: unknown) =>
  new MediaFailure("insufficient_storage", "The service has not enough room for the result of this video.", { cause });

/** The code of the system makes it a failure of the machine: the attempt does not count. */
const noRoomNow = (cause: object) =>
  new MediaFailure("insufficient_storage", "The service had no room for the result of this video.", {
    cause: { ...cause, code: "ENOSPC" },
    retryable: true,
  });
