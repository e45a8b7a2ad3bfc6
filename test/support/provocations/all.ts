import { findProblemExample, problemExamples, textOf, type ProblemExample } from "../problem-examples.ts";
import { callerProvocations } from "./callers.ts";
import { protocolProvocations } from "./protocol.ts";
import type { Provocation } from "./provocation.ts";
import { requestProvocations } from "./requests.ts";
import { resourceProvocations } from "./resources.ts";
import { troubleProvocations } from "./trouble.ts";

/** A provocation of every problem example in the contract. If all operations have the example, there is one for each of them. */
export const provocations: readonly Provocation[] = [
  ...protocolProvocations,
  ...callerProvocations,
  ...requestProvocations,
  ...resourceProvocations,
  ...troubleProvocations,
];

/** The problem examples in the contract that nothing here provokes. */
export function unprovoked(): readonly ProblemExample[] {
  const provoked = new Set(provocations.map((it) => textOf(findProblemExample(it.operation, it.example))));
  return problemExamples.filter((it) => !provoked.has(textOf(it)));
}
