import type { Request, RequestHandler, Response } from "express";
import { RequestValidator } from "express-openapi-validator/dist/middlewares/index.js";
import { opened, resolve, sealed, type Contract } from "../../contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../contract/operations.ts";
import { Failure } from "../../failure.ts";
import type { Exchange } from "../exchange.ts";
import { parsePlainQuery, parseQuery } from "../plain-values.ts";
import {
  load,
  matchOf,
  schemasOf,
  syntheticRequest,
  type Compiled,
  type Loaded,
  type Responses,
  type Validators,
} from "./library.ts";
import { refusalOf, schemaAt } from "./refusal.ts";
import { ResponseMismatch } from "./response-mismatch.ts";

/** Validates the requests and the responses of an operation. */
export type Validation = {
  /** Returns the query, with numbers and defaults. Throws a failure if the request doesn't match the contract. */
  request(exchange: Pick<Exchange, "req" | "search">, path: Record<string, string>, body: unknown): object;
  /** Throws a ResponseMismatch if the response doesn't match the contract. */
  response(status: number, body: unknown): void;
  /** The same for a response that was valid when it was stored, maybe by another version. */
  storedResponse(status: number, body: unknown): void;
};
export type Enforcement = (operation: Operation) => Validation;

type Requests = {
  readonly ajv: { getSchema(key: string): Compiled | undefined };
  readonly ajvBody: { getSchema(key: string): Compiled | undefined };
  readonly middlewareCache: Readonly<Record<string, RequestHandler>>;
};

/**
 * Creates the validation of all operations. For every request, the middlewares of the library would test a regular expression of
 * each path, and look up what they know about the operation. Our router has already found the operation, so requests go
 * straight to the two validators of the library.
 * Throws an error if an operation is not in the contract, or if the library accepts an invalid request or response.
 */
export function createEnforcement(contract: Contract, operations: readonly Operation[]): Enforcement {
  const library = load(sealed(contract));
  const requests = new RequestValidator(schemasOf(library.apiDoc), library.requestOptions);
  // Few processes replay a response of another version.
  let lenient: Loaded | undefined;
  const loadLenient = () => (lenient ??= load(opened(contract)));
  const enforce: Enforcement = (operation) => createValidation(contract, operation, requests, library, loadLenient);
  checkThatItRefuses(contract, operations, enforce);
  return enforce;
}

/** Validates the responses of an operation against the document that was loaded. */
function createResponseValidation(operation: Operation, open: () => Loaded): Validation["response"] {
  // Compiling all operations at boot would take seconds.
  let compiled: { readonly responses: Responses; readonly validators: Validators } | undefined;
  return (status, body) => {
    const { responses, validators } = (compiled ??= compile(open()));
    if (body !== null && validators[status]?.[JSON_TYPE]?.({ response: body }) === true) return;
    // The library finds out what is wrong.
    try {
      responses._validate({ validators, body, statusCode: status, path: operation.path, accepts: [JSON_TYPE] });
    } catch (error) {
      throw new ResponseMismatch(error);
    }
  };

  /** Only the responses that handlers return: a failure has one form, and needs no schema of each operation. */
  function compile(loaded: Loaded) {
    const { responses } = loaded;
    const match = matchOf(operation, loaded);
    const successes = Object.entries(match._responseSchema.responses).filter(([status]) => Number(status) < 400);
    const request = syntheticRequest(operation, "", match);
    return { responses, validators: responses._getOrBuildValidator(request, Object.fromEntries(successes)) };
  }
}

function createValidation(
  contract: Contract,
  operation: Operation,
  requests: RequestValidator,
  library: Loaded,
  loadLenient: () => Loaded,
): Validation {
  const matched = matchOf(operation, library);
  // For other types, the library converts values in a way of its own before it validates them.
  const isPlain = operation.queryParameters.every((name) =>
    ["string", "integer", "boolean"].includes(String(schemaAt(contract, operation, "query", `/${name}`)?.["type"])),
  );
  // Compiling all operations at boot would take seconds.
  let compiled: ReturnType<typeof compileRequest> | undefined;
  const response = createResponseValidation(operation, () => library);
  const lenient = createResponseValidation(operation, loadLenient);
  return {
    request({ req: { headers }, search }, params, body) {
      const { whole, parameters, content } = (compiled ??= compileRequest());
      const plain = isPlain ? parsePlainQuery(operation, search) : null;
      if (plain !== null) {
        const data = { query: plain, headers, params, body };
        if (parameters(data) && content(data)) return data.query;
      }
      const query = parseQuery(operation, search);
      const openapi = { ...matched, pathParams: params };
      const request = { ...syntheticRequest(operation, search), headers, params, body, query, openapi } as unknown as Request;
      try {
        void whole(request, {} as Response, () => undefined);
      } catch (error) {
        throw refusalOf(error, contract, operation, query) ?? error;
      }
      return request.query;
    },
    response,
    storedResponse(status, body) {
      try {
        response(status, body);
      } catch {
        lenient(status, body);
      }
    },
  };

  function compileRequest() {
    const request = syntheticRequest(operation, "", { ...matched, pathParams: {} });
    if (operation.body !== null) request.headers["content-type"] = operation.body;
    try {
      void requests.validate(request as never, {} as never, () => undefined);
    } catch {
      // The request has no parameters and no body. It only makes the library compile the schemas.
    }
    const { ajv, ajvBody, middlewareCache } = requests as unknown as Requests;
    const key = Object.keys(middlewareCache).find((it) => it.startsWith(`${request.method}-${matched.expressRoute}-`)) ?? "";
    const [whole, parameters, content] = [middlewareCache[key], ajv.getSchema(key), ajvBody.getSchema(key)];
    if (whole === undefined || parameters === undefined || content === undefined)
      throw new Error(`The validator has not compiled ${operation.id}.`);
    return { whole, parameters, content };
  }
}

/** Tests the validation at boot: if it didn't work, every request and every response would pass. */
function checkThatItRefuses(contract: Contract, operations: readonly Operation[], enforce: Enforcement): void {
  const operation = operations.find((it) => it.integerParameters.includes("limit"));
  if (operation === undefined) return;
  const { request, response } = enforce(operation);
  const { headers } = syntheticRequest(operation);
  const isRefused = (attempt: () => void, kind: new (...given: never[]) => Error) => {
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
    !isRefused(() => request({ req: { headers } as Request, search: "limit=0" }, {}, undefined), Failure) ||
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
