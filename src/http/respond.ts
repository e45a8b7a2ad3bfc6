import type { ServerResponse } from "node:http";
import type { AnyOutput, Download } from "../contract/contract.ts";
import type { Operation } from "../contract/operations.ts";
import { namesEtag } from "../util/etag.ts";
import type { ResponseHeaders } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { prefixed, prefixedLinks } from "./path-prefix.ts";
import { sendBytes } from "./send-bytes.ts";
import { sendText, writeHead } from "./send-text.ts";
import type { Validation } from "./validation/enforcement.ts";

/** Creates the function that sends the output of a handler, in one write unless it is a download. */
export function createResponder(operation: Operation, prefix: string, validation: Validation) {
  const withEtag = operation.scopes === null ? "no-store" : "private, no-cache";

  return async (exchange: Exchange, outcome: AnyOutput): Promise<void> => {
    const { req, res } = exchange;
    const { status, body } = outcome;
    const isHead = req.method === "HEAD";
    if (!isHead) outcome.onSend?.();
    const headers = headersOf(exchange, outcome);
    exchange.record.isReplay = headers["Idempotency-Replayed"] !== undefined;
    if (isUnchanged(operation, exchange, headers, status)) {
      for (const name of ["Content-Length", "Content-Range", "Accept-Ranges", "Content-Disposition"]) delete headers[name];
      writeHead(exchange, 304, headers);
      res.end();
    } else if (body === undefined) {
      // Without a length, Node would send an empty body in chunks.
      if (!isHead && status !== 204) headers["Content-Length"] = 0;
      writeHead(exchange, status, headers);
      res.end();
    } else if (isDownload(body)) {
      await sendDownload(exchange, { ...exchange.common.headers, ...headers, "Content-Type": body.contentType }, status, body);
    } else {
      const content = prefixedLinks(prefix, body);
      if (outcome.isStored === true) validation.storedResponse(status, content);
      else validation.response(status, content);
      const next = nextPage(operation, prefix, exchange, content);
      if (next !== null) headers["Link"] = headers["Link"] === undefined ? next : [headers["Link"] as string, next];
      headers["Content-Type"] = "application/json; charset=utf-8";
      sendText(exchange, status, headers, JSON.stringify(content));
    }
  };

  function headersOf(exchange: Exchange, { headers: ofOutcome = {}, body }: AnyOutput): ResponseHeaders {
    const headers = { ...exchange.headers };
    for (const name in ofOutcome) {
      const value = ofOutcome[name as never] as string | number | undefined;
      if (value !== undefined) headers[name] = name === "Location" ? prefixed(prefix, String(value)) : String(value);
    }
    const endsAt = isDownload(body) ? body.endsAt : undefined;
    if (endsAt !== undefined) headers["Cache-Control"] = `private, max-age=${secondsUntil(endsAt)}`;
    headers["Cache-Control"] ??= headers["ETag"] === undefined ? "no-store" : withEtag;
    return headers;
  }
}

/** Whether the client already has this representation (RFC 9110, 13.1.2). */
export function isUnchanged({ method }: Operation, { req }: Exchange, { ETag: etag }: ResponseHeaders, status: number): boolean {
  const ifNoneMatch = req.headers["if-none-match"];
  if (ifNoneMatch === undefined || etag === undefined) return false;
  return method === "get" && (status === 200 || status === 206) && namesEtag(ifNoneMatch, String(etag), "weak");
}

/** A link to the next page of a list (RFC 8288), or null if there is none. */
function nextPage({ nextPageParameter }: Operation, prefix: string, { path, search }: Exchange, body: unknown): string | null {
  if (nextPageParameter === null) return null;
  const cursor = (body as { page?: { next_cursor?: string | null } }).page?.next_cursor;
  if (cursor === null || cursor === undefined) return null;
  const query = new URLSearchParams(search);
  // After a page by offset, the next page is by cursor. It has older items, so `wait` is removed.
  for (const name of ["after", "before", "offset", "wait"]) query.delete(name);
  query.set(nextPageParameter, cursor);
  return `<${prefixed(prefix, path)}?${query.toString()}>; rel="next"`;
}

/** Sends a stream. The headers are set, not sent, so that the response can still be a problem. */
async function sendDownload(exchange: Exchange, headers: ResponseHeaders, status: number, body: Download): Promise<void> {
  const { req, res } = exchange;
  const controller = new AbortController();
  // The client may already have disconnected, and `close` is emitted only once.
  if (res.closed) controller.abort();
  else if (body.endsAt !== undefined) endAt(body.endsAt, res);
  res.once("close", () => controller.abort());
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (req.method === "HEAD") res.end();
  else await sendBytes(exchange, await body.open(), controller.signal);
}

const isDownload = (body: unknown): body is Download => typeof (body as Partial<Download> | undefined)?.open === "function";

const secondsUntil = (moment: Date) => Math.max(0, Math.floor((moment.getTime() - Date.now()) / 1_000));

/** Ends a response at a time, because a slow client could otherwise read for days. */
function endAt(moment: Date, res: ServerResponse): void {
  const timer = setTimeout(() => res.destroy(), moment.getTime() - Date.now());
  res.once("close", () => clearTimeout(timer));
}
