import type { Input, OperationId, Output } from "../contract/contract.ts";
import type { Topic } from "./topics.ts";

/** The operations with the parameter `wait`. */
export type WaitingOperationId = { [Id in OperationId]: "wait" extends keyof Input<Id>["query"] ? Id : never }[OperationId];

type BodyOf<Id extends OperationId> = Extract<Output<Id>, { readonly status: 200 }>["body"];

/** How a request waits. */
export type Wait<Body> = {
  /** The topic that is published when the response can have changed. */
  readonly topic: Topic;
  /** Whether a response is empty for a client that sends no `If-None-Match`. */
  readonly isEmpty: (body: Body) => boolean;
};

/** How the requests of each operation with the parameter `wait` wait. A missing operation does not compile. */
export type Waits = { readonly [Id in WaitingOperationId]: (input: Input<Id>) => Wait<BodyOf<Id>> };
