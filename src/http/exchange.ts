import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler, Response } from "express";
import type { Principal } from "../contract/contract.ts";
import type { Operation } from "../contract/operations.ts";
import type { Failure } from "../failure.ts";
import type { RequestSpan } from "../telemetry/telemetry.ts";
import type { Head } from "./head.ts";

/** A request with its response, and what the HTTP layer collects between the two. */
export type Exchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly traceId: string | null;
  /** Null without OpenTelemetry. */
  readonly span: RequestSpan | null;
  /** The headers of every response, and the ones of this response, whatever its status. */
  readonly always: Readonly<Head>;
  readonly head: Head;
  /** The path of the request target, and its query without the question mark. */
  path: string;
  search: string;
  /** Null until the operation is known. */
  operation: Operation | null;
  principal: Principal | undefined;
  /** The reason for a refusal. */
  failure: Failure | null;
  isReplay: boolean;
  /** The bytes of a download that have been sent. */
  sentBytes: number;
  /** Whether the service has asked for the body, if the client waits for that. */
  isBodyWanted: boolean;
};

/** Decides whether a request can continue. Throws a failure to refuse it, and returns false if its client has left. */
export type Admit = (exchange: Exchange) => boolean;

/** The exchange that a response of Express belongs to. */
export const exchangeOf = (res: Response): Exchange => res.locals["exchange"] as Exchange;

/** The check as a handler of Express. */
export const handlerOf =
  (admit: Admit): RequestHandler =>
  (_req, res, next) => {
    if (admit(exchangeOf(res))) next();
  };
