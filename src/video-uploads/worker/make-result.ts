import { basename, join } from "node:path";
import { bytesAt } from "../../storage/file-bytes.ts";
import { hashOf } from "../../storage/hash-and-limit.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { DiskBudget } from "../../media/bounded-output.ts";
import type { Progress } from "./attempt-watch.ts";
import type { Engine } from "../../media/engine.ts";
import { MediaFailure } from "../../media/media-failure.ts";
import type { MediaLimits } from "../../media/limits.ts";
import { probe, type MediaInfo } from "../../media/probe.ts";
import { transcode, type MediaFile, type TranscodeResult } from "../../media/transcode.ts";
import type { StoredResult } from "../store.ts";

type TranscodeContext = {
  readonly objects: ObjectStore;
  readonly engine: Engine;
  /** A folder on this machine, for this attempt alone. It exists already. */
  readonly folder: string;
  /** A prefix in the object store, for this attempt alone. */
  readonly madeFolder: string;
  readonly budget: DiskBudget;
  readonly progress: Progress;
  readonly limits: Partial<MediaLimits>;
  /** Is told what the video is before the long work begins, and throws to prevent it. */
  readonly admit: (info: MediaInfo) => void;
  readonly signal: AbortSignal;
};

// The progress that clients see after each step of an attempt.
const PROBED_PERCENT = 3;
const TRANSCODED_PERCENT = 95;

/** Where the uploaded file is stored, and its digest. */
type Original = { readonly objectKey: string; readonly sha256: string };

/** Probes the video and makes its poster, sprite and renditions. Each is stored durably under a key of this attempt. */
export async function makeResult(context: TranscodeContext, { objectKey, sha256 }: Original): Promise<StoredResult> {
  const { objects, engine, folder, budget, progress, limits, signal } = context;
  const original = join(folder, "original");
  if (!(await objects.fetchToFile(objectKey, original, { signal, minFreeBytes: budget.minFreeBytes })))
    throw new MediaFailure("internal_error", "The uploaded file is missing.");
  // The file is read once more, which is little beside its decoding.
  const { sha256: found } = await hashOf(bytesAt(original), { signal });
  if (found !== sha256) {
    const cause = new Error(`${objectKey} has the SHA-256 ${found}, not ${sha256}`);
    throw new MediaFailure("internal_error", "The stored file is not the one that was uploaded.", { cause, retryable: true });
  }
  const info = await probe(engine, original, { signal, limits });
  context.admit(info);
  Object.assign(progress, { stage: "transcoding", percent: PROBED_PERCENT });
  const onProgress = (percent: number) => {
    progress.percent = PROBED_PERCENT + (percent * (TRANSCODED_PERCENT - PROBED_PERCENT)) / 100;
  };
  const files = await transcode(engine, original, info, join(folder, "made"), { signal, limits, onProgress, budget });
  const { container, durationMs, width, height, videoCodec, audioCodec } = info;
  return { container, durationMs, width, height, videoCodec, audioCodec, ...(await storeFiles(context, files)) };
}

async function storeFiles({ objects, madeFolder, progress, signal }: TranscodeContext, made: TranscodeResult) {
  Object.assign(progress, { stage: "finishing", percent: TRANSCODED_PERCENT });
  const store = async <File extends MediaFile>({ path, ...file }: File) => {
    const objectKey = `${madeFolder}/${basename(path)}`;
    const { sizeBytes, sha256 } = await objects.putFile(objectKey, path, { maxBytes: file.sizeBytes, signal });
    return { ...file, objectKey, sizeBytes, sha256 };
  };
  const renditions = [];
  for (const rendition of made.renditions) renditions.push(await store(rendition));
  return { poster: await store(made.poster), sprite: await store(made.sprite), renditions };
}
