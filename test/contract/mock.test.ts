import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startMock, type Mock } from "../../scripts/mock/start-mock.ts";
import { createClient, type Client } from "../support/client.ts";
import { declaredOutcomes, operations } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";

const AS_IN_THE_EXAMPLES: ReadonlyMap<string, string> = new Map();

/** The client holds every answer against the contract, so asking is half of each test. */
describe("npm run mock", () => {
  let mock: Mock;
  let client: Client;
  beforeAll(async () => {
    // What an example answers is no proof of what the service can.
    delete process.env["WITNESS_FILE"];
    mock = await startMock(0);
    client = createClient(mock.url, { userId: "", name: "", authorization: "Bearer any" });
  });
  afterAll(() => mock.close());

  it.each(operations.map((it) => [it.id, it] as const))("answers %s with a success that keeps the contract", async (_id, operation) => {
    const { status } = await ask(client, exampleRequest(operation, AS_IN_THE_EXAMPLES));
    expect(status).toBeLessThan(400);
  });

  // 304 needs an `If-None-Match`, and 206 a range: these two are not a matter of preference.
  it.each(declaredOutcomes.filter((it) => !/ (304|206)$/.test(it)))("answers %s to who prefers it", async (outcome) => {
    const [id, code] = outcome.split(" ");
    const request = exampleRequest(operations.find((it) => it.id === id)!, AS_IN_THE_EXAMPLES);
    expect(await ask(client, request, { Prefer: `code=${code}` })).toMatchObject({ status: Number(code) });
  });

  it("answers with the example that is preferred", async () => {
    const { body } = await client("GET", "/posts", undefined, { headers: { Prefer: "example=by_offset" } });
    expect(body.page).toHaveProperty("total");
  });

  it("saves the transfer of what the client holds", async () => {
    const { headers } = await client("GET", "/notifications");
    expect(await client("GET", "/notifications", undefined, { headers: { "If-None-Match": headers.get("etag")! } })).toMatchObject({ status: 304, text: "" });
  });

  it("lets a client that pages come to an end", async () => {
    const { body } = await client("GET", "/posts?limit=3");
    expect(body.page.next_cursor).not.toBeNull();
    expect(await client("GET", `/posts?limit=3&after=${body.page.next_cursor}`)).toMatchObject({ body: { page: { next_cursor: null } } });
  });

  it("refuses what the service would refuse", async () => {
    expect(await client("POST", "/posts", { title: "" })).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(await createClient(mock.url, { userId: "", name: "" })("GET", "/posts")).toMatchObject({ status: 401 });
  });

  it("lets scripts of any page in a browser ask, and prefer", async () => {
    const preflight = await fetch(`${mock.url}/posts`, { method: "OPTIONS", headers: { Origin: "http://localhost:5173", "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization,prefer" } });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("prefer");
    const { headers } = await client("GET", "/posts", undefined, { headers: { Origin: "http://localhost:5173" } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });
});
