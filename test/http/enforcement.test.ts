import { OpenAPISchemaValidator } from "express-openapi-validator/dist/framework/openapi.schema.validator.js";
import { expect, it } from "@jest/globals";
import { readContract } from "../../src/contract/bundle.ts";
import { everyOperation } from "../../src/contract/operations.ts";
import { createEnforcement } from "../../src/http/validation/enforcement.ts";

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
