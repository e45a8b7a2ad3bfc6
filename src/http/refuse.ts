import type { Logger } from "pino";
import { Failure } from "../failure.ts";
import type { Exchange } from "./exchange.ts";
import { releaseInFlight } from "../limits/in-flight.ts";
import type { LoggedPath } from "./logged-path.ts";
import { sendProblem, statusOf, type ProblemOptions } from "./problem.ts";

export type Translator = (error: unknown) => Failure | null;

/** Converts every error into a response. An unknown error is a defect, which is logged and not sent. */
export function createRefusal(translators: readonly Translator[], options: ProblemOptions, log: Logger, loggedPath: LoggedPath) {
  const translated = (error: unknown) => translators.reduce<Failure | null>((found, it) => found ?? it(error), null);
  const refuse = (exchange: Exchange, error: Error): void => {
    const known = error instanceof Failure ? error : translated(error);
    const failure =
      known ??
      new Failure("internal_error", "Something went wrong on our side. Quote the request_id when you ask for help.", {
        cause: error,
      });
    const { req, res, requestId, record } = exchange;
    const status = statusOf(failure);
    record.failure = failure;
    const line = { request_id: requestId, method: req.method, path: loggedPath(exchange), status, code: failure.code };
    // A client that disconnects while it sends a request is not an error of the service.
    if (req.destroyed && !req.complete) log.debug(line, "client disconnected while it sent the request");
    else if (known === null) log.error({ ...line, err: error }, "defect");
    // No extra line for a request that a limit refuses, because that would cost more than the refusal.
    else if (status >= 500 && failure.data.limit === undefined) log.warn({ ...line, err: failure.cause }, failure.detail);
    // Released now, because a slow client can take long to read the response.
    releaseInFlight(res);
    sendProblem(exchange, failure, options);
  };
  return (exchange: Exchange, error: Error): void => {
    try {
      refuse(exchange, error);
    } catch (defect) {
      // The client must not wait for a response, and the process must not end.
      log.error({ request_id: exchange.requestId, err: defect }, "defect in an error response");
      exchange.res.destroy();
    }
  };
}
