import type { Scope } from "#generated/operations.ts";
import type { EventBody, EventType } from "./contract.ts";

/** A stored event: the ids of its resources, and the owner of the endpoint. */
export type StoredEvent = {
  readonly ownerId: string;
  readonly ids: unknown;
  /** Whether the endpoint has the scope for the resource in the data. */
  readonly mayRead: boolean;
};

/** Reads the data of an event when it is sent, with the access that the user then has, so that deleted data is never sent. */
export type EventSource<Type extends EventType, Env> = {
  /** The scope for the resource in the data; null without a resource. */
  readonly scope: Scope | null;
  readonly data: (env: Env, event: StoredEvent) => Promise<EventBody<Type>["data"]>;
};

/** The sources of all events of the contract. A missing, extra, renamed or wrongly typed source does not compile. */
export type EventSources<Env> = { readonly [Type in EventType]: EventSource<Type, Env> };
