import { describe, expect, it } from "@jest/globals";
import { declaredResponse, findOperation, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { createResources, gather } from "../support/resources.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const people = prepare(() => gather(service));

const creating = operations.filter((operation) =>
  Object.keys(rawOperation(operation).responses).some(
    (status) => status.startsWith("2") && declaredResponse(operation, status)?.headers.has("location"),
  ),
);
const conditional = operations.filter((it) => parametersOf(it).some(({ name }) => name === "If-Match"));

describe("Location", () => {
  it("is declared by more than six operations", () => {
    expect(creating.length).toBeGreaterThan(6);
  });

  it.each(creating)("of $id is the path of what it created, with the id of the response", async (operation) => {
    const request = exampleRequest(operation, await createResources(operation, people), {
      userId: people.guest.userId,
      seen: "",
    });
    // A PUT has a Location only if it creates.
    if (operation.method === "put") await people.owner("DELETE", request.path);
    const created = await ask(people.owner, request);
    expect(created.status).toBeLessThan(300);
    const location = created.headers.get("location")!;
    // A reference within the service (RFC 9110, 10.2.2).
    expect(location).toMatch(/^\/[^/]/);
    // The contract says of playback links, which are posted to their own path, that there is nothing to get.
    const isOnlyPosted = location === request.path && findOperation("get", location) === null;
    const read = await people.owner("GET", location);
    expect({ location, status: read.status }).toEqual({ location, status: isOnlyPosted ? 405 : 200 });
    const id = created.body?.id as string | undefined;
    if (id !== undefined && read.body?.id !== undefined) expect(read.body.id).toBe(id);
  });
});

describe("If-Match", () => {
  it("is a parameter of some operations", () => {
    expect(conditional.length).toBeGreaterThan(1);
  });

  it.each(conditional)(
    "with another ETag makes $id return 412 and change nothing; with the current one, it succeeds",
    async (operation) => {
      const request = exampleRequest(operation, await createResources(operation, people));
      const [path = ""] = request.path.split("?");
      const read = () => people.owner("GET", path);
      const before = await read();
      const etag = before.headers.get("etag")!;
      for (const header of ['"x"', `${etag.slice(0, -1)}x"`, `W/${etag}`]) {
        const refused = await ask(people.owner, request, { "If-Match": header });
        expect({ header, status: refused.status, code: refused.body.code }).toMatchObject({ header, status: 412 });
        expect((await read()).text).toBe(before.text);
      }
      expect((await ask(people.owner, request, { "If-Match": `"x", ${etag}` })).status).toBeLessThan(300);
      // Then it is another representation, or none.
      expect((await read()).headers.get("etag")).not.toBe(etag);
      const again = exampleRequest(operation, await createResources(operation, people));
      expect((await ask(people.owner, again, { "If-Match": "*" })).status).toBeLessThan(300);
    },
  );
});
