import { ask, exampleRequest } from "../example-requests.ts";
import { missingIds } from "../resources.ts";
import { everywhere, type Provocation } from "./provocation.ts";

/** Nothing is wrong with the request, and the service cannot answer it. */
export const troubleProvocations: readonly Provocation[] = [
  ...everywhere("internal_error", ({ broken }, operation) =>
    ask(broken.caller, exampleRequest(operation, missingIds(operation))),
  ),
  // Health is asked for in an overload above all, and is not refused for it.
  ...everywhere(
    "unavailable",
    ({ crowded }, operation) => ask(crowded.caller, exampleRequest(operation, missingIds(operation))),
    { only: (it) => it.id !== "getHealth" },
  ),
];
