import { ask, exampleRequest } from "../../support/example-requests.ts";
import { missingIds } from "../../support/resources.ts";
import { everywhere, type Provocation } from "./provocation.ts";

/** The credential is missing or insufficient, or there are too many requests. */
export const callerProvocations: readonly Provocation[] = [
  ...everywhere("unauthenticated", ({ service }, operation) =>
    ask(service.anonymous(), exampleRequest(operation, missingIds(operation))),
  ),
  ...everywhere("invalid_token", ({ service }, operation) =>
    ask(service.anonymous("Bearer plumb_unknown"), exampleRequest(operation, missingIds(operation))),
  ),
  ...everywhere("insufficient_scope", ({ powerless }, operation) =>
    ask(powerless, exampleRequest(operation, missingIds(operation))),
  ),
  // The limits of this service have the usual names, but other numbers.
  ...everywhere(
    "rate_limited",
    async ({ thrifty }, operation) => {
      const caller = operation.scopes === null ? thrifty.anonymous() : await thrifty.as();
      const request = () => ask(caller, exampleRequest(operation, missingIds(operation)));
      await request();
      return request();
    },
    { varies: /\d+/g },
  ),
];
