import type { OperationId } from "../../../src/contract/contract.ts";
import type { Answer, Client } from "../../support/client.ts";
import { operations } from "../../support/contract.ts";
import { bodyExamples } from "../../support/example-requests.ts";
import type { TestService } from "../../support/service.ts";

/** The responses of a part of the story, by the operation and the name of the example that they must match. */
export type ExampleAnswers = Readonly<Record<string, Answer>>;

/** The three users of the examples. */
export type Users = { readonly service: TestService; readonly mara: Client; readonly tomas: Client; readonly yuki: Client };

/** The body of a request example, unchanged. */
export function shownBody(id: OperationId, name: string): object {
  const shown = bodyExamples(operations.find((it) => it.id === id)!)[name];
  if (shown === undefined) throw new Error(`${id} has no request example ${name}.`);
  return shown.value as object;
}
