import { describe, expect, it } from "@jest/globals";
import { readConfig } from "../../src/config.ts";
import { listen } from "../../src/http/listener.ts";
import type { EndedRequest } from "../../src/telemetry/request-record.ts";
import type { Body } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { pathWith } from "../support/example-requests.ts";
import { missingIds } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
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

describe("percent-encoding in a query", () => {
  const UTF_8 = sentence("Percent-encoding in a query must be UTF-8: `%E9` alone returns 400.");
  const NOT_AN_OCTET = "a % without two hexadecimal digits: send %25 for the sign itself";

  it.each([
    ["caf%E9.mp4", "%E9, which is not UTF-8"],
    ["%C3%A9%e9", "%e9, which is not UTF-8"],
    ["%FF%FE", "%FF, which is not UTF-8"],
    ["%E3%81ab", "%E3, which is not UTF-8"],
    ["%C0%AF%C0%AF", "%C0%AF, which is not UTF-8"],
    ["%ED%A0%80ab", "%ED%A0%80, which is not UTF-8"],
    ["%F4%90%80%80", "%F4%90%80%80, which is not UTF-8"],
    ["100%", NOT_AN_OCTET],
    ["100%zz", NOT_AN_OCTET],
    ["%u00e9", NOT_AN_OCTET],
  ])(`${UTF_8} %s`, async (text, flaw) => {
    const refusal = {
      status: 400,
      body: { code: "validation_failed", errors: [{ in: "query", pointer: "/name", code: "form", detail: `name has ${flaw}.` }] },
    };
    for (const search of [`name=${text}`, `n%61me=${text}`]) {
      expect(await ada("GET", `/users?${search}`)).toMatchObject(refusal);
      expect(await ada("POST", `/video-uploads?${search}`, "not a video")).toMatchObject(refusal);
    }
    expect(await service.db.videoUpload.count()).toBe(0);
  });

  it("is refused in every parameter that is declared", async () => {
    for (const operation of operations.filter((it) => it.method === "get" && it.queryParameters.length > 0))
      for (const name of operation.queryParameters) {
        const answer = await ada("GET", `${pathWith(operation, missingIds(operation))}?${name}=a%E9`);
        expect([name, answer.status, answer.body.errors?.[0]]).toEqual([
          name,
          400,
          { in: "query", pointer: `/${name}`, code: "form", detail: `${name} has %E9, which is not UTF-8.` },
        ]);
      }
  });

  it("is read as UTF-8, and a plus sign as a space", async () => {
    const lovelace = await service.as({ name: "Ada %E9 é🪚 Lovelace" });
    for (const name of ["ada+%25e9", "ada%20%25e9+%C3%A9", "ada+%25e9+%c3%a9%F0%9F%AA%9A", "ada+%25e9+%C3%89🪚+l"])
      expect((await ada("GET", `/users?name=${name}`)).body.data).toEqual([expect.objectContaining({ id: lovelace.userId })]);
    expect((await ada("GET", "/users?name=ada%2B%25e9")).body.data).toEqual([]);
  });

  it("is ignored with the parameter where unknown ones are", async () => {
    const { body: url } = await ada("POST", "/urls", { target_url: "https://example.com/" });
    for (const search of ["x=%E9", "%E9=x", "utm=100%", "name=%E9"]) {
      expect(await ada("GET", `/u/${url.id}?${search}`)).toMatchObject({ status: 302 });
      expect(await ada("GET", `/health?${search}`)).toMatchObject({ status: 200 });
    }
  });
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

  it("isn't in the log while the service starts, because it can have a short code or a token", async () => {
    const ended: EndedRequest[] = [];
    const observer = { begun: () => undefined, ended: (it: EndedRequest) => void ended.push(it) };
    const listener = await listen(readConfig({ PORT: "0" }), "1.0.0", observer);
    await exchange(`http://127.0.0.1:${listener.port}`, "GET /urls/k3x9Qa?token=secret HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(ended).toMatchObject([{ method: "GET", path: "*", status: 503 }]);
    await listener.close();
  });
});
