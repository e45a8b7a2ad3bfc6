import type { OperationId } from "../../../src/contract/contract.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import type { Body, Client } from "../../support/client.ts";
import type { StubbedService } from "../../support/stub-handlers.ts";
import { showing } from "../support/problem-examples.ts";
import type { People } from "../../support/resources.ts";
import type { TestService } from "../../support/service.ts";

/** What a provocation can use: the ordinary service with its users, and four services with a fault. */
export type Services = {
  readonly service: TestService;
  readonly people: People;
  /** A user of the ordinary service whose credential has no scopes. */
  readonly powerless: Client;
  /** A service whose rate limits allow one request, and that has no directory of its users. */
  readonly thrifty: TestService;
  /** A service that can take one request at a time, and has one. */
  readonly crowded: StubbedService;
  /** A service whose handlers all fail. */
  readonly broken: StubbedService;
  /** A service whose database is away. */
  readonly severed: TestService;
};

export type Refusal = { readonly status: number; readonly body: Body };

/** A request that must cause a problem that an operation has as an example. */
export type Provocation = {
  readonly operation: OperationId;
  readonly example: string;
  /** The parts of the detail that depend on the operation or on the time. The comparison ignores only these parts. */
  readonly varies?: RegExp;
  /** Whether the service waits for some seconds before it refuses. All such provocations start at the beginning, at once. */
  readonly waits?: true;
  readonly provoke: (services: Services) => Promise<Refusal>;
};

type Options = Pick<Provocation, "varies" | "waits">;

/** A provocation of an example of one operation. */
export const provoked = (
  operation: OperationId,
  example: string,
  provoke: Provocation["provoke"],
  options: Options = {},
): Provocation => ({ operation, example, provoke, ...options });

/** The same provocation for every operation with the example, or only for those that `only` selects. */
export const everywhere = (
  example: string,
  provoke: (services: Services, operation: Operation) => Promise<Refusal>,
  { only = () => true, ...options }: Options & { only?: (operation: Operation) => boolean } = {},
): Provocation[] =>
  showing(example)
    .filter(only)
    .map((operation) => provoked(operation.id, example, (services) => provoke(services, operation), options));

export const takesJson = ({ body }: Operation): boolean => body === "application/json";
