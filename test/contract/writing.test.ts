import { describe, expect, it } from "@jest/globals";
import type { Answer } from "../support/client.ts";
import { declaredResponse, findOperation, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { createResources, gather } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const people = prepare(() => gather(service));

const creating = operations.filter((operation) =>
  Object.keys(rawOperation(operation).responses).some(
    (status) => status.startsWith("2") && declaredResponse(operation, status)?.headers.has("location"),
  ),
);
const conditional = operations.filter((it) => it.method !== "get" && parametersOf(it).some(({ name }) => name === "If-Match"));

describe("Location", () => {
  const CREATED = sentence("If the response has a `Location`, it is the path of what was created or started.");
  it.each(creating)(`${CREATED} $id`, async (operation) => {
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
  it(sentence("All operations that change a resource with an `ETag` take it."), () => {
    const tagged = operations.filter((it) => it.method === "get" && declaredResponse(it, "200")?.headers.has("etag"));
    const paths = new Set(tagged.map((it) => it.path));
    const changing = operations.filter((it) => it.method !== "get" && paths.has(it.path));
    expect(changing.length).toBeGreaterThan(4);
    expect(changing.filter((it) => !conditional.includes(it)).map((it) => it.id)).toEqual([]);
  });

  it(sentence("`If-None-Match` has an effect on GET and HEAD only."), async () => {
    for (const operation of conditional.filter((it) => it.method === "delete")) {
      const request = exampleRequest(operation, await createResources(operation, people));
      expect(await ask(people.owner, request, { "If-None-Match": "*" })).toMatchObject({ status: 204 });
    }
  });

  const NONE = sentence("`*` matches any version. A weak tag or a malformed value matches none, so you get 412.");
  it.each(conditional)(
    `${sentence("PATCH and DELETE return 412 if it has changed since you read it.")} ${NONE} $id, which then changes nothing`,
    async (operation) => {
      const make = async () => {
        const { seen } = (await people.owner("GET", "/notifications")).body;
        return exampleRequest(operation, await createResources(operation, people), { userId: people.guest.userId, seen });
      };
      const request = await make();
      const [path = ""] = request.path.split("?");
      const read = () => people.owner("GET", path);
      // Each list has another `seen`.
      const shown = ({ body: { seen: _, ...body } }: Answer) => body;
      const before = await read();
      const etag = before.headers.get("etag")!;
      for (const header of ['"x"', `${etag.slice(0, -1)}x"`, `W/${etag}`, "?"]) {
        const refused = await ask(people.owner, request, { "If-Match": header });
        expect({ header, status: refused.status, code: refused.body.code }).toMatchObject({ header, status: 412 });
        expect(shown(await read())).toEqual(shown(before));
      }
      const named = await ask(people.owner, request, { "If-Match": `"x", ${etag}` });
      if (etag.startsWith("W/")) expect(named).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
      else {
        expect(named.status).toBeLessThan(300);
        // Then it is another representation, or none.
        expect((await read()).headers.get("etag")).not.toBe(etag);
      }
      const again = await make();
      expect((await ask(people.owner, again, { "If-Match": "*" })).status).toBeLessThan(300);
    },
  );
});

describe("DELETE", () => {
  const RETRY = sentence("If you retry a DELETE after losing the response, a 404 means that the first request succeeded.");
  const deleting = operations.filter((it) => it.method === "delete" && declaredResponse(it, "404") !== null);
  // Of a member or a mute, a retry has another answer.
  it.each(deleting.filter((it) => !it.path.startsWith("/conversations")))(
    `${RETRY} $id, five times at once`,
    async (operation) => {
      const request = exampleRequest(operation, await createResources(operation, people));
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(people.owner, request)));
      expect(answers.map((it) => it.status).sort()).toEqual([204, 404, 404, 404, 404]);
    },
  );
});
