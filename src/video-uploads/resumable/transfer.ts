import type { Readable } from "node:stream";
import type { Digests } from "../digests.ts";
import type { VideoUploadRow } from "../store.ts";

/** The state of an upload. Only a complete one has `accepted`, its row; only an incomplete one has `begunAt`. */
export type Transfer = {
  readonly offsetBytes: number;
  /** The announced length. */
  readonly lengthBytes: number | null;
  readonly accepted: VideoUploadRow | null;
  readonly begunAt?: Date;
};

/** The limits for the rest of an upload. */
export type TransferLimits = { readonly maxBytes: number; readonly minAppendBytes: number; readonly maxAgeSeconds: number };

/**
 * A request that appends to an upload. `isLast`: it completes the upload. `offset` is null if it begins the upload. `announcedBytes` is its
 * `Upload-Length`.
 */
export type AppendRequest = {
  readonly ownerId: string;
  readonly id: string;
  readonly offset: number | null;
  readonly isLast: boolean;
  readonly announcedBytes: number | null;
  readonly body: Readable;
  readonly digests: Digests;
  /** Called with the number of bytes that are stored, while more arrive. */
  readonly onStored?: (offsetBytes: number) => void;
};
