import type { ResumableUpload } from "../contract/contract.ts";
import type { Exchange } from "./exchange.ts";
import { prefixed } from "./path-prefix.ts";

/** draft-ietf-httpbis-resumable-upload, 5. */
const UPLOAD_RESUMPTION_SUPPORTED = 104;
/** The interop version of draft 11. */
const INTEROP_VERSION = "8";

/** Sends the URL at which to resume the upload. An error has the URL, too, because the bytes before it are kept. */
export function announceUpload(exchange: Exchange, prefix: string, { location, limit }: ResumableUpload): void {
  const url = prefixed(prefix, location);
  exchange.headers["Location"] = url;
  send(exchange, { Location: url, "Upload-Limit": limit });
}

/** Sends the number of bytes that are stored, while more arrive. The URL of an upload that has begun is in each response. */
export function announceOffset(exchange: Exchange, offset: number): void {
  const { Location: url } = exchange.headers;
  send(exchange, { "Upload-Offset": String(offset), ...(url === undefined ? {} : { Location: String(url) }) });
}

function send({ req, res }: Exchange, headers: Readonly<Record<string, string>>): void {
  // Clients of another draft would misread an interim response, and other clients may take it for the final one.
  if (req.headers["upload-draft-interop-version"] !== INTEROP_VERSION) return;
  // RFC 9110, 15.2: HTTP/1.0 has no interim responses.
  if (req.httpVersion === "1.0" || res.headersSent || res.destroyed) return;
  res.writeInformation(UPLOAD_RESUMPTION_SUPPORTED, { ...headers, "Upload-Draft-Interop-Version": INTEROP_VERSION });
}
