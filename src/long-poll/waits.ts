import type { Input, OperationId, Output } from "../contract/contract.ts";
import type { Topic } from "./topics.ts";

/** The operations with the parameter `wait`. */
export type WaitingOperationId = { [Id in OperationId]: "wait" extends keyof Input<Id>["query"] ? Id : never }[OperationId];

type BodyOf<Id extends OperationId> = Extract<Output<Id>, { readonly status: 200 }>["body"];

/** What a request waits for. */
export type Wait<Body> = {
  /** Changes when there can be something new. */
  readonly topic: Topic;
  /** Whether a response has nothing for a client that sends no `If-None-Match`. */
  readonly isNothing: (body: Body) => boolean;
};

/** What each operation with the parameter `wait` waits for. One that is missing does not compile. */
export type Waits = { readonly [Id in WaitingOperationId]: (input: Input<Id>) => Wait<BodyOf<Id>> };
