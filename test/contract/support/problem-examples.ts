import type { OperationId } from "../../../src/contract/contract.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import type { Body } from "../../support/client.ts";
import { declaredResponse, operations, rawOperation } from "../../support/contract.ts";

/** A problem in a response of an operation. `name` is the name of the example, which is the problem code. */
export type ProblemExample = {
  readonly operation: Operation;
  readonly status: string;
  readonly name: string;
  readonly value: Body;
};

export const problemExamples: readonly ProblemExample[] = operations.flatMap((operation) =>
  Object.keys(rawOperation(operation).responses).flatMap((status) => {
    const media = declaredResponse(operation, status)!.content["application/problem+json"];
    return Object.entries(media?.examples ?? {}).map(([name, { value }]) => ({ operation, status, name, value }));
  }),
);

/** Operations share responses with their examples. Examples with the same text count as one. */
export const textOf = ({ value }: ProblemExample): string => JSON.stringify(value);

export function findProblemExample(operationId: OperationId, name: string): ProblemExample {
  const example = problemExamples.find((it) => it.operation.id === operationId && it.name === name);
  if (example === undefined) throw new Error(`${operationId} has no problem example ${name}: correct or remove its provocation.`);
  return example;
}

/** The operations that have a problem example of this name. */
export const showing = (name: string): readonly Operation[] =>
  problemExamples.filter((it) => it.name === name).map((it) => it.operation);
