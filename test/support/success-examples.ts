import type { Operation } from "../../src/contract/operations.ts";
import type { Body } from "./client.ts";
import { declaredResponse, operations, rawOperation } from "./contract.ts";

/** A success example in a response of an operation. `key` is the operation and the name of the example. */
export type SuccessExample = {
  readonly key: string;
  readonly operation: Operation;
  readonly status: number;
  readonly value: Body;
};

export const successExamples: readonly SuccessExample[] = operations.flatMap((operation) =>
  Object.keys(rawOperation(operation).responses)
    .filter((it) => it.startsWith("2"))
    .flatMap((status) =>
      Object.values(declaredResponse(operation, status)!.content).flatMap(({ examples = {} }) =>
        Object.entries(examples).map(([name, { value }]) => ({
          key: `${operation.id} ${name}`,
          operation,
          status: Number(status),
          value,
        })),
      ),
    ),
);
