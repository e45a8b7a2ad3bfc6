import { releaseInFlight } from "../limits/in-flight.ts";
import type { AnyOutput } from "../contract/contract.ts";
import type { Operation } from "../contract/operations.ts";
import type { Subscriptions } from "../long-poll/subscriptions.ts";
import type { Wait, Waits } from "../long-poll/waits.ts";
import type { ResponseHeaders } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { isUnchanged } from "./respond.ts";

/** Runs the handler of a request when it may start. Null if the client disconnects before. */
type Work = () => Promise<AnyOutput | null>;

/** How each operation waits, and the subscriptions of this process. */
export type WaitDeps = { readonly waits: Waits; readonly subscriptions: Subscriptions };

/** The input of an operation with the parameter `wait`. */
type Input = { readonly query: { readonly wait?: number } };
type AnyWait = (input: Input) => Wait<unknown>;

/**
 * Creates the function that runs `work`, and runs it again after each change until the response is not empty or a timeout. A request
 * that waits holds no permits. `admitAgain` checks the credential again. Returns null if the client has disconnected.
 */
export function createWait(operation: Operation, deps?: WaitDeps) {
  const waitOf = (deps?.waits as Readonly<Record<string, unknown>> | undefined)?.[operation.id] as AnyWait | undefined;
  if (deps === undefined || waitOf === undefined)
    return (_exchange: Exchange, _caller: string, _input: Input, work: Work) => work();
  const { subscriptions } = deps;
  return async (exchange: Exchange, caller: string, input: Input, work: Work, admitAgain: () => Promise<void>) => {
    const { wait: seconds = 0 } = input.query;
    if (seconds === 0) return work();
    const { res, record } = exchange;
    const { topic, isEmpty } = waitOf(input);
    const untilMs = performance.now() + seconds * 1_000;
    // Subscribes before the first read, so that no change between the two is missed.
    using subscription = subscriptions.subscribe(caller, topic);
    let outcome = await work();
    while (subscription !== null && outcome !== null && isEmptyFor(operation, exchange, outcome, isEmpty)) {
      releaseInFlight(res);
      const startedMs = performance.now();
      const hasChanged = await subscription.changed(untilMs, res);
      record.waitedMs += performance.now() - startedMs;
      if (res.closed) return null;
      if (!hasChanged) break;
      outcome = await subscriptions.read(caller, res, () => admitAgain().then(work));
    }
    return outcome;
  };
}

/** Whether a response has nothing that the client lacks. */
function isEmptyFor(
  operation: Operation,
  exchange: Exchange,
  { status, headers = {}, body }: AnyOutput,
  isEmpty: (body: unknown) => boolean,
): boolean {
  const hasTag = exchange.req.headers["if-none-match"] !== undefined && "ETag" in headers;
  return hasTag ? isUnchanged(operation, exchange, headers as ResponseHeaders, status) : isEmpty(body);
}
