import type { OperationId } from "../../../src/contract/contract.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import type { Body, Client } from "../client.ts";
import type { StubbedService } from "../stub-handlers.ts";
import { showing } from "../problem-examples.ts";
import type { People } from "../resources.ts";
import type { TestService } from "../service.ts";

/** What a provocation may use: the ordinary service with people in it, and three in which something is wrong. */
export type Services = {
  readonly service: TestService;
  readonly people: People;
  /** A user of the ordinary service whose credential has no scope at all. */
  readonly powerless: Client;
  /** Every quota is one request. */
  readonly thrifty: TestService;
  /** It takes one request at a time, and has that one. */
  readonly crowded: StubbedService;
  /** Every handler fails. */
  readonly broken: StubbedService;
};

export type Refusal = { readonly status: number; readonly body: Body };

/** A request that must lead to a problem that an operation shows. */
export type Provocation = {
  readonly operation: OperationId;
  readonly example: string;
  /** The parts of a detail that depend on the operation or on the moment; they are not compared, everything around them is. */
  readonly varies?: RegExp;
  /** Whether the service waits for some seconds before it refuses; all that do are provoked at once, at the beginning. */
  readonly waits?: true;
  readonly provoke: (services: Services) => Promise<Refusal>;
};

/** The same provocation in every operation that shows the example, or in those that are wanted. */
export function everywhere(
  example: string,
  provoke: (services: Services, operation: Operation) => Promise<Refusal>,
  { varies, only = () => true }: { varies?: RegExp; only?: (operation: Operation) => boolean } = {},
): Provocation[] {
  return showing(example)
    .filter(only)
    .map((operation) => ({
      operation: operation.id,
      example,
      ...(varies === undefined ? {} : { varies }),
      provoke: (services) => provoke(services, operation),
    }));
}

export const takesJson = ({ body }: Operation): boolean => body === "application/json";
