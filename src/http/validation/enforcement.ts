import type { Request, RequestHandler, Response } from "express";
import { RequestValidator, ResponseValidator } from "express-openapi-validator/dist/middlewares/index.js";
import { SchemaPreprocessor } from "express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { resolve, sealed, type Contract } from "../../contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../contract/operations.ts";
import { Failure } from "../../failure.ts";
import type { Exchange } from "../exchange.ts";
import { parsePlainQuery, parseQuery } from "../plain-values.ts";
import { formats } from "./formats.ts";
import { refusalOf, schemaAt } from "./refusal.ts";
import { ResponseMismatch } from "./response-mismatch.ts";

/** Validates the requests and the responses of an operation. */
export type Validation = {
  /** Returns the query, with numbers and defaults. Throws a failure if the request doesn't match the contract. */
  request(exchange: Pick<Exchange, "req" | "search">, path: Record<string, string>, body: unknown): object;
  /** Throws a ResponseMismatch if the response doesn't match the contract. */
  response(status: number, body: unknown): void;
};
export type Enforcement = (operation: Operation) => Validation;

/** What the library would find for a request: the operation, with its schemas for requests and for responses. */
type Match = {
  readonly schema: object;
  readonly expressRoute: string;
  readonly pathParams: object;
  readonly _responseSchema: { readonly responses: object };
};

/** The members of the library that its types hide. */
type Library = {
  readonly options: { readonly validateResponses: object };
  readonly ajvOpts: { readonly preprocessor: object; readonly request: object; readonly response: object };
};
type Compiled = (data: object) => boolean;
type Requests = {
  readonly ajv: { getSchema(key: string): Compiled | undefined };
  readonly ajvBody: { getSchema(key: string): Compiled | undefined };
  readonly middlewareCache: Readonly<Record<string, RequestHandler>>;
};
type Validators = Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
/** The library's validator of responses. */
type Responses = {
  _getOrBuildValidator(request: Request, responses: object): Validators;
  _validate(response: { validators: Validators; body: unknown; statusCode: number; path: string; accepts: string[] }): void;
};

/**
 * Creates the validation of all operations. For every request, the middlewares of the library would test a regular expression of
 * each path, and look up what they know about the operation. Our router has already found the operation, so requests go
 * straight to the two validators of the library.
 * Throws an error if an operation is not in the contract, or if the library accepts an invalid request or response.
 */
export function createEnforcement(contract: Contract, operations: readonly Operation[]): Enforcement {
  const document = adaptedToValidator(contract);
  const { options, ajvOpts } = new OpenApiValidator({
    // The library has its own type for a document. Ours has only the fields that we read.
    apiSpec: document as never,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: true,
    // "fast" accepts 30 February and the hour 25.
    ajvFormats: { mode: "full" },
    formats,
  }) as unknown as Library;
  // The middlewares would do the same, and check the document, as a test does.
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(
    document as never,
    ajvOpts.preprocessor,
    options.validateResponses,
  ).preProcess();
  const requests = new RequestValidator(schemasOf(apiDoc), ajvOpts.request);
  const responses = new ResponseValidator(schemasOf(apiDocRes), ajvOpts.response) as unknown as Responses;
  const enforce: Enforcement = (operation) => {
    const { path, method } = operation;
    const [schema, _responseSchema] = [apiDoc, apiDocRes].map((it) => it.paths?.[path]?.[method]);
    if (schema?.operationId !== operation.id) throw new Error(`The contract lacks ${operation.id}.`);
    const match = { schema, expressRoute: path, pathParams: {}, _responseSchema: _responseSchema as Match["_responseSchema"] };
    return createValidation(contract, operation, match, requests, responses);
  };
  checkThatItRefuses(contract, operations, enforce);
  return enforce;
}

function createValidation(
  contract: Contract,
  operation: Operation,
  matched: Match,
  requests: RequestValidator,
  responses: Responses,
): Validation {
  // For other types, the library converts values in a way of its own before it validates them.
  const isPlain = operation.queryParameters.every((name) =>
    ["string", "integer", "boolean"].includes(String(schemaAt(contract, operation, "query", `/${name}`)?.["type"])),
  );
  // Compiling all operations at boot would take seconds.
  let compiled: ReturnType<typeof compileRequest> | undefined;
  let validators: Validators | undefined;
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
    response(status, body) {
      validators ??= compileResponses();
      if (body !== null && validators[status]?.[JSON_TYPE]?.({ response: body }) === true) return;
      // The library finds out what is wrong.
      try {
        responses._validate({ validators, body, statusCode: status, path: operation.path, accepts: [JSON_TYPE] });
      } catch (error) {
        throw new ResponseMismatch(error);
      }
    },
  };

  /** Only the responses that handlers return: a failure has one form, and needs no schema of each operation. */
  function compileResponses(): Validators {
    const successes = Object.entries(matched._responseSchema.responses).filter(([status]) => Number(status) < 400);
    return responses._getOrBuildValidator(syntheticRequest(operation, "", matched), Object.fromEntries(successes));
  }

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

/** What the validators read of a document. They walk through all of it for each schema that they compile. */
function schemasOf(document: object): never {
  const { components } = document as Contract;
  return {
    ...document,
    paths: {},
    components: { schemas: components["schemas"], parameters: components["parameters"] },
  } as never;
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

/** A request with only the fields that matching and validation read. */
function syntheticRequest(operation: Operation, search = "", openapi?: Match): Request {
  const path = operation.path.replaceAll(/\{\w+\}/g, "x");
  const url = `${path}?${search}`;
  const app = { enabled: () => true, param: () => undefined };
  const method = operation.method.toUpperCase();
  const target = { method, url, originalUrl: url, path, baseUrl: "" };
  return { ...target, headers: {}, query: {}, params: {}, app, openapi } as unknown as Request;
}
