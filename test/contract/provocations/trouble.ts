import { ask, exampleRequest } from "../../support/example-requests.ts";
import { missingIds } from "../../support/resources.ts";
import { everywhere, provoked, type Provocation } from "./provocation.ts";

/** The request is valid, but the service can't process it. */
export const troubleProvocations: readonly Provocation[] = [
  ...everywhere("internal_error", ({ broken }, operation) =>
    ask(broken.caller, exampleRequest(operation, missingIds(operation))),
  ),
  provoked("getHealth", "unavailable", ({ severed }) => severed.anonymous()("GET", "/health")),
  // The service doesn't refuse health checks under overload, because that is when clients need them most.
  ...everywhere(
    "unavailable",
    ({ crowded }, operation) => ask(crowded.caller, exampleRequest(operation, missingIds(operation))),
    { only: (it) => it.id !== "getHealth" },
  ),
];
