import type { Handlers } from "./contract/contract.ts";
import { everyOperation } from "./contract/operations.ts";
import type { Database } from "./database/client.ts";
import type { LogPosition, Replica, Replicas } from "./database/replicas.ts";
import { Failure } from "./failure.ts";
import type { Cursors } from "./lists/cursor.ts";

type Store = Pick<Database, "db" | "pool">;
type Outcome = { readonly headers?: object };
/** A handler of any operation, with only the types that are needed here. */
type AnyHandler = (input: unknown) => Promise<Outcome>;
type Parts = { readonly primary: Store; readonly replicas: Replicas; readonly cursors: Cursors };

/** An operation with this header as a parameter can read a replica; one with it in its responses returns a token. */
const TOKEN = "Consistency-Token";
const CONTEXT = { consistency: "position" };

/**
 * Makes the handlers once for the primary and once for each replica. A read with a token goes to a replica that has the state
 * of the token, and everything else to the primary, as does a read that a replica fails. Without replicas, there are no tokens.
 */
export function withReplicas(handlersOf: (store: Store) => Handlers, { primary, replicas, cursors }: Parts): Handlers {
  const handlers = handlersOf(primary);
  if (replicas.all.length === 0) return handlers;
  const copies = replicas.all.map((replica) => ({ replica, handlers: handlersOf(replica) }));
  let turn = 0;

  const routed = everyOperation.map(({ id, headerParameters, responseHeaders }) => {
    const onPrimary = handlers[id] as AnyHandler;
    if (!responseHeaders.includes(TOKEN)) return [id, onPrimary];
    const mayReadReplica = headerParameters.includes(TOKEN);
    const handle: AnyHandler = async (input) => {
      const known = mayReadReplica ? knownIn(input) : null;
      const { replica, handlers: ofReplica } = copies[turn++ % copies.length]!;
      if (known !== null) {
        const outcome = await readReplica(replica, known, () => (ofReplica[id] as AnyHandler)(input));
        if (outcome !== null) return outcome;
      }
      const outcome = await onPrimary(input);
      // The request has succeeded, so a failure here must not hide that. A client without a token reads the latest state.
      const position = await replicas.position().catch(() => null);
      return position === null ? outcome : tokened(outcome, Math.max(position, known ?? 0));
    };
    return [id, handle];
  });
  return Object.fromEntries(routed) as Handlers;

  /** What a replica returns; null if it is behind, or away. */
  async function readReplica(replica: Replica, known: LogPosition, read: () => Promise<Outcome>): Promise<Outcome | null> {
    try {
      if (!(await replica.has(known))) return null;
      const outcome = await read();
      // It may have replayed more since, and a later read must not return less.
      return tokened(outcome, Math.max(await replica.position(), known));
    } catch (error) {
      if (error instanceof Failure && error.code !== "unavailable") throw error;
      replica.suspect(error);
      return null;
    }
  }

  function tokened(outcome: Outcome, position: LogPosition): Outcome {
    return { ...outcome, headers: { ...outcome.headers, [TOKEN]: cursors.encode(CONTEXT, [position]) } };
  }

  /** The newest position in the tokens of a request; null if there is none, or if one of them can't be read. */
  function knownIn(input: unknown): LogPosition | null {
    const given = (input as { readonly header: Readonly<Record<string, unknown>> }).header[TOKEN];
    if (typeof given !== "string") return null;
    try {
      return Math.max(...given.split(",").map((it) => Number(cursors.decode(CONTEXT, TOKEN, it.trim())[0])));
    } catch {
      return null;
    }
  }
}
