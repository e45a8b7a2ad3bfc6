// The package exports only middlewares, which cost ten times as much as the schemas that they compile. So this file uses internals of the
// library, and no other file does: README.md lists them.
import { _, type Ajv, type CodeKeywordDefinition } from "ajv";
import ucs2length from "ajv/dist/runtime/ucs2length.js";
import type { Request, Response } from "express";
import { RequestValidator, ResponseValidator } from "express-openapi-validator/dist/middlewares/index.js";
import { SchemaPreprocessor } from "express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { resolve, type Contract } from "../../contract/bundle.ts";
import { JSON_TYPE, type Operation } from "../../contract/operations.ts";
import { formats } from "./formats.ts";
import { textFlaw } from "./text-flaws.ts";

/** The parts of a request with schemas. Validation converts numbers in `query` and adds defaults. */
export type RequestParts = {
  readonly query: object;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** The validators of express-openapi-validator for one document. It compiles the schemas of an operation at the first use. */
export type Library = ReturnType<typeof openLibrary>;

/** Members of the library that its types hide. The README describes them. */
type Options = {
  readonly options: { readonly validateResponses: object };
  readonly ajvOpts: { readonly preprocessor: object; readonly request: object; readonly response: object };
};
type Compiled = (data: object) => boolean;
type Schemas = { getSchema(key: string): Compiled | undefined };
type Requests = { readonly ajv: Schemas & Ajv; readonly ajvBody: Schemas & Ajv };
type Validators = Readonly<Record<string, Readonly<Record<string, Compiled>>>>;

/** Throws an error for an operation that the document lacks. Changes the document. */
export function openLibrary(document: Contract) {
  adaptToValidator(document);
  const { options, ajvOpts } = new OpenApiValidator({
    // The library has another type for a document.
    apiSpec: document as never,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: true,
    // "fast" accepts 30 February and the hour 25.
    ajvFormats: { mode: "full" },
    formats,
  }) as unknown as Options;
  // Like the middlewares of the library, but without the check of the document, which is a test.
  const { preprocessor } = ajvOpts;
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(document as never, preprocessor, options.validateResponses).preProcess();
  const requests = new RequestValidator(schemasOf(apiDoc), ajvOpts.request);
  const responses = new ResponseValidator(schemasOf(apiDocRes), ajvOpts.response);
  const { ajv, ajvBody } = requests as unknown as Requests;
  for (const it of [ajv, ajvBody, (responses as unknown as Requests).ajvBody]) compareLengthsInCodeUnits(it);
  const validate = (kind: Parameters<typeof textFlaw>[0], text: string) => textFlaw(kind, text) === null;
  for (const it of [ajv, ajvBody]) it.addKeyword({ keyword: "x-text", type: "string", schemaType: "string", validate });
  return {
    request: (operation: Operation) => requestSchemas(operation, definitionOf(operation, apiDoc), requests),
    response: (operation: Operation) => responseSchemas(operation, definitionOf(operation, apiDocRes), responses),
  };
}

/**
 * Compares the length of a string in code units first, because ajv counts characters one by one. A string of n code units has at most n
 * characters and at least n / 2, so most strings need no count.
 */
function compareLengthsInCodeUnits(ajv: Ajv): void {
  const definition = ajv.getKeyword("maxLength") as CodeKeywordDefinition;
  ajv.removeKeyword("maxLength").removeKeyword("minLength");
  ajv.addKeyword({
    ...definition,
    // At its old position, so that the order of errors stays.
    before: "pattern",
    code(cxt) {
      const { gen, data, keyword, schemaCode: limit } = cxt;
      const characters = _`${gen.scopeValue("func", { ref: ucs2length.default })}(${data})`;
      if (keyword === "maxLength") cxt.fail$data(_`${data}.length > ${limit} && ${characters} > ${limit}`);
      else cxt.fail$data(_`${data}.length < 2 * ${limit} && ${characters} < ${limit}`);
    },
  });
}

function requestSchemas(operation: Operation, schema: object, requests: RequestValidator) {
  const [method, expressRoute] = [operation.method.toUpperCase(), operation.path];
  const type = operation.body ?? undefined;
  let compiled: { readonly parameters: Compiled; readonly content: Compiled } | undefined;

  /** Calls the full validator. Returns the query. Throws an error with all violations. */
  function validate(parts: RequestParts): object {
    const request = {
      ...parts,
      method,
      // Without the query, in which the library refuses reserved characters before it reads the schema of the value.
      originalUrl: "?",
      // The library has a compiled schema for each type.
      headers: { ...parts.headers, "content-type": type },
      openapi: { schema, expressRoute, pathParams: parts.params },
    } as unknown as Request;
    void requests.validate(request as never, {} as Response, () => undefined);
    return request.query;
  }

  function compile() {
    try {
      validate({ query: {}, headers: {}, params: {}, body: undefined });
    } catch {
      // The empty request only makes the library compile the schemas.
    }
    const { ajv, ajvBody } = requests as unknown as Requests;
    const key = `${method}-${expressRoute}-${type ?? "not_provided"}`;
    const [parameters, content] = [ajv.getSchema(key), ajvBody.getSchema(key)];
    if (parameters === undefined || content === undefined) throw new Error(`The validator has not compiled ${operation.id}.`);
    return { parameters, content };
  }

  return {
    /** Calls the compiled schemas, at a tenth of the cost. They accept nothing that `validate` refuses. */
    accepts(parts: RequestParts): boolean {
      const { parameters, content } = (compiled ??= compile());
      return parameters(parts) && content(parts);
    },
    validate,
  };
}

function responseSchemas(operation: Operation, definition: object, library: ResponseValidator) {
  const { responses } = definition as { readonly responses: object };
  // Only successes, because all failures have one schema.
  const successes = Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) < 400));
  const request = { method: operation.method.toUpperCase(), headers: {}, openapi: { expressRoute: operation.path } };
  let compiled: Validators | undefined;
  const validators = () => (compiled ??= library._getOrBuildValidator(request as never, successes) as unknown as Validators);
  return {
    accepts: (status: number, body: unknown) => body !== null && validators()[status]?.[JSON_TYPE]?.({ response: body }) === true,
    validate(status: number, body: unknown): void {
      const response = {
        validators: validators() as never,
        body: body as object,
        statusCode: status,
        path: operation.path,
        accepts: [JSON_TYPE],
      };
      library._validate(response);
    },
  };
}

/** The definition of an operation in a document. */
function definitionOf({ id, path, method }: Operation, document: { readonly paths?: object }): object {
  const definition = (document as Contract).paths[path]?.[method] as { readonly operationId?: string } | undefined;
  if (definition?.operationId !== id) throw new Error(`The contract lacks ${id}.`);
  return definition;
}

/** The parts of a document that the validators read. Smaller, because they walk through it for each schema. */
function schemasOf(document: object): never {
  const { components } = document as Contract;
  return {
    ...document,
    paths: {},
    components: { schemas: components["schemas"], parameters: components["parameters"] },
  } as never;
}

/** Adapts a copy of the contract to the validator. */
function adaptToValidator(copy: Contract): void {
  const parameters = (copy.components["parameters"] ?? {}) as Record<string, { schema: Readonly<Record<string, unknown>> }>;
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
