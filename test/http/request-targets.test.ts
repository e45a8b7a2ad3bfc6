import { describe, expect, it } from "@jest/globals";
import type { Body } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { pathWith } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { exchange } from "../support/socket.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

/** A response without what is never the same: its request id, and the snapshot of a list of notifications. */
const essence = ({ status, body }: { status: number; body: Body }) => ({
  status,
  body: { ...body, request_id: null, seen: null },
});

/** The service reads a query of plain parameters without a parser, and any other query with one. */
describe("a query", () => {
  const values = ["1", "0", "01", "1e1", "-created_at", "true", "x~y", "a&a", "", "1&limit=1&unknown=1"];

  it.each(operations.filter((it) => it.method === "get" && it.queryParameters.length > 0))(
    "of $id means the same with and without percent-encoding",
    async (operation) => {
      const path = pathWith(operation, missingIds(operation));
      for (const name of operation.queryParameters) {
        const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
        for (const value of values) {
          const [plain, other] = [await ada("GET", `${path}?${name}=${value}`), await ada("GET", `${path}?${encoded}=${value}`)];
          expect([name, value, essence(plain)]).toEqual([name, value, essence(other)]);
        }
      }
    },
  );
});

/** Express decides about the targets that are not in the table of routes. */
describe("a request target", () => {
  const asked = async (target: string, method = "GET") => {
    const lines = `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\nConnection: close\r\n\r\n`;
    const { answers } = await exchange(service.url, lines);
    return { headers: [...answers[0]!.headers.keys()].sort(), ...essence(answers[0]!) };
  };

  it("means the same percent-encoded, in absolute form, with an empty query and with a fragment", async () => {
    const { body, headers } = await ada("POST", "/posts", { title: "A title", body: "A body" });
    const path = headers.get("location")!;
    const usual = await asked(path);
    expect(usual).toMatchObject({ status: 200, body: { id: body.id } });
    const last = path.length - 1;
    const encoded = `${path.slice(0, last)}%${path.charCodeAt(last).toString(16)}`;
    for (const target of [encoded, `http://x${path}`, `${path}?`, `${path}#part`]) expect(await asked(target)).toEqual(usual);
    const page = await asked("/posts?limit=1");
    for (const target of ["http://x/posts?limit=1", "/posts?limit=1#part", "/posts?limit=%31"])
      expect(await asked(target)).toEqual(page);
  });

  it("names nothing with another case, a slash at its end or an empty segment", async () => {
    for (const target of ["/Posts", "/posts/", "//posts", "/posts//", "/posts/a/b", "/posts/__proto__/x"])
      expect(await asked(target)).toMatchObject({ status: 404, body: { code: "route_not_found" } });
    expect(await asked("/posts", "TRACE")).toMatchObject({ status: 405 });
  });
});
