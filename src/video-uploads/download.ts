import { create } from "content-disposition";
import type { Input, Output } from "../contract/contract.ts";
import { namesEtag, requireMatch } from "../util/etag.ts";
import { Failure } from "../failure.ts";
import type { ByteRange, OpenObject } from "../storage/object-store.ts";
import { inLine } from "../util/text.ts";
import type { StoredFile } from "./store.ts";

type Headers = Input<"getVideoPoster">["header"];
export type DownloadedFile = Pick<StoredFile, "objectKey" | "contentType" | "sizeBytes" | "sha256">;
/** A store of files. */
export type FileSource = { get(key: string, range?: ByteRange): Promise<Pick<OpenObject, "stream"> | null> };
type DownloadOptions = {
  /** Reads the row again, and throws if the upload was deleted. */
  readonly requireRow: () => Promise<unknown>;
  /** The `Content-Disposition`: whether a browser shows the file or saves it, and its name. */
  readonly shownAs?: { readonly type: "inline" | "attachment"; readonly name: string };
  /** When the permission to read the file ends. */
  readonly endsAt?: Date;
};

/**
 * Returns a file, or the single range that is requested (RFC 9110, section 14). Ignores other ranges; outside the file, throws
 * 416.
 */
export function download(
  source: FileSource,
  { objectKey, contentType, sizeBytes, sha256 }: DownloadedFile,
  header: Headers,
  { requireRow, shownAs, endsAt }: DownloadOptions,
): Output<"getPlaybackFile"> {
  const etag = `"${sha256.slice(0, 32)}"`;
  // Before the other conditions and `Range`, which matter only for the file that is asked for (RFC 9110, 13.2.2).
  requireMatch(header["If-Match"], etag, "file", "Download it from its beginning.");
  const part = requestedRange(header, etag, sizeBytes);
  const open = async () => {
    const opened = await source.get(objectKey, part ?? undefined);
    if (opened !== null) return opened.stream;
    // Without its row, the upload was deleted: 404. With its row, the missing object is a defect.
    await requireRow();
    throw new Error(`The object ${objectKey} is missing.`);
  };
  const headers = {
    ETag: etag,
    "Accept-Ranges": "bytes",
    ...(shownAs === undefined ? {} : { "Content-Disposition": dispositionOf(shownAs) }),
  } as const;
  const body = { contentType, open, ...(endsAt === undefined ? {} : { endsAt }) };
  if (part === null) return { status: 200, headers: { ...headers, "Content-Length": sizeBytes }, body };
  const { start, end } = part;
  const partHeaders = { "Content-Length": end - start + 1, "Content-Range": `bytes ${start}-${end}/${sizeBytes}` };
  return { status: 206, headers: { ...headers, ...partHeaders }, body };
}

/** RFC 6266. Without bidirectional controls, which can fake another extension in a file manager. */
const dispositionOf = ({ type, name }: NonNullable<DownloadOptions["shownAs"]>) => create(inLine(name), { type });

// Not range-parser 1.3: for it, `bytes=5-2` is a range outside the file, and `items=0-1` is valid.
/** Null for the whole file. `If-None-Match` precedes `Range`, so a client with the same version gets 304 (RFC 9110, 13.2.2). */
function requestedRange(header: Headers, etag: string, sizeBytes: number): ByteRange | null {
  const { Range: range, "If-Range": ifRange, "If-None-Match": ifNoneMatch } = header;
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  return ifNoneMatch !== undefined && namesEtag(ifNoneMatch, etag, "weak") ? null : singleRange(sizeBytes, range);
}

/** RFC 9110, 14.1.2: `bytes=first-last`, `bytes=first-` or `bytes=-length`. */
function singleRange(sizeBytes: number, header: string): ByteRange | null {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || first + last === "") return null;
  const isSuffix = first === "";
  if (!isSuffix && last !== "" && Number(first) > Number(last)) return null;
  const start = isSuffix ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = isSuffix || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (start < sizeBytes) return { start, end };
  throw new Failure("range_not_satisfiable", `The file has ${sizeBytes} bytes.`, { sizeBytes });
}
