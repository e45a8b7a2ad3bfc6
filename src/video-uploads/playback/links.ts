import type { OperationId } from "../../contract/contract.ts";
import { Failure } from "../../failure.ts";
import type { Cursors } from "../../pagination/cursor.ts";

/** The file of a video that a link leads to. */
export type LinkTarget = { readonly jobId: string; readonly file: string };
/** The owner of the video, and when the link expires. */
export type Permission = { readonly ownerId: string; readonly expiresAt: Date };

/** The operation that accepts the token. */
const OPERATION: OperationId = "getPlaybackFile";
const contextOf = ({ jobId, file }: LinkTarget) => ({ operation: OPERATION, job: jobId, file });

/** Makes the path of a link. Its token is encrypted like a cursor, and valid for this file only. */
export function linkTo(cursors: Cursors, target: LinkTarget, { ownerId, expiresAt }: Permission): string {
  const token = cursors.of(contextOf(target)).encode([ownerId, expiresAt.getTime()]);
  return `/playback/${target.jobId}/${target.file}?token=${token}`;
}

/**
 * Returns what the token of a link permits. Throws `Failure(link_expired)`, and for other invalid tokens the same
 * `Failure(invalid_link)`, to reveal nothing about the token.
 */
export function openLink(cursors: Cursors, target: LinkTarget, token: string): Permission {
  const [ownerId, expiresMs] = decryptToken(cursors, target, token);
  const expiresAt = new Date(Number(expiresMs));
  if (expiresAt.getTime() > Date.now()) return { ownerId: String(ownerId), expiresAt };
  throw new Failure("link_expired", "This link has expired. Get a new one with createPlayback.");
}

function decryptToken(cursors: Cursors, target: LinkTarget, token: string): readonly (string | number)[] {
  try {
    return cursors.of(contextOf(target)).decode("token", token);
  } catch (cause) {
    const detail = "This link is not valid for this file. Use the href of createPlayback as it is.";
    throw new Failure("invalid_link", detail, { cause });
  }
}
