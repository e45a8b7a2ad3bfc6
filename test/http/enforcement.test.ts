import { OpenAPISchemaValidator } from "express-openapi-validator/dist/framework/openapi.schema.validator.js";
import { describe, expect, it } from "@jest/globals";
import { readContract, withClosedSchemas } from "../../src/contract/bundle.ts";
import { everyOperation } from "../../src/contract/operations.ts";
import { createEnforcement } from "../../src/http/validation/enforcement.ts";
import { openLibrary, type Library } from "../../src/http/validation/library.ts";

it("the contract is a document that express-openapi-validator accepts, which the service doesn't check at its start", () => {
  const validator = new OpenAPISchemaValidator({ version: "3.1.0", validateApiSpec: true });
  const errorsOf = (document: object) => validator.validate(document as never).errors ?? [];
  const contract = readContract();
  expect(errorsOf(contract)).toEqual([]);
  expect(errorsOf({ ...contract, info: {} })).toContainEqual(expect.objectContaining({ instancePath: "/info" }));
});

it("the service doesn't start with an operation that its contract lacks", () => {
  const enforce = createEnforcement(readContract(), everyOperation);
  const operation = everyOperation.find((it) => it.id === "getPost")!;
  expect(() => enforce({ ...operation, path: "/nothing" })).toThrow("The contract lacks getPost.");
  expect(() => enforce({ ...operation, method: "delete" })).toThrow("The contract lacks getPost.");
});

describe("the service doesn't start if the validator accepts", () => {
  const everything = { accepts: () => true, validate: (parts: unknown) => parts as object };
  const start = (change: Partial<Library>) =>
    createEnforcement(readContract(), everyOperation, (contract) => ({ ...openLibrary(withClosedSchemas(contract)), ...change }));

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
