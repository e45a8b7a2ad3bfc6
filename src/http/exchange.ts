import type { Request, Response } from "express";
import type { Operation } from "../contract/operations.ts";
import type { Failure } from "../failure.ts";

/** The headers of a response, collected in a plain object and sent by one `writeHead`. */
export type ResponseHeaders = Record<string, string | number | string[]>;

/** A request with its response, and what is known as soon as it arrives. */
export type Exchange = {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  readonly traceId: string | null;
  /** The path of the request target, and its query without the question mark. */
  readonly path: string;
  readonly search: string;
  /** The headers of the response, whatever its status. Starts with those of every response; steps only add to it. */
  readonly headers: ResponseHeaders;
  readonly record: RequestRecord;
};

/** What the log, the metrics and a refusal learn of a request. The steps that serve it write here, and don't read it. */
export type RequestRecord = {
  /** Null until the operation is known. */
  operation: Operation | null;
  userId: string | null;
  /** The reason for a refusal. */
  failure: Failure | null;
  isReplay: boolean;
  /** The bytes of a download that have been sent. */
  sentBytes: number;
};
