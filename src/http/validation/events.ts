import type { EventType } from "../../contract/contract.ts";
import { withClosedSchemas, type Contract } from "../../contract/bundle.ts";
import type { Operation } from "../../contract/operations.ts";
import { openLibrary } from "./library.ts";
import { ResponseMismatch } from "./response-mismatch.ts";

const STATUS = 200;

/** Creates the validation of events, with closed schemas like that of responses. Throws a ResponseMismatch. */
export function createEventValidation(contract: Contract): (type: EventType, body: unknown) => void {
  // Opened for the first event, because it takes a tenth of the start, and many processes send no event.
  let validations: ReturnType<typeof openValidations> | undefined;
  return (type, body) => {
    const validation = (validations ??= openValidations(contract)).get(type);
    if (validation === undefined) throw new Error(`The contract has no event ${type}.`);
    if (validation.accepts(STATUS, body)) return;
    try {
      validation.validate(STATUS, body);
    } catch (error) {
      throw new ResponseMismatch(error);
    }
  };
}

/** The validations by event type. Each webhook becomes a path whose response has the body of the event. */
function openValidations(contract: Contract) {
  const described = Object.entries(contract.webhooks ?? {}).map(([type, { post }]) => {
    const { operationId, requestBody } = post as unknown as { readonly operationId: string; readonly requestBody: object };
    return { type, path: `/${type}`, id: operationId, item: { get: { operationId, responses: { [STATUS]: requestBody } } } };
  });
  const paths = Object.fromEntries(described.map(({ path, item }) => [path, item]));
  const library = openLibrary(withClosedSchemas({ ...contract, paths }));
  return new Map(
    described.map(({ type, path, id }) => [type, library.response({ id, method: "get", path } as unknown as Operation)]),
  );
}
