import type { ProblemCode } from "#generated/problems.ts";
import type { AnyHandler, AnyOutput, Handlers } from "../contract/contract.ts";
import { everyOperation, type Operation } from "../contract/operations.ts";
import type { Connections } from "../database/client.ts";
import type { LogPosition } from "../database/replicas/log-position.ts";
import type { Replica, Replicas } from "../database/replicas/replicas.ts";
import { Failure } from "../failure.ts";
import type { Cursors } from "../pagination/cursor.ts";

/** Whether the user of a request has access at present, according to the primary. */
type HasAccess = (input: never) => Promise<boolean>;
/** How users can lose their access to a resource, by what the contract then returns. */
type AccessChecks = Readonly<Partial<Record<ProblemCode, HasAccess>>>;
/** Where the state of the service can be read, and how requests and responses name a state. */
type Sources = {
  readonly primary: Connections;
  readonly replicas: Replicas;
  readonly cursors: Cursors;
  readonly checks: AccessChecks;
};

/** An operation with this header as a parameter can read a replica. */
const TOKEN = "Consistency-Token";
const CONTEXT = { consistency: "position" };
/** A request with more tokens reads the primary. */
const TOKENS_MAX = 100;
/** No replica has this state. */
const ONLY_ON_PRIMARY: LogPosition = { history: "", bytes: 0 };
/** What strangers get where nobody loses access: the owner of a resource never changes, and every user can read a post. */
const NEVER_LOST: readonly (string | undefined)[] = [undefined, "allowed", "not_found"];

/**
 * Makes the handlers once for the primary and once for each replica. A read with a token goes to a replica that has the state
 * of the token, if the user still has access on the primary. Everything else goes to the primary, as does a read that a replica
 * fails or refuses. Each response then has a token, problems included, because they tell something of the state, too. Without
 * replicas, there are no tokens.
 */
export function withReplicas(
  handlersOf: (store: Connections) => Handlers,
  { primary, replicas, cursors, checks }: Sources,
): Handlers {
  const handlers = handlersOf(primary);
  if (replicas.all.length === 0) return handlers;
  const copies = replicas.all.map((replica) => ({ replica, handlers: handlersOf(replica) }));
  let turn = 0;
  return Object.fromEntries(everyOperation.map((operation) => [operation.id, routed(operation)])) as Handlers;

  function routed(operation: Operation): AnyHandler {
    const { id, scopes, headerParameters } = operation;
    const onPrimary = handlers[id] as AnyHandler;
    if (scopes === null) return onPrimary;
    if (!headerParameters.includes(TOKEN)) return (input) => answer(() => onPrimary(input));
    const hasAccess = accessCheck(operation, checks);
    return async (input) => {
      const known = knownIn(cursors, input);
      const { replica, handlers: ofReplica } = copies[turn++ % copies.length]!;
      const read = known && (await readReplica(replica, known, hasAccess, ofReplica[id] as AnyHandler, input));
      return read ? tokened(cursors, read.output, read.position) : answer(() => onPrimary(input));
    };
  }

  /** The output of the primary, with a token for its state. */
  async function answer(work: () => Promise<AnyOutput>): Promise<AnyOutput> {
    try {
      return tokened(cursors, await work(), await current());
    } catch (error) {
      if (!(error instanceof Failure) || error.code === "unavailable") throw error;
      throw error.with({ consistencyToken: tokenOf(cursors, await current()) });
    }
  }

  /** A request that has succeeded must not fail here. Without a position, its client reads the primary the next time. */
  function current(): Promise<LogPosition> {
    return replicas.position().catch(() => ONLY_ON_PRIMARY);
  }
}

/** What a replica returns, and its state; null if it must not or can't answer. What it refuses, it may only not know yet. */
async function readReplica(
  replica: Replica,
  known: LogPosition,
  hasAccess: HasAccess,
  handle: AnyHandler,
  input: unknown,
): Promise<{ readonly output: AnyOutput; readonly position: LogPosition } | null> {
  try {
    if (!(await replica.has(known)) || !(await hasAccess(input as never).catch(() => false))) return null;
    const output = await handle(input);
    // It may have replayed more since, and a later read must not return less. Another server in its place can have less.
    const position = await replica.position();
    return position.history === known.history && position.bytes >= known.bytes ? { output, position } : null;
  } catch (error) {
    if (!(error instanceof Failure)) replica.markUnhealthy(error);
    return null;
  }
}

const tokenOf = (cursors: Cursors, { history, bytes }: LogPosition): string => cursors.encode(CONTEXT, [history, bytes]);

const tokened = (cursors: Cursors, output: AnyOutput, position: LogPosition): AnyOutput => ({
  ...output,
  headers: { ...output.headers, [TOKEN]: tokenOf(cursors, position) },
});

/** What tells where a request can read. */
type ReadInput = { readonly header: Readonly<Record<string, unknown>>; readonly query: { readonly wait?: number } };

/**
 * The newest state in the tokens of a request; null if there is none, if one can't be read, or if they can't be compared. A request
 * that waits has none: a replica may lack what has ended the wait.
 */
function knownIn(cursors: Cursors, input: unknown): LogPosition | null {
  const { header, query } = input as ReadInput;
  const given = header[TOKEN];
  if (typeof given !== "string" || (query.wait ?? 0) > 0) return null;
  const tokens = given.split(",", TOKENS_MAX + 1);
  if (tokens.length > TOKENS_MAX) return null;
  try {
    const states = tokens.map((it) => cursors.decode(CONTEXT, TOKEN, it.trim()));
    const history = String(states[0]![0]);
    if (states.some((it) => it[0] !== history)) return null;
    return { history, bytes: Math.max(...states.map((it) => Number(it[1]))) };
  } catch {
    return null;
  }
}

/** A new kind of access needs a check, or a line above that says that nobody loses it. */
function accessCheck({ id, access }: Operation, checks: AccessChecks): HasAccess {
  const outcome = access["stranger"];
  if (NEVER_LOST.includes(outcome)) return async () => true;
  const check = checks[outcome as ProblemCode];
  if (check === undefined)
    throw new Error(`Nobody says how a user loses access to ${id} (${outcome}), so no replica can be read.`);
  return check;
}
