import type { Schemas } from "../contract/contract.ts";
import type { VisibleUpload, StoredFile, StoredResult, StoredSprite, VideoUploadRow } from "./store.ts";

export function toVideoUpload(row: VisibleUpload): Schemas["VideoUpload"] {
  return {
    id: row.id,
    status: row.status as Schemas["VideoUploadStatus"],
    name: row.name,
    size_bytes: Number(row.sizeBytes),
    sha256: row.sha256,
    progress: { percent: row.percent, stage: row.stage },
    attempt: row.attempt,
    error: row.errorCode === null ? null : { code: row.errorCode, detail: row.errorDetail ?? "" },
    result: row.result === null ? null : toVideoResult(row.id, row.result as StoredResult),
    created_at: new Date(row.createdAt).toISOString(),
    started_at: row.startedAt && new Date(row.startedAt).toISOString(),
    finished_at: row.finishedAt && new Date(row.finishedAt).toISOString(),
  };
}

/** An upload as the service accepted it, without later changes. */
export function toAcceptedUpload(row: VideoUploadRow): Schemas["VideoUpload"] {
  return {
    ...toVideoUpload(row),
    status: "queued",
    progress: { percent: 0, stage: null },
    attempt: 0,
    error: null,
    result: null,
    started_at: null,
    finished_at: null,
  };
}

export function toVideoResult(videoUploadId: string, it: StoredResult): Schemas["VideoResult"] {
  const base = `/video-uploads/${videoUploadId}`;
  return {
    container: it.container,
    duration_ms: it.durationMs,
    width: it.width,
    height: it.height,
    video_codec: it.videoCodec,
    audio_codec: it.audioCodec,
    poster: { ...toFile(it.poster), href: `${base}/poster` },
    sprite: it.sprite === undefined ? null : toSprite(it.sprite),
    renditions: it.renditions.map(({ name, durationMs, ...file }) => ({
      name,
      duration_ms: durationMs,
      ...toFile(file),
      href: `${base}/renditions/${name}`,
    })),
  };
}

/** A sprite without its links. */
export const toSprite = (it: StoredSprite) => ({
  ...toFile(it),
  tile_width: it.tileWidth,
  tile_height: it.tileHeight,
  tile_count: it.tileCount,
  interval_ms: it.intervalMs,
});

/** A file without its link. */
export const toFile = ({ contentType, width, height, sizeBytes }: StoredFile) => ({
  content_type: contentType,
  width,
  height,
  size_bytes: sizeBytes,
});
