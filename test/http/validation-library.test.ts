import { describe, expect, it } from "@jest/globals";
import type { Contract } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { openLibrary, type RequestParts } from "../../src/http/validation/library.ts";

/** What `library.ts` relies on in express-openapi-validator, beside its documented interface. A new version must pass. */

const response = { content: { "application/json": { schema: { $ref: "#/components/schemas/Boat" } } }, description: "A boat" };
const document = () =>
  ({
    openapi: "3.1.0",
    info: { title: "Boats", version: "1.0.0" },
    paths: {
      "/boats/{id}": {
        get: {
          operationId: "getBoat",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string", maxLength: 3 } },
            { name: "X-Key", in: "header", schema: { type: "string", maxLength: 3 } },
            { $ref: "#/components/parameters/limit" },
          ],
          responses: { 200: response, 404: { description: "None" } },
        },
      },
      "/boats": {
        post: {
          operationId: "createBoat",
          "x-unknown-query": "ignored",
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Boat" } }, "text/plain": { schema: {} } },
          },
          responses: { 201: response },
        },
      },
    },
    components: {
      parameters: {
        limit: { name: "limit", in: "query", schema: { $ref: "#/components/schemas/Limit", default: 20 } },
      },
      schemas: {
        Limit: { type: "integer", minimum: 1 },
        Boat: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string", minLength: 1 },
            port: { type: "string", minLength: 2, maxLength: 4 },
            built: { type: "string", format: "date-time" },
          },
          additionalProperties: false,
        },
      },
    },
  }) as unknown as Contract;

const get = { id: "getBoat", method: "get", path: "/boats/{id}", body: null } as unknown as Operation;
const post = { id: "createBoat", method: "post", path: "/boats", body: "application/json" } as unknown as Operation;
const parts = (change: Partial<RequestParts> = {}): RequestParts => ({
  query: {},
  headers: {},
  params: { id: "a" },
  body: undefined,
  ...change,
});

describe("the schemas of a request", () => {
  it("accept what is valid, convert numbers and put in defaults, as the whole validator does", () => {
    const library = openLibrary(document()).request(get);
    for (const [query, expected] of [
      [{}, { limit: 20 }],
      [{ limit: "7" }, { limit: 7 }],
    ] as const) {
      const input = parts({ query: { ...query } });
      expect(library.accepts(input)).toBe(true);
      expect(input.query).toEqual(expected);
      expect(library.validate(parts({ query: { ...query } }), new URLSearchParams(query).toString())).toEqual(expected);
    }
  });

  it.each([
    ["a query parameter", parts({ query: { limit: "0" } }), "limit=0", "/query/limit", "minimum"],
    ["a path parameter", parts({ params: { id: "long" } }), "", "/params/id", "maxLength"],
    ["a header", parts({ headers: { "x-key": "long" } }), "", "/headers/x-key", "maxLength"],
  ])("refuse %s, and the full validator describes each violation", (_what, input, search, path, keyword) => {
    const library = openLibrary(document()).request(get);
    expect(library.accepts(structuredClone(input))).toBe(false);
    const errors = [expect.objectContaining({ path, errorCode: expect.stringMatching(`^${keyword}\\b`) })];
    expect(() => library.validate(input, search)).toThrow(expect.objectContaining({ status: 400, errors }));
  });

  it("count characters, not code units, on both sides of each limit", () => {
    const library = openLibrary(document()).request(post);
    // One, two and one code units.
    for (const text of ["a", "😀", "\u00e9", "a😀"])
      for (let count = 1; count <= 6; count++) {
        const port = text.repeat(count);
        const characters = [...port].length;
        expect({ port, isValid: library.accepts(parts({ params: {}, body: { name: "x", port } })) }).toEqual({
          port,
          isValid: characters >= 2 && characters <= 4,
        });
      }
  });

  it("refuse a body without a field, with an unknown one, or with another format", () => {
    const library = openLibrary(document()).request(post);
    for (const [body, isValid] of [
      [{ name: "Ida" }, true],
      [{ name: "Ida", built: "2026-02-28T10:00:00Z" }, true],
      [{}, false],
      [{ name: "Ida", leak: 1 }, false],
      [{ name: "Ida", built: "2026-02-30T10:00:00Z" }, false],
    ] as const) {
      expect([body, library.accepts(parts({ body }))]).toEqual([body, isValid]);
      const validate = () => library.validate(parts({ body }), "");
      if (isValid) validate();
      else expect(validate).toThrow(expect.objectContaining({ status: 400 }));
    }
  });

  it("are those of the operation, whatever the Content-Type of a request", () => {
    const library = openLibrary(document()).request(post);
    const headers = { "content-type": "text/plain" };
    expect(library.accepts(parts({ headers, body: {} }))).toBe(false);
    expect(() => library.validate(parts({ headers, body: {} }), "")).toThrow(expect.objectContaining({ status: 400 }));
  });

  it("refuse an unknown query parameter, unless the operation ignores it", () => {
    const library = openLibrary(document());
    const input = () => parts({ query: { x: "1" }, body: { name: "Ida" } });
    expect(() => library.request(get).validate(input(), "x=1")).toThrow(expect.objectContaining({ status: 400 }));
    expect(() => library.request(post).validate(input(), "x=1")).not.toThrow();
  });
});

describe("the schemas of a response", () => {
  it.each([
    ["a valid body", 200, { name: "Ida" }, true],
    ["an unknown field", 200, { name: "Ida", leak: 1 }, false],
    ["a missing field", 200, {}, false],
    ["null", 200, null, false],
    ["a status that is not a success of the operation", 404, { name: "Ida" }, false],
  ])("decide about %s", (_what, status, body, isValid) => {
    const library = openLibrary(document()).response(get);
    expect(library.accepts(status, body)).toBe(isValid);
    if (isValid) library.validate(status, body);
    else expect(() => library.validate(status, body)).toThrow();
  });
});

it("an operation that the document lacks has no schemas", () => {
  const library = openLibrary(document());
  const unknown = { ...get, method: "delete" } as const;
  expect(() => library.request(unknown)).toThrow("The contract lacks getBoat.");
  expect(() => library.response(unknown)).toThrow("The contract lacks getBoat.");
});
