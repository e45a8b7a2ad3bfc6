import type { NextFunction, Request, RequestHandler, Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { formats } from "../formats.ts";
import { resolve, type Contract } from "../../contract/bundle.ts";
import type { Operation } from "../../contract/operations.ts";

/** Makes a request and its answer keep the contract of one operation. */
export type Enforcement = (operation: Operation) => readonly RequestHandler[];

/** What express-openapi-validator notes on a request about the operation it matched. */
type Match = {
  readonly expressRoute: string;
  readonly openApiRoute: string;
  readonly schema: { readonly operationId: string };
  readonly serial: number;
  pathParams: Record<string, string>;
};
type Matched = Request & { openapi?: Match };

/**
 * The validator over the whole contract. It matches paths by trying a regular expression of each one on every request;
 * our router has matched already, so each operation is looked up once, here, and only the two validations run later.
 * Rejects when the validator does not load, does not know an operation, or lets a wrong request or answer pass.
 */
export async function createEnforcement(contract: Contract, operations: readonly Operation[]): Promise<Enforcement> {
  const middlewares = OpenApiValidator.middleware({
    // The library wants its own type of a whole document; ours names only what we read.
    apiSpec: sealed(contract) as never,
    validateApiSpec: true,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: true,
    // Who may call is decided before the body is read: authentication.ts.
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
  const [install, match, validateRequest, validateResponse] = [
    named("pathParamsMiddleware"),
    named("metadataMiddleware"),
    named("requestMiddleware"),
    named("responseMiddleware"),
  ];

  const matches = new Map<string, Match>();
  for (const operation of operations) {
    const request = syntheticRequest(operation, {});
    await run(install, request);
    await run(match, request);
    if (request.openapi?.schema.operationId !== operation.id) throw new Error(`The validator does not find ${operation.id}.`);
    matches.set(operation.id, request.openapi);
  }

  const enforce: Enforcement = (operation) => {
    const { expressRoute, openApiRoute, schema, serial, ...rest } = matches.get(operation.id)!;
    return [
      (req: Matched, _res, next) => {
        req.openapi = { ...rest, expressRoute, openApiRoute, schema, serial, pathParams: req.params as Record<string, string> };
        next();
      },
      validateRequest,
      validateResponse,
    ];
  };
  await proveThatItRefuses(operations, enforce);
  return enforce;
}

type SealedContract = {
  readonly components: {
    readonly schemas: Record<string, { properties?: object; additionalProperties?: unknown }>;
    readonly parameters: Record<string, { schema: Readonly<Record<string, unknown>> }>;
  };
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
};

/**
 * The contract with every object closed. The published document leaves answers open, so that they may grow; what we
 * send today must be exactly what is declared, or a storage column leaks.
 */
function sealed(contract: Contract): Contract {
  const copy = structuredClone(contract) as unknown as SealedContract;
  for (const schema of Object.values(copy.components.schemas)) {
    if (schema.properties !== undefined) schema.additionalProperties = false;
  }
  for (const parameter of Object.values(copy.components.parameters)) {
    // The validator does not see a default that stands beside a reference.
    const { default: value } = parameter.schema;
    if (value !== undefined) parameter.schema = { ...resolve<object>(contract, parameter.schema), default: value };
  }
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      // The validator's own name for it.
      if (operation["x-unknown-query"] === "ignored") operation["x-eov-allow-unknown-query-parameters"] = true;
    }
  }
  return copy as unknown as Contract;
}

/** The library loads on its first request, and a fault in its set-up would let everything pass: try it before anybody else does. */
async function proveThatItRefuses(operations: readonly Operation[], enforce: Enforcement): Promise<void> {
  const operation = operations.find((it) => it.integerParameters.includes("limit"));
  if (operation === undefined) return;
  const request = syntheticRequest(operation, { limit: "0" });
  const [mark, validateRequest, validateResponse] = enforce(operation);
  await run(mark!, request);
  const refused = await run(validateRequest!, request).then(
    () => false,
    (error: { status?: number }) => error.status === 400,
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
      if (error === undefined) answer.json({ data: [], page: {}, leak: true });
      settle(error);
    });
  });
  if (!refused || !(leaked instanceof Error))
    throw new Error("The contract's enforcement does not work: a wrong request or answer would pass.");
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
