import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler, Response } from "express";
import type { Principal } from "../contract/contract.ts";
import type { Head } from "./head.ts";

/** A request with its response, and what the HTTP layer collects between the two. */
export type Exchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** The headers of every response, and the ones of this response, whatever its status. */
  readonly always: Readonly<Head>;
  readonly head: Head;
  /** The path of the request target, and its query without the question mark. */
  path: string;
  search: string;
  principal: Principal | undefined;
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
