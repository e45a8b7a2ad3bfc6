import { OpenAPISchemaValidator } from "express-openapi-validator/dist/framework/openapi.schema.validator.js";
import { expect, it } from "@jest/globals";
import { readContract } from "../../src/contract/bundle.ts";

it("the contract is a document that express-openapi-validator accepts, which the service doesn't check at its start", () => {
  const validator = new OpenAPISchemaValidator({ version: "3.1.0", validateApiSpec: true });
  const errorsOf = (document: object) => validator.validate(document as never).errors ?? [];
  const contract = readContract();
  expect(errorsOf(contract)).toEqual([]);
  expect(errorsOf({ ...contract, info: {} })).toContainEqual(expect.objectContaining({ instancePath: "/info" }));
});
