import { randomUUID } from "node:crypto";
import { OpenAPISchemaValidator } from "express-openapi-validator/dist/framework/openapi.schema.validator.js";
import { describe, expect, it } from "@jest/globals";
import { readContract, withClosedSchemas } from "../../src/contract/bundle.ts";
import { createEnforcement } from "../../src/http/validation/enforcement.ts";
import { openLibrary, type Library } from "../../src/http/validation/library.ts";
import { operations } from "../support/contract.ts";
import { exampleRequest } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";

it("the contract is a document that express-openapi-validator accepts, which the service doesn't check at its start", () => {
  const validator = new OpenAPISchemaValidator({ version: "3.1.0", validateApiSpec: true });
  const errorsOf = (document: object) => validator.validate(document as never).errors ?? [];
  const contract = readContract();
  expect(errorsOf(contract)).toEqual([]);
  expect(errorsOf({ ...contract, info: {} })).toContainEqual(expect.objectContaining({ instancePath: "/info" }));
});

describe("the compiled schemas, which cost a tenth of the full validator,", () => {
  const library = openLibrary(withClosedSchemas(readContract()));
  const partsOf = (body: unknown) => ({ query: {}, headers: { "idempotency-key": randomUUID() }, params: {}, body });

  it.each(operations.filter((it) => it.body === "application/json"))("accept the example of $id", (operation) => {
    const params = Object.fromEntries(missingIds(operation));
    const { body } = exampleRequest(operation, missingIds(operation));
    expect(library.request(operation).accepts({ ...partsOf(body), params })).toBe(true);
  });

  it("are those of the operation, whatever the Content-Type of a request", () => {
    const request = library.request(operations.find((it) => it.id === "createPost")!);
    const headers = { "content-type": "text/plain" };
    expect(request.accepts({ ...partsOf({}), headers })).toBe(false);
    expect(() => request.validate({ ...partsOf({}), headers })).toThrow(expect.objectContaining({ status: 400 }));
  });

  it("accept a response only with a body, and with a status of a success", () => {
    const response = library.response(operations.find((it) => it.id === "getLiveness")!);
    const body = { status: "pass", version: "1.0.0", service_version: "1.3.0" };
    expect([200, 404, 201].map((status) => response.accepts(status, body))).toEqual([true, false, false]);
    expect(response.accepts(200, null)).toBe(false);
  });
});

it("the service doesn't start with an operation that its contract lacks", () => {
  const enforce = createEnforcement(readContract(), operations);
  const operation = operations.find((it) => it.id === "getPost")!;
  expect(() => enforce({ ...operation, path: "/nothing" })).toThrow("The contract lacks getPost.");
  expect(() => enforce({ ...operation, method: "delete" })).toThrow("The contract lacks getPost.");
});

describe("the service doesn't start if the validator accepts", () => {
  const everything = { accepts: () => true, validate: (parts: unknown) => parts as object };
  const start = (change: Partial<Library>) =>
    createEnforcement(readContract(), operations, (contract) => ({ ...openLibrary(withClosedSchemas(contract)), ...change }));

  it.each([
    ["every request", { request: () => everything }],
    ["every response", { response: () => everything }],
    ["every request and every response", { request: () => everything, response: () => everything }],
  ])("%s", (_what, change) => {
    expect(() => start(change)).toThrow("an invalid request or response would pass");
  });

  it("only what it should, which is the only case in which it starts", () => {
    expect(() => start({})).not.toThrow();
  });
});
