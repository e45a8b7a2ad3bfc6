import type { Readable } from "node:stream";
import { types } from "node:util";
import type { Request, RequestHandler, Response } from "express";
import type { Download, ResumableUpload } from "../contract/contract.ts";
import { isStreamed, type Operation } from "../contract/operations.ts";
import { namesEtag } from "../etag.ts";
import { principalOf } from "./authentication.ts";
import { askForBody } from "./body.ts";
import { prefixed, prefixedLinks, prefixOf } from "./path-prefix.ts";
import { sendBytes } from "./send-bytes.ts";

/** A handler of any operation, with only the types that the HTTP layer needs. */
export type AnyHandler = (input: unknown) => Promise<Outcome>;
type Outcome = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly onSend?: () => void;
};

/** Calls the handler of an operation and sends what it returns. */
export function respond(operation: Operation, handle: AnyHandler): RequestHandler {
  // Express continues after `next("route")` and `next(undefined)`, so a thrown value that is not an error is wrapped.
  return (req, res, next) =>
    void run(req, res).catch((error: unknown) =>
      next(types.isNativeError(error) ? error : new Error("A handler threw a value that is not an error.", { cause: error })),
    );

  async function run(req: Request, res: Response): Promise<void> {
    const controller = new AbortController();
    // The client may have disconnected while its body was read, and `close` is emitted only once.
    if (res.closed) controller.abort();
    res.once("close", () => controller.abort());
    if (isStreamed(operation)) askForBody(req, res);
    const isHead = req.method === "HEAD";
    const outcome = await handle({
      operation: operation.id,
      principal: principalOf(res),
      path: req.params,
      query: req.query,
      header: headersOf(operation, req, isHead),
      body: isStreamed(operation) ? (req as Readable) : (req.body as unknown),
      signal: controller.signal,
      announceUpload: (upload: ResumableUpload) => announceUpload(req, res, upload),
    });
    if (!isHead) outcome.onSend?.();
    writeHeaders(operation, req, res, outcome);
    const { body } = outcome;
    if (isUnchanged(operation, req, res)) {
      for (const name of ["Content-Length", "Content-Range", "Accept-Ranges"]) res.removeHeader(name);
      res.status(304).end();
    } else if (body === undefined) {
      res.end();
    } else if (isDownload(body)) {
      res.setHeader("Content-Type", operation.produces ?? "application/octet-stream");
      if (isHead) res.end();
      else await sendBytes(res, await body.open(), controller.signal);
    } else {
      const next = nextPage(operation, req, body);
      if (next !== null) res.append("Link", next);
      res.json(prefixedLinks(prefixOf(req), body));
    }
  }
}

/** draft-ietf-httpbis-resumable-upload, 5. */
const UPLOAD_RESUMPTION_SUPPORTED = 104;
/** The interop version of draft 11. */
const INTEROP_VERSION = "8";

/** Sends an interim response with the URL at which to resume the upload, if the client supports it. */
export function announceUpload(req: Request, res: Response, { location, limit }: ResumableUpload): void {
  // A client of another draft would misread the interim response, and one that names no draft may take it for the final one.
  if (req.headers["upload-draft-interop-version"] !== INTEROP_VERSION) return;
  // RFC 9110, 15.2: HTTP/1.0 has no interim responses.
  if (req.httpVersion === "1.0") return;
  res.writeInformation(UPLOAD_RESUMPTION_SUPPORTED, {
    Location: prefixed(prefixOf(req), location),
    "Upload-Limit": limit,
    "Upload-Draft-Interop-Version": INTEROP_VERSION,
  });
}

function writeHeaders(operation: Operation, req: Request, res: Response, { status, headers = {} }: Outcome): void {
  res.status(status);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) res.set(name, name === "Location" ? prefixed(prefixOf(req), String(value)) : String(value));
  if (!res.hasHeader("Cache-Control"))
    res.set("Cache-Control", operation.scopes !== null && res.hasHeader("ETag") ? "private, no-cache" : "no-store");
}

/** Whether the client already has this representation (RFC 9110, 13.1.2). */
function isUnchanged({ method }: Operation, req: Request, res: Response): boolean {
  const [etag, ifNoneMatch] = [res.get("ETag"), req.headers["if-none-match"]];
  if (method !== "get" || ![200, 206].includes(res.statusCode) || etag === undefined || ifNoneMatch === undefined) return false;
  return namesEtag(ifNoneMatch, etag, "weak");
}

const isDownload = (body: unknown): body is Download => typeof (body as Partial<Download>).open === "function";

/** The header parameters of an operation, with the names of the contract. In Node, they are in lower case. */
function headersOf({ headerParameters }: Operation, req: Request, isHead: boolean): object {
  const names = headerParameters.filter((name) => !isHead || !ONLY_FOR_GET.has(name));
  return Object.fromEntries(names.map((name) => [name, req.headers[name.toLowerCase()]]));
}

/** Range requests exist only for GET (RFC 9110, 14.2). */
const ONLY_FOR_GET = new Set(["Range", "If-Range"]);

/** A link to the next page of a list (RFC 8288), or null if there is none. */
function nextPage(operation: Operation, req: Request, body: unknown): string | null {
  const cursor = (body as { page?: { next_cursor?: string | null } }).page?.next_cursor;
  if (operation.nextPageParameter === null || cursor === null || cursor === undefined) return null;
  const url = new URL(req.originalUrl, "http://localhost");
  // After a page by offset, the next page is by cursor.
  for (const name of ["after", "before", "offset"]) url.searchParams.delete(name);
  url.searchParams.set(operation.nextPageParameter, cursor);
  return `<${prefixed(prefixOf(req), url.pathname)}${url.search}>; rel="next"`;
}
