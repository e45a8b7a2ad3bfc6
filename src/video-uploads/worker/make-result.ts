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
  /** An existing folder on this machine, for this attempt alone. */
  readonly folder: string;
  /** A prefix in the object store, for this attempt alone. */
  readonly attemptFolder: string;
  readonly budget: DiskBudget;
  readonly progress: Progress;
  readonly limits: Partial<MediaLimits>;
  /** Called before transcoding. Throws if the video belongs into another lane. */
  readonly checkLane: (info: MediaInfo) => void;
  readonly signal: AbortSignal;
};

// The progress after each step of an attempt, for clients.
const PROBED_PERCENT = 3;
const TRANSCODED_PERCENT = 95;

/** The uploaded file. */
type Original = { readonly objectKey: string; readonly sha256: string };

/** Probes the video, makes its poster, sprite and renditions, and stores them durably under keys of this attempt. */
export async function makeResult(context: TranscodeContext, { objectKey, sha256 }: Original): Promise<StoredResult> {
  const { objects, engine, folder, budget, progress, limits, signal } = context;
  const original = join(folder, "original");
  if (!(await objects.fetchToFile(objectKey, original, { signal, minFreeBytes: budget.minFreeBytes })))
    throw new MediaFailure("internal_error", "The uploaded file is missing.");
  // Reading the file once more costs little compared to decoding.
  const { sha256: found } = await hashOf(bytesAt(original), { signal });
  if (found !== sha256) {
    const cause = new Error(`${objectKey} has the SHA-256 ${found}, not ${sha256}`);
    throw new MediaFailure("internal_error", "The stored file is not the one that was uploaded.", { cause, retryable: true });
  }
  const info = await probe(engine, original, { signal, limits, budget });
  context.checkLane(info);
  Object.assign(progress, { stage: "transcoding", percent: PROBED_PERCENT });
  const onProgress = (percent: number) => {
    progress.percent = PROBED_PERCENT + (percent * (TRANSCODED_PERCENT - PROBED_PERCENT)) / 100;
  };
  const files = await transcode(engine, original, info, join(folder, "made"), { signal, limits, onProgress, budget });
  const { container, width, height, videoCodec, audioCodec } = info;
  const { durationMs } = files;
  return { container, durationMs, width, height, videoCodec, audioCodec, ...(await storeFiles(context, files)) };
}

async function storeFiles({ objects, attemptFolder, progress, signal }: TranscodeContext, made: TranscodeResult) {
  Object.assign(progress, { stage: "finishing", percent: TRANSCODED_PERCENT });
  const store = async <File extends MediaFile>({ path, ...file }: File) => {
    const objectKey = `${attemptFolder}/${basename(path)}`;
    const { sizeBytes, sha256 } = await objects.putFile(objectKey, path, { maxBytes: file.sizeBytes, signal });
    return { ...file, objectKey, sizeBytes, sha256 };
  };
  const renditions = [];
  for (const rendition of made.renditions) renditions.push(await store(rendition));
  return { poster: await store(made.poster), sprite: await store(made.sprite), renditions };
}
