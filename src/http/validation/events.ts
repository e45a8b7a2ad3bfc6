import type { EventType } from "../../contract/contract.ts";
import { sealed, type Contract } from "../../contract/bundle.ts";
import type { Operation } from "../../contract/operations.ts";
import { openLibrary } from "./library.ts";
import { ResponseMismatch } from "./response-mismatch.ts";

const STATUS = 200;

/**
 * Creates the validation of events, by the same library and with the same closed schemas as that of responses: the body of an event
 * is what a webhook sends, as that of a response is what an operation sends. Throws an error for what doesn't match the contract.
 */
export function createEventValidation(contract: Contract): (type: EventType, body: unknown) => void {
  const entries = Object.entries(contract.webhooks ?? {});
  const paths = entries.map(([type, { post }]) => {
    const { operationId, requestBody } = post as unknown as { readonly operationId: string; readonly requestBody: object };
    return [`/${type}`, { get: { operationId, responses: { [STATUS]: { ...requestBody } } } }] as const;
  });
  const library = openLibrary(sealed({ ...contract, paths: Object.fromEntries(paths) }));
  const validations = new Map(
    paths.map(([path, { get }]) => [
      path.slice(1),
      library.response({ id: get.operationId, method: "get", path } as unknown as Operation),
    ]),
  );
  return (type, body) => {
    const validation = validations.get(type);
    if (validation === undefined) throw new Error(`The contract has no event ${type}.`);
    if (validation.accepts(STATUS, body)) return;
    try {
      validation.validate(STATUS, body);
    } catch (error) {
      throw new ResponseMismatch(error);
    }
  };
}
