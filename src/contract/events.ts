import type { Scope } from "#generated/operations.ts";
import type { EventBody, EventType } from "./contract.ts";

/** An event as it was stored: the ids of what it tells of, and the user whose endpoint gets it. */
export type StoredEvent = {
  readonly ownerId: string;
  readonly ids: unknown;
  /** Whether the endpoint has the scope of the event, so that the data can have the resource. */
  readonly mayRead: boolean;
};

/**
 * Makes the data of an event from the ids, when it is sent. The resource is read as its user can read it then, so that nothing is sent
 * that was deleted, or that the user can't read any more.
 */
export type Sender<Type extends EventType, Env> = {
  /** The scope that reads the resource; null if the data has none. */
  readonly scope: Scope | null;
  readonly data: (env: Env, event: StoredEvent) => Promise<EventBody<Type>["data"]>;
};

/** The senders of all events of the contract: a missing, extra, renamed or wrongly typed sender does not compile. */
export type Senders<Env> = { readonly [Type in EventType]: Sender<Type, Env> };
