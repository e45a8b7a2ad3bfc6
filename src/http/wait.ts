import { releaseInFlight } from "../limits/in-flight.ts";
import type { AnyOutput } from "../contract/contract.ts";
import type { Operation } from "../contract/operations.ts";
import type { WaitingRoom } from "../long-poll/waiting-room.ts";
import type { Wait, Waits } from "../long-poll/waits.ts";
import type { ResponseHeaders } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { isUnchanged } from "./respond.ts";

/** Does the work of a request in its turn. Null if the client disconnects before. */
type Work = () => Promise<AnyOutput | null>;

/** What each operation waits for, and where. */
export type WaitingParts = { readonly waits: Waits; readonly room: WaitingRoom };

/** The input of an operation with the parameter. */
type Input = { readonly query: { readonly wait?: number } };
type AnyWait = (input: Input) => Wait<unknown>;

/**
 * Creates the function that does the work of a request, and does it again each time that something has changed, until there is
 * something new or its time is over. While it waits, it holds no permit of the requests in flight. `admitAgain` throws if the
 * caller has no access any more. Returns null if the client has disconnected.
 */
export function createWait(operation: Operation, parts?: WaitingParts) {
  const waitOf = (parts?.waits as Readonly<Record<string, unknown>> | undefined)?.[operation.id] as AnyWait | undefined;
  if (parts === undefined || waitOf === undefined)
    return (_exchange: Exchange, _caller: string, _input: Input, work: Work) => work();
  const { room } = parts;
  return async (exchange: Exchange, caller: string, input: Input, work: Work, admitAgain: () => Promise<void>) => {
    const { wait: seconds = 0 } = input.query;
    if (seconds === 0) return work();
    const { res, record } = exchange;
    const { topic, isNothing } = waitOf(input);
    const untilMs = performance.now() + seconds * 1_000;
    // It enters before the first look, so that nothing is missed between that and the wait.
    using entry = room.enter(caller, topic);
    let outcome = await work();
    while (entry !== null && outcome !== null && hasNothing(operation, exchange, outcome, isNothing)) {
      releaseInFlight(res);
      const startedMs = performance.now();
      const hasChanged = await entry.changed(untilMs, res);
      record.waitedMs += performance.now() - startedMs;
      if (res.closed) return null;
      if (!hasChanged) break;
      outcome = await room.read(caller, res, () => admitAgain().then(work));
    }
    return outcome;
  };
}

/** Whether a response would tell the client nothing that it doesn't have. */
function hasNothing(
  operation: Operation,
  exchange: Exchange,
  { status, headers = {}, body }: AnyOutput,
  isNothing: (body: unknown) => boolean,
): boolean {
  const hasTag = exchange.req.headers["if-none-match"] !== undefined && "ETag" in headers;
  return hasTag ? isUnchanged(operation, exchange, headers as ResponseHeaders, status) : isNothing(body);
}
