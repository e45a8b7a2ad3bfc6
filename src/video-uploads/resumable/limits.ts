import { minPieceBytes } from "./receive-pieces.ts";
import type { TransferLimits } from "./transfer.ts";

/** An incomplete upload is removed after this time. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;

export function limitsOf(parts: { readonly maxUploadBytes: number }, begunAt = new Date()): TransferLimits {
  const ageSeconds = Math.floor((Date.now() - begunAt.getTime()) / 1_000);
  const maxAgeSeconds = Math.max(0, UPLOAD_AGE_SECONDS - ageSeconds);
  return { maxBytes: parts.maxUploadBytes, minAppendBytes: minPieceBytes(parts), maxAgeSeconds };
}
