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
  // Opened for the first event, because it takes a tenth of a start, and many processes never send one.
  let opened: ReturnType<typeof openValidations> | undefined;
  return (type, body) => {
    const validation = (opened ??= openValidations(contract)).get(type);
    if (validation === undefined) throw new Error(`The contract has no event ${type}.`);
    if (validation.accepts(STATUS, body)) return;
    try {
      validation.validate(STATUS, body);
    } catch (error) {
      throw new ResponseMismatch(error);
    }
  };
}

/** By the type of an event. Each webhook becomes a path with a response, whose body is that of the event. */
function openValidations(contract: Contract) {
  const described = Object.entries(contract.webhooks ?? {}).map(([type, { post }]) => {
    const { operationId, requestBody } = post as unknown as { readonly operationId: string; readonly requestBody: object };
    return { type, path: `/${type}`, id: operationId, item: { get: { operationId, responses: { [STATUS]: requestBody } } } };
  });
  const paths = Object.fromEntries(described.map(({ path, item }) => [path, item]));
  const library = openLibrary(sealed({ ...contract, paths }));
  return new Map(
    described.map(({ type, path, id }) => [type, library.response({ id, method: "get", path } as unknown as Operation)]),
  );
}
