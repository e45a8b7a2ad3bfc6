import type { Schemas } from "../contract/contract.ts";

/** A file that a job has made, and where its bytes are. */
export type StoredFile = {
  readonly objectKey: string;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  readonly sizeBytes: number;
  readonly sha256: string;
};
export type StoredRendition = StoredFile & { readonly name: string; readonly durationMs: number };

/** What a succeeded job leaves in its row. */
export type StoredResult = {
  readonly container: string;
  readonly durationMs: number;
  readonly width: number;
  readonly height: number;
  readonly videoCodec: string;
  readonly audioCodec: string | null;
  readonly poster: StoredFile;
  readonly renditions: readonly StoredRendition[];
};

/** Row to wire, field by field, so that no key of the store is ever sent. */
export function videoResult(videoUploadId: string, it: StoredResult): Schemas["VideoResult"] {
  const base = `/video-uploads/${videoUploadId}`;
  return {
    container: it.container,
    duration_ms: it.durationMs,
    width: it.width,
    height: it.height,
    video_codec: it.videoCodec,
    audio_codec: it.audioCodec,
    poster: {
      content_type: it.poster.contentType,
      width: it.poster.width,
      height: it.poster.height,
      size_bytes: it.poster.sizeBytes,
      href: `${base}/poster`,
    },
    renditions: it.renditions.map((rendition) => ({
      name: rendition.name,
      content_type: rendition.contentType,
      width: rendition.width,
      height: rendition.height,
      duration_ms: rendition.durationMs,
      size_bytes: rendition.sizeBytes,
      href: `${base}/renditions/${rendition.name}`,
    })),
  };
}
