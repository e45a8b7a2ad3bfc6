import parseRange from "range-parser";
import type { Download } from "../contract.ts";
import { Failure } from "../failure.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredFile } from "./result.ts";

type Conditions = { readonly range: string | undefined; readonly ifRange: string | undefined };
type Headers = { readonly ETag: string; readonly "Accept-Ranges": "bytes"; readonly "Content-Length": number };
type Whole = { readonly status: 200; readonly headers: Headers; readonly body: Download };
type Part = { readonly status: 206; readonly headers: Headers & { readonly "Content-Range": string }; readonly body: Download };

/**
 * A stored file, or the one range of it that was asked for (RFC 9110, 14). A range that is malformed, that is one of
 * several, or whose `If-Range` names another version is as if it were not there; one outside the file is a 416.
 */
export function download(objects: ObjectStore, file: StoredFile, { range, ifRange }: Conditions): Whole | Part {
  const etag = `"${file.sha256.slice(0, 32)}"`;
  const wanted = range === undefined || (ifRange !== undefined && ifRange !== etag) ? null : singleRange(file.sizeBytes, range);
  const headers = { ETag: etag, "Accept-Ranges": "bytes" } as const;
  const open = async () => {
    const opened = await objects.get(file.objectKey, wanted ?? undefined);
    if (opened === null) throw new Error(`The object ${file.objectKey} is missing.`);
    return opened.stream;
  };
  if (wanted === null) return { status: 200, headers: { ...headers, "Content-Length": file.sizeBytes }, body: { open } };
  const contentRange = `bytes ${wanted.start}-${wanted.end}/${file.sizeBytes}`;
  return { status: 206, headers: { ...headers, "Content-Length": wanted.end - wanted.start + 1, "Content-Range": contentRange }, body: { open } };
}

function singleRange(sizeBytes: number, header: string): { start: number; end: number } | null {
  const ranges = parseRange(sizeBytes, header);
  if (ranges === -1) {
    throw new Failure("range_not_satisfiable", `The file has ${sizeBytes} bytes.`, { headers: { "Content-Range": `bytes */${sizeBytes}` } });
  }
  if (ranges === -2 || ranges.type !== "bytes") return null;
  const [range, ...others] = ranges;
  return range === undefined || others.length > 0 ? null : { start: range.start, end: range.end };
}
