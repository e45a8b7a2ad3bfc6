import type { NextFunction, Request, RequestHandler, Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { resolve, sealed, type Contract } from "../../contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../contract/operations.ts";
import { Failure } from "../../failure.ts";
import { formats } from "./formats.ts";
import { refusalOf } from "./refusal.ts";

/** Returns the handlers that validate the requests and the responses of an operation. */
export type Enforcement = (operation: Operation) => readonly RequestHandler[];

/** The match that express-openapi-validator stores in a request. */
type Match = { readonly schema: { readonly operationId: string }; readonly pathParams: Request["params"] };
type Matched = Request & { openapi?: Match };

/**
 * Creates the validation of all operations. For every request, the library would test a regular expression of each path. Our
 * router has already found the operation, so each operation is matched once, here, and requests run only the two validations.
 * Rejects if the validator doesn't load, doesn't find an operation, or accepts an invalid request or response.
 */
export async function createEnforcement(contract: Contract, operations: readonly Operation[]): Promise<Enforcement> {
  const middlewares = OpenApiValidator.middleware({
    // The library has its own type for a document. Ours has only the fields that we read.
    apiSpec: adaptedToValidator(contract) as never,
    validateApiSpec: true,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: true,
    // authentication.ts authenticates before the body is read.
    validateSecurity: false,
    // No request body is multipart, and the library would buffer one in memory.
    fileUploader: false,
    // "fast" accepts 30 February and the hour 25.
    ajvFormats: { mode: "full" },
    validateFormats: true,
    formats,
  });
  const named = (name: string) => {
    const middleware = middlewares.find((it) => it.name === name);
    if (middleware === undefined) throw new Error(`express-openapi-validator no longer has ${name}.`);
    return middleware as RequestHandler;
  };
  const validateRequest = named("requestMiddleware");
  const validateResponse = named("responseMiddleware");

  const matches = new Map<string, Match>();
  for (const operation of operations) {
    const request = syntheticRequest(operation, {});
    for (const name of ["pathParamsMiddleware", "metadataMiddleware"]) await run(named(name), request);
    if (request.openapi?.schema.operationId !== operation.id) throw new Error(`The validator does not find ${operation.id}.`);
    matches.set(operation.id, request.openapi);
  }

  const enforce: Enforcement = (operation) => {
    const matched = matches.get(operation.id)!;
    return [
      (req: Matched, res, next) => {
        req.openapi = { ...matched, pathParams: req.params };
        return validateRequest(req, res, (error?: unknown) =>
          next(error && (refusalOf(error, contract, operation, req.query) ?? error)),
        );
      },
      validateResponse,
    ];
  };
  await checkThatItRefuses(contract, operations, enforce);
  return enforce;
}

/** A sealed copy of the contract, adapted to the validator. */
function adaptedToValidator(contract: Contract): Contract {
  const copy = sealed(contract);
  const parameters = copy.components["parameters"] as Record<string, { schema: Readonly<Record<string, unknown>> }>;
  for (const parameter of Object.values(parameters)) {
    // The validator ignores a default beside a `$ref`.
    if (parameter.schema["default"] !== undefined)
      parameter.schema = { ...resolve<object>(contract, parameter.schema), default: parameter.schema["default"] };
  }
  for (const operation of Object.values(copy.paths).flatMap((item) => Object.values(item) as Record<string, unknown>[])) {
    // The validator's name for the same extension.
    if (operation["x-unknown-query"] === "ignored") operation["x-eov-allow-unknown-query-parameters"] = true;
  }
  return copy;
}

/** Tests the validation at boot: the library loads on its first request, and if it didn't work, every request would pass. */
async function checkThatItRefuses(contract: Contract, operations: readonly Operation[], enforce: Enforcement): Promise<void> {
  const operation = operations.find((it) => it.integerParameters.includes("limit"));
  if (operation === undefined) return;
  const request = syntheticRequest(operation, { limit: "0" });
  const [validateRequest, validateResponse] = enforce(operation);
  const refused = await run(validateRequest!, request).then(
    () => false,
    (error: unknown) => error instanceof Failure,
  );

  // A response with only the members that the validation reads.
  const response = {
    statusCode: 200,
    headersSent: false,
    getHeaders: () => ({ "content-type": "application/json" }),
    json: (_body: unknown) => response,
  };
  const leaked = await new Promise<unknown>((settle) => {
    validateResponse!(request, response as unknown as Response, (error?: unknown) => {
      // Before it returns, `json` calls this function again, with the error.
      if (error === undefined) response.json({ ...exampleOf(contract, operation), leak: true });
      settle(error);
    });
  });
  if (!refused || !(leaked instanceof Error))
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

/** A request with only the fields that matching and validation read. */
function syntheticRequest(operation: Operation, query: Record<string, string>): Matched {
  const path = operation.path.replaceAll(/\{\w+\}/g, "x");
  const url = `${path}?${new URLSearchParams(query).toString()}`;
  const app = { enabled: () => true, param: () => undefined };
  return {
    method: operation.method.toUpperCase(),
    url,
    originalUrl: url,
    path,
    baseUrl: "",
    headers: {},
    query,
    params: {},
    app,
  } as unknown as Matched;
}

function run(middleware: RequestHandler, request: Request): Promise<void> {
  return new Promise((done, fail) => {
    const next = (error?: Error) => (error === undefined ? done() : fail(error));
    void middleware(request, {} as Response, next as NextFunction);
  });
}
