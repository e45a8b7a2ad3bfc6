/** Bounds the output of an attempt, so that no video fills the disk or exceeds the storage quota of its owner. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeBytesAt } from "../util/free-bytes.ts";
import type { ChildEnd, Inspect } from "./child-process.ts";
import type { MediaLimits } from "./limits.ts";
import { MediaFailure, overQuota } from "./media-failure.ts";

/** The bounds of the machine and of the storage quota for the output of an attempt. */
export type DiskBudget = {
  /** The space to leave free on the disk, for PostgreSQL for example. */
  readonly minFreeBytes: number;
  /** The bytes that are left in the storage quota of the owner. */
  readonly quotaBytes: number;
};

/** The expected output of an attempt. `plannedBytes` is the maximum if the headers of the source are correct. */
type Plan = { readonly sourceBytes: number; readonly plannedBytes: number };

/** With less than this above its minimum, the disk counts as full, because files take whole blocks and other programs write. */
const FULL_WITHIN_BYTES = 1024 * 1024;

/**
 * Bounds the total size of the files in a folder. `maxBytes` limits each file, `inspect` polls all, and `check` throws
 * afterwards.
 */
export async function boundOutput(folder: string, plan: Plan, limits: MediaLimits, { minFreeBytes, quotaBytes }: DiskBudget) {
  const freeBefore = await freeBytesAt(folder);
  const availableBytes = freeBefore - minFreeBytes;
  const byRatio = Math.max(limits.resultAlwaysBytes, Math.floor(limits.resultRatioMax * plan.sourceBytes));
  const allowed = [
    { maxBytes: Math.min(byRatio, limits.outputMaxBytes), fail: tooLarge },
    { maxBytes: quotaBytes, fail: overQuota },
  ];
  if (quotaBytes <= 0) throw overQuota({ quotaBytes });
  if (availableBytes < Math.min(plan.plannedBytes, ...allowed.map((it) => it.maxBytes)))
    throw diskFull({ freeBefore, minFreeBytes, ...plan });
  const bounds = [...allowed, { maxBytes: availableBytes, fail: fillsDisk }];
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
      // If this attempt wrote the larger part, the video is at fault, because another attempt would fill the disk again.
      const isOwn = free - minFreeBytes < FULL_WITHIN_BYTES && 2 * writtenBytes >= freeBefore - free;
      throw isOwn ? fillsDisk(cause) : diskFull(cause);
    }
    const isStopped = end.stoppedFor === "result_limit" || end.exitSignal === "SIGXFSZ" || /File too large/.test(end.stderr);
    // A tool can report success with a truncated file.
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
  new MediaFailure("insufficient_storage", "The service has not enough disk space for the result of this video.", { cause });

/** Because of its system error code, it counts as a failure of the machine, and not as an attempt. */
const diskFull = (cause: object) =>
  new MediaFailure("insufficient_storage", "The service had no disk space for the result of this video.", {
    cause: { ...cause, code: "ENOSPC" },
    retryable: true,
  });
