import type { NextFunction, Request, RequestHandler, Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { resolve, sealed, type Contract } from "../../contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../contract/operations.ts";
import { Failure } from "../../failure.ts";
import { formats } from "./formats.ts";
import { refusalOf } from "./refusal.ts";

/** Makes a request and its answer keep the contract of one operation. */
export type Enforcement = (operation: Operation) => readonly RequestHandler[];

/** What express-openapi-validator notes on a request about the operation it matched. */
type Match = { readonly schema: { readonly operationId: string }; readonly pathParams: Request["params"] };
type Matched = Request & { openapi?: Match };

/**
 * The validator over the whole contract. It matches paths by trying a regular expression of each one on every request;
 * our router has matched already, so each operation is looked up once, here, and only the two validations run later.
 * Rejects when the validator does not load, does not know an operation, or lets a wrong request or answer pass.
 */
export async function createEnforcement(contract: Contract, operations: readonly Operation[]): Promise<Enforcement> {
  const middlewares = OpenApiValidator.middleware({
    // The library wants its own type of a whole document; ours names only what we read.
    apiSpec: asTheValidatorReads(contract) as never,
    validateApiSpec: true,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: true,
    // authentication.ts authenticates before the body is read.
    validateSecurity: false,
    // Nothing here is multipart, and the library would buffer it in memory.
    fileUploader: false,
    // "fast" accepts 30 February and an hour 25.
    ajvFormats: { mode: "full" },
    validateFormats: true,
    formats,
  });
  const named = (name: string) => {
    const middleware = middlewares.find((it) => it.name === name);
    if (middleware === undefined) throw new Error(`express-openapi-validator has no ${name} any more.`);
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
  await proveThatItRefuses(contract, operations, enforce);
  return enforce;
}

/** A sealed copy of the contract, written in the way that the validator understands. */
function asTheValidatorReads(contract: Contract): Contract {
  const copy = sealed(contract);
  const parameters = copy.components["parameters"] as Record<string, { schema: Readonly<Record<string, unknown>> }>;
  for (const parameter of Object.values(parameters)) {
    // It does not see a default that stands beside a reference.
    if (parameter.schema["default"] !== undefined)
      parameter.schema = { ...resolve<object>(contract, parameter.schema), default: parameter.schema["default"] };
  }
  for (const operation of Object.values(copy.paths).flatMap((item) => Object.values(item) as Record<string, unknown>[])) {
    // Its own name for it.
    if (operation["x-unknown-query"] === "ignored") operation["x-eov-allow-unknown-query-parameters"] = true;
  }
  return copy;
}

/** The library loads on its first request, and with a fault in its set-up everything would pass: this tries it at boot. */
async function proveThatItRefuses(contract: Contract, operations: readonly Operation[], enforce: Enforcement): Promise<void> {
  const operation = operations.find((it) => it.integerParameters.includes("limit"));
  if (operation === undefined) return;
  const request = syntheticRequest(operation, { limit: "0" });
  const [validateRequest, validateResponse] = enforce(operation);
  const refused = await run(validateRequest!, request).then(
    () => false,
    (error: unknown) => error instanceof Failure,
  );

  // As much of an answer as the validation reads.
  const answer = {
    statusCode: 200,
    headersSent: false,
    getHeaders: () => ({ "content-type": "application/json" }),
    json: (_body: unknown) => answer,
  };
  const leaked = await new Promise<unknown>((settle) => {
    validateResponse!(request, answer as unknown as Response, (error?: unknown) => {
      // `json` calls this function again, with the error, before it returns.
      if (error === undefined) answer.json({ ...exampleOf(contract, operation), leak: true });
      settle(error);
    });
  });
  if (!refused || !(leaked instanceof Error))
    throw new Error("The contract's enforcement does not work: a wrong request or answer would pass.");
}

/** An answer of the operation that has no fault but what is added to it. */
function exampleOf(contract: Contract, { path, method }: Operation): object {
  const { responses } = contract.paths[path]![method] as { readonly responses: Record<string, Record<string, unknown>> };
  const { content } = resolve<{ readonly content: Record<string, { readonly examples: Record<string, { value: object }> }> }>(
    contract,
    responses["200"]!,
  );
  return Object.values(content[JSON_TYPE]!.examples)[0]!.value;
}

/** As much of a request as matching and validation read. */
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
