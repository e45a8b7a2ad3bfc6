import { randomUUIDv7 } from "node:crypto";
import type { Request, Response } from "express";
import type { Config } from "../config.ts";
import type { Contract } from "../contract/bundle.ts";
import type { Operation } from "../contract/operations.ts";
import type { RequestSpan } from "../telemetry/telemetry.ts";
import { createCommonHeaders } from "./common-headers.ts";
import { originsIn } from "./cors.ts";
import type { Exchange } from "./exchange.ts";
import type { LoggedPath } from "./logged-path.ts";
import { observe, type RequestObserver } from "./request-observer.ts";
import { traceIdInHeader } from "./trace-context.ts";

type Parts = {
  readonly config: Config;
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  readonly observer: RequestObserver;
  readonly loggedPath: LoggedPath;
};

/** Creates the function that begins an exchange when a request arrives. The observer is told of each. */
export function createExchanges({ config, contract, operations, observer, loggedPath }: Parts) {
  const exposedHeaders = [...new Set(operations.flatMap((it) => it.responseHeaders))];
  const commonHeaders = createCommonHeaders(contract.info.version, originsIn(config), exposedHeaders);
  return (req: Request, res: Response, span: RequestSpan | null): Exchange => {
    const requestId = randomUUIDv7();
    const exchange: Exchange = {
      req,
      res,
      requestId,
      traceId: span?.traceId ?? traceIdInHeader(req),
      path: req.path,
      search: searchOf(req.url),
      headers: { ...commonHeaders(req), "X-Request-Id": requestId },
      record: { operation: null, userId: null, failure: null, isReplay: false, sentBytes: 0 },
    };
    observe(exchange, span, observer, loggedPath);
    return exchange;
  };
}

/** The query of a request target, which ends before the fragment. */
function searchOf(target: string): string {
  const begin = target.indexOf("?");
  const end = target.indexOf("#");
  if (begin === -1 || (end !== -1 && end < begin)) return "";
  return end === -1 ? target.slice(begin + 1) : target.slice(begin + 1, end);
}
