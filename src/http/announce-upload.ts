import type { Request, Response } from "express";
import type { ResumableUpload } from "../contract/contract.ts";
import { prefixed, prefixOf } from "./path-prefix.ts";

/** draft-ietf-httpbis-resumable-upload, 5. */
const UPLOAD_RESUMPTION_SUPPORTED = 104;
/** Of its version 11. */
const INTEROP_VERSION = "8";

/** Sends an interim answer that says where an upload is resumed, to a client that understands it. */
export function announceUpload(req: Request, res: Response, { location, limit }: ResumableUpload): void {
  // A client of another draft would read the answer otherwise, and one that names none may take it for the final one.
  if (req.headers["upload-draft-interop-version"] !== INTEROP_VERSION) return;
  // RFC 9110, 15.2.
  if (req.httpVersion === "1.0") return;
  res.writeInformation(UPLOAD_RESUMPTION_SUPPORTED, {
    Location: prefixed(prefixOf(req), location),
    "Upload-Limit": limit,
    "Upload-Draft-Interop-Version": INTEROP_VERSION,
  });
}
