import { randomUUIDv7 } from "node:crypto";
import type { Request, Response } from "express";
import type { Config } from "../config.ts";
import type { Operation } from "../contract/operations.ts";
import { newRecord, type RequestRecord } from "../telemetry/request-record.ts";
import { createCommonHeaders, type CommonHeaders, type ResponseHeaders } from "./common-headers.ts";

/** A request with its response. */
export type Exchange = {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  readonly traceId: string | null;
  /** The path of the request target, and its query without the question mark. */
  readonly path: string;
  readonly search: string;
  readonly common: CommonHeaders;
  /** The other headers of the response, for any status. Steps only add to them. */
  readonly headers: ResponseHeaders;
  readonly record: RequestRecord;
};

/** Creates the function that creates an exchange for each request. */
export function createExchanges(config: Config, version: string, operations: readonly Operation[]) {
  const commonHeaders = createCommonHeaders(config, version, operations);
  return (req: Request, res: Response, span: { readonly traceId: string } | null): Exchange => {
    const requestId = randomUUIDv7();
    return {
      req,
      res,
      requestId,
      traceId: span?.traceId ?? traceIdInHeader(req),
      path: req.path,
      search: searchOf(req.url),
      common: commonHeaders(req),
      headers: { "X-Request-Id": requestId },
      record: newRecord(),
    };
  };
}

/** The query of a request target, which ends before the fragment. */
const searchOf = (target: string): string => /^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? "";

/** W3C Trace Context, 3.2. A later version may add fields, and version ff is invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;
const LENGTH_OF_00 = 55;

/** The trace id in the `traceparent` header, or null if the header is missing or not valid. */
function traceIdInHeader({ headers: { traceparent } }: Request): string | null {
  if (typeof traceparent !== "string") return null;
  const [, version, traceId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || (version === "00" && traceparent.length !== LENGTH_OF_00) ? null : traceId;
}
