import { resolve, withClosedSchemas, withOpenSchemas, type Contract } from "../../contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../contract/operations.ts";
import { Failure } from "../../failure.ts";
import type { Exchange } from "../exchange.ts";
import { parseQuery } from "../plain-values.ts";
import { openLibrary, type Library } from "./library.ts";
import { refusalOf, schemaAt } from "./refusal.ts";
import { ResponseMismatch } from "./response-mismatch.ts";

/** The headers and the query of a request. */
type RequestHead = { readonly req: Pick<Exchange["req"], "headers">; readonly search: string };

/** Validates the requests and the responses of an operation. */
export type Validation = ReturnType<typeof createValidation>;
export type Enforcement = (operation: Operation) => Validation;

const libraries = new WeakMap<Contract, Library>();

/** The library of a contract. Cached, because it takes most of the start, and tests start hundreds of services. */
function strictLibrary(contract: Contract): Library {
  const library = libraries.get(contract) ?? openLibrary(withClosedSchemas(contract));
  libraries.set(contract, library);
  return library;
}

/**
 * Creates the validation of all operations. Compiled schemas accept valid input, and the full validator describes the errors of all other
 * input. Throws an error if an operation is not in the contract, or if the library accepts an invalid request or response.
 */
export function createEnforcement(contract: Contract, operations: readonly Operation[], libraryOf = strictLibrary): Enforcement {
  const library = libraryOf(contract);
  // Opened on demand, because few processes replay a response of another version.
  let lenient: Library | undefined;
  const openLenient = () => (lenient ??= openLibrary(withOpenSchemas(contract)));
  const enforce: Enforcement = (operation) => createValidation(contract, operation, library, openLenient);
  checkThatItRefuses(contract, operations, enforce);
  return enforce;
}

/** A query without empty values and percent-encoding. Any other query goes to the full validator. */
const PLAIN = /^((^|&)\w+=[\w.~-]+)*$/;

function createValidation(contract: Contract, operation: Operation, library: Library, openLenient: () => Library) {
  const request = library.request(operation);
  // The library converts values of other types before it validates them.
  const plain = operation.queryParameters.filter((name) =>
    ["string", "integer", "boolean"].includes(String(schemaAt(contract, operation, "query", `/${name}`)?.["type"])),
  );
  const response = createResponseValidation(library.response(operation));
  return {
    /** Returns the query, with numbers and defaults. Throws a failure if the request doesn't match the contract. */
    request({ req: { headers }, search }: RequestHead, params: Record<string, string>, body: unknown): object {
      const converted = parseQuery(operation, search);
      const isPlain = PLAIN.test(search) && Object.keys(converted).every((name) => plain.includes(name));
      if (isPlain && request.accepts({ query: converted, headers, params, body })) return converted;
      const query = parseQuery(operation, search);
      try {
        return request.validate({ query, headers, params, body });
      } catch (error) {
        throw refusalOf(error, contract, operation, { query, headers, params, body }) ?? error;
      }
    },
    response,
    /** The same for a stored response, maybe of another version. */
    storedResponse(status: number, body: unknown): void {
      try {
        response(status, body);
      } catch {
        createResponseValidation(openLenient().response(operation))(status, body);
      }
    },
  };
}

/** Throws a ResponseMismatch if a response doesn't match the contract. */
const createResponseValidation =
  (library: ReturnType<Library["response"]>) =>
  (status: number, body: unknown): void => {
    if (library.accepts(status, body)) return;
    try {
      library.validate(status, body);
    } catch (error) {
      throw new ResponseMismatch(error);
    }
  };

/** Tests at the start that the validation refuses invalid requests and responses. */
function checkThatItRefuses(contract: Contract, operations: readonly Operation[], enforce: Enforcement): void {
  const operation = operations.find((it) => it.integerParameters.includes("limit"));
  if (operation === undefined) return;
  const { request, response } = enforce(operation);
  const isRefused = (attempt: () => void, kind: new (...args: never[]) => Error) => {
    try {
      attempt();
      return false;
    } catch (error) {
      return error instanceof kind;
    }
  };
  const example = exampleOf(contract, operation);
  response(200, example);
  if (
    !isRefused(() => request({ req: { headers: {} }, search: "limit=0" }, {}, undefined), Failure) ||
    !isRefused(() => response(200, { ...example, leak: true }), ResponseMismatch)
  )
    throw new Error("The contract's enforcement does not work: an invalid request or response would pass.");
}

/** A valid response body of the operation: the first example in the contract. */
function exampleOf(contract: Contract, { path, method }: Operation): object {
  const { responses } = contract.paths[path]![method] as { readonly responses: Record<string, Record<string, unknown>> };
  const { content } = resolve<{ readonly content: Record<string, { readonly examples: Record<string, { value: object }> }> }>(
    contract,
    responses["200"]!,
  );
  return Object.values(content[JSON_TYPE]!.examples)[0]!.value;
}
