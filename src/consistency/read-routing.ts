import type { ProblemCode } from "#generated/problems.ts";
import type { AnyHandler, AnyOutput, Handlers } from "../contract/contract.ts";
import { everyOperation, type Operation } from "../contract/operations.ts";
import type { Connections } from "../database/client.ts";
import type { LogPosition } from "../database/replicas/log-position.ts";
import type { Replica, Replicas } from "../database/replicas/replicas.ts";
import { Failure } from "../failure.ts";
import type { Cursors } from "../pagination/cursor.ts";

/** Whether the user of a request currently has access, according to the primary. */
type HasAccess = (input: never) => Promise<boolean>;
/** By the problem code that the contract declares for users without access. */
type AccessChecks = Readonly<Partial<Record<ProblemCode, HasAccess>>>;
/** The databases, the encoding of tokens, and the access checks. */
type Sources = {
  readonly primary: Connections;
  readonly replicas: Replicas;
  readonly cursors: Cursors;
  readonly checks: AccessChecks;
};

/** Operations with this header parameter can read replicas. */
const TOKEN = "Consistency-Token";
const CONTEXT = { consistency: "position" };
/** Requests with more tokens read the primary. */
const TOKENS_MAX = 100;
/** A position that no replica has. */
const ONLY_ON_PRIMARY: LogPosition = { history: "", bytes: 0 };
/** The outcomes for strangers of resources whose access never changes: owners stay, and every user can read a post. */
const NEVER_LOST: readonly (string | undefined)[] = [undefined, "allowed", "not_found"];

/**
 * Creates the handlers for the primary and each replica. A read with a token uses a replica with the state of the token, if the user still
 * has access on the primary. All other requests use the primary, and so does a read that a replica refuses.
 * With replicas, each response has a token, problems included, because they depend on the state, too.
 */
export function withReplicas(
  handlersOf: (store: Connections) => Handlers,
  { primary, replicas, cursors, checks }: Sources,
): Handlers {
  const handlers = handlersOf(primary);
  if (replicas.all.length === 0) return handlers;
  const copies = replicas.all.map((replica) => ({ replica, handlers: handlersOf(replica) }));
  let next = 0;
  return Object.fromEntries(everyOperation.map((operation) => [operation.id, routed(operation)])) as Handlers;

  function routed(operation: Operation): AnyHandler {
    const { id, scopes, headerParameters } = operation;
    const primaryHandler = handlers[id] as AnyHandler;
    if (scopes === null) return primaryHandler;
    if (!headerParameters.includes(TOKEN)) return (input) => onPrimary(() => primaryHandler(input));
    const hasAccess = accessCheck(operation, checks);
    return async (input) => {
      const required = tokenIn(cursors, input);
      const { replica, handlers: ofReplica } = copies[next++ % copies.length]!;
      const read = required && (await readReplica(replica, required, hasAccess, ofReplica[id] as AnyHandler, input));
      return read ? withToken(cursors, read.output, read.position) : onPrimary(() => primaryHandler(input));
    };
  }

  /** The output of the primary, with a token for its state. */
  async function onPrimary(work: () => Promise<AnyOutput>): Promise<AnyOutput> {
    try {
      return withToken(cursors, await work(), await current());
    } catch (error) {
      if (!(error instanceof Failure) || error.code === "unavailable") throw error;
      throw error.with({ consistencyToken: tokenOf(cursors, await current()) });
    }
  }

  /** Never rejects, because the request has succeeded. Without a position, the next request reads the primary. */
  function current(): Promise<LogPosition> {
    return replicas.position().catch(() => ONLY_ON_PRIMARY);
  }
}

/** The output of a replica, and its position; null if the primary has to serve the request. A refusal may only mean that the replica lags. */
async function readReplica(
  replica: Replica,
  required: LogPosition,
  hasAccess: HasAccess,
  handle: AnyHandler,
  input: unknown,
): Promise<{ readonly output: AnyOutput; readonly position: LogPosition } | null> {
  try {
    if (!(await replica.has(required)) || !(await hasAccess(input as never).catch(() => false))) return null;
    const output = await handle(input);
    // The replica may have replayed more since, and a later read must not return less. A replacement server can have less.
    const position = await replica.position();
    return position.history === required.history && position.bytes >= required.bytes ? { output, position } : null;
  } catch (error) {
    if (!(error instanceof Failure)) replica.markUnhealthy(error);
    return null;
  }
}

const tokenOf = (cursors: Cursors, { history, bytes }: LogPosition): string => cursors.of(CONTEXT).encode([history, bytes]);

const withToken = (cursors: Cursors, output: AnyOutput, position: LogPosition): AnyOutput => ({
  ...output,
  headers: { ...output.headers, [TOKEN]: tokenOf(cursors, position) },
});

/** The input that determines where a request can read. */
type ReadInput = { readonly header: Readonly<Record<string, unknown>>; readonly query: { readonly wait?: number } };

/**
 * The newest position in the tokens of a request; null without a token, or if a token is invalid or has another history. Null for long
 * polling, because a replica may lack the change that ends the wait.
 */
function tokenIn(cursors: Cursors, input: unknown): LogPosition | null {
  const { header, query } = input as ReadInput;
  const value = header[TOKEN];
  if (typeof value !== "string" || (query.wait ?? 0) > 0) return null;
  const tokens = value.split(",", TOKENS_MAX + 1);
  if (tokens.length > TOKENS_MAX) return null;
  try {
    const positions = tokens.map((it) => cursors.of(CONTEXT).decode(TOKEN, it.trim()));
    const history = String(positions[0]![0]);
    if (positions.some((it) => it[0] !== history)) return null;
    return { history, bytes: Math.max(...positions.map((it) => Number(it[1]))) };
  } catch {
    return null;
  }
}

/** Throws at the start for a kind of access without a check that is not in `NEVER_LOST`. */
function accessCheck({ id, access }: Operation, checks: AccessChecks): HasAccess {
  const outcome = access["stranger"];
  if (NEVER_LOST.includes(outcome)) return async () => true;
  const check = checks[outcome as ProblemCode];
  if (check === undefined) throw new Error(`${id} needs a check of access for "${outcome}", so that it can read replicas.`);
  return check;
}
