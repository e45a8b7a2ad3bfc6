import { findProblemExample, problemExamples, textOf, type ProblemExample } from "../support/problem-examples.ts";
import { callerProvocations } from "./callers.ts";
import { protocolProvocations } from "./protocol.ts";
import type { Provocation } from "./provocation.ts";
import { requestProvocations } from "./requests.ts";
import { resourceProvocations } from "./resources.ts";
import { troubleProvocations } from "./trouble.ts";

/** A provocation of every problem example of every operation. */
export const provocations: readonly Provocation[] = [
  ...protocolProvocations,
  ...callerProvocations,
  ...requestProvocations,
  ...resourceProvocations,
  ...troubleProvocations,
];

/**
 * The problem examples in the contract that nothing here provokes. The examples in `default` are of requests that reach no
 * operation, so one provocation of each is enough.
 */
export function unprovoked(): readonly ProblemExample[] {
  const keyOf = (it: ProblemExample) => (it.status === "default" ? textOf(it) : `${it.operation.id} ${it.name}`);
  const provoked = new Set(provocations.map((it) => keyOf(findProblemExample(it.operation, it.example))));
  return problemExamples.filter((it) => !provoked.has(keyOf(it)));
}
