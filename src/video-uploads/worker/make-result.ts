import { createReadStream } from "node:fs";
import { basename, join } from "node:path";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Progress } from "./attempt-watch.ts";
import type { Engine } from "../media/engine.ts";
import { MediaFailure } from "../media/media-failure.ts";
import { probe, type MediaInfo } from "../media/probe.ts";
import { transcode, type MediaFile, type TranscodeResult } from "../media/transcode.ts";
import type { StoredResult } from "../store.ts";

/** What an attempt works with and where. */
export type Workplace = {
  readonly objects: ObjectStore;
  readonly engine: Engine;
  /** On this machine, there already, for this attempt alone. */
  readonly folder: string;
  /** In the object store, for this attempt alone. */
  readonly madeFolder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

// Of the work of an attempt, as a client sees it.
const PROBED_PERCENT = 3;
const TRANSCODED_PERCENT = 95;

/** Probes the video and makes poster and renditions, each durable under a key of this attempt. */
export async function makeResult(workplace: Workplace, objectKey: string): Promise<StoredResult> {
  const original = await fetchOriginal(workplace, objectKey);
  const info = await probe(workplace.engine, original, { signal: workplace.signal });
  const files = await makeFiles(workplace, original, info);
  const { container, durationMs, width, height, videoCodec, audioCodec } = info;
  return { container, durationMs, width, height, videoCodec, audioCodec, ...(await storeFiles(workplace, files)) };
}

async function fetchOriginal({ objects, folder, signal }: Workplace, objectKey: string): Promise<string> {
  const path = join(folder, "original");
  if (!(await objects.fetchToFile(objectKey, path, { signal })))
    throw new MediaFailure("internal_error", "The uploaded file is missing.");
  return path;
}

async function makeFiles(
  { engine, folder, progress, signal }: Workplace,
  original: string,
  info: MediaInfo,
): Promise<TranscodeResult> {
  Object.assign(progress, { stage: "transcoding", percent: PROBED_PERCENT });
  const onProgress = (percent: number) => {
    progress.percent = PROBED_PERCENT + (percent * (TRANSCODED_PERCENT - PROBED_PERCENT)) / 100;
  };
  return transcode(engine, original, info, join(folder, "made"), { signal, onProgress });
}

async function storeFiles({ objects, madeFolder, progress, signal }: Workplace, made: TranscodeResult) {
  Object.assign(progress, { stage: "finishing", percent: TRANSCODED_PERCENT });
  const store = async <File extends MediaFile>({ path, ...file }: File) => {
    const objectKey = `${madeFolder}/${basename(path)}`;
    const { sizeBytes, sha256 } = await objects.put(objectKey, createReadStream(path), { maxBytes: file.sizeBytes, signal });
    return { ...file, objectKey, sizeBytes, sha256 };
  };
  const renditions = [];
  for (const rendition of made.renditions) renditions.push(await store(rendition));
  return { poster: await store(made.poster), renditions };
}
