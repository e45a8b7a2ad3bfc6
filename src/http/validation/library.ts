import type { Request } from "express";
import { ResponseValidator } from "express-openapi-validator/dist/middlewares/index.js";
import { SchemaPreprocessor } from "express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { resolve, type Contract } from "../../contract/bundle.ts";
import type { Operation } from "../../contract/operations.ts";
import { formats } from "./formats.ts";

/** What the library would find for a request: the operation, with its schemas for requests and for responses. */
export type Match = {
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
export type Compiled = (data: object) => boolean;
export type Validators = Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
/** The library's validator of responses. */
export type Responses = {
  _getOrBuildValidator(request: Request, responses: object): Validators;
  _validate(response: { validators: Validators; body: unknown; statusCode: number; path: string; accepts: string[] }): void;
};

export type Loaded = ReturnType<typeof load>;

/** What the library makes of a document: one for requests and one for responses, and the validator for responses. */
export function load(document: Contract) {
  adaptToValidator(document);
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
  const responses = new ResponseValidator(schemasOf(apiDocRes), ajvOpts.response) as unknown as Responses;
  return { apiDoc, apiDocRes, requestOptions: ajvOpts.request, responses };
}

/** What the library would find for a request of the operation. */
export function matchOf({ id, path, method }: Operation, { apiDoc, apiDocRes }: Loaded): Match {
  const [schema, _responseSchema] = [apiDoc, apiDocRes].map((it) => it.paths?.[path]?.[method]);
  if (schema?.operationId !== id) throw new Error(`The contract lacks ${id}.`);
  return { schema, expressRoute: path, pathParams: {}, _responseSchema: _responseSchema as Match["_responseSchema"] };
}

/** What the validators read of a document. They walk through all of it for each schema that they compile. */
export function schemasOf(document: object): never {
  const { components } = document as Contract;
  return {
    ...document,
    paths: {},
    components: { schemas: components["schemas"], parameters: components["parameters"] },
  } as never;
}

/** Adapts a copy of the contract to the validator. */
function adaptToValidator(copy: Contract): void {
  const parameters = copy.components["parameters"] as Record<string, { schema: Readonly<Record<string, unknown>> }>;
  for (const parameter of Object.values(parameters)) {
    // The validator ignores a default beside a `$ref`.
    if (parameter.schema["default"] !== undefined)
      parameter.schema = { ...resolve<object>(copy, parameter.schema), default: parameter.schema["default"] };
  }
  for (const operation of Object.values(copy.paths).flatMap((item) => Object.values(item) as Record<string, unknown>[])) {
    // The validator's name for the same extension.
    if (operation["x-unknown-query"] === "ignored") operation["x-eov-allow-unknown-query-parameters"] = true;
  }
}

/** A request with only the fields that matching and validation read. */
export function syntheticRequest(operation: Operation, search = "", openapi?: Match): Request {
  const path = operation.path.replaceAll(/\{\w+\}/g, "x");
  const url = `${path}?${search}`;
  const app = { enabled: () => true, param: () => undefined };
  const method = operation.method.toUpperCase();
  const target = { method, url, originalUrl: url, path, baseUrl: "" };
  return { ...target, headers: {}, query: {}, params: {}, app, openapi } as unknown as Request;
}
