import { expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { createEndpoint } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";
import { eventually } from "../support/eventually.ts";
import { answers, response, serve } from "./egress-servers.ts";

const service = prepare(() => startTestService());

const OK = "HTTP/1.1 200 OK\r\n";
const rows: readonly (readonly [string, string | Buffer, object])[] = [
  ["the status 600", response("", "600 Strange"), { response_status: null, response_excerpt: null, failure: "not_http" }],
  ["the status 999", response("", "999 Request denied"), { response_status: null, response_excerpt: null, failure: "not_http" }],
  ["the status 042", response("", "042 Strange"), { response_status: null, response_excerpt: null, failure: "not_http" }],
  ["the status 599", response("", "599 Strange"), { response_status: 599, failure: null }],
  ["a body of NUL", response("\0".repeat(2_000), "500 X"), { response_excerpt: "\uFFFD".repeat(1_024) }],
  [
    "a body of bytes that are not UTF-8",
    response(Buffer.alloc(2_000, 0xff), "500 X"),
    { response_excerpt: "\uFFFD".repeat(1_024) },
  ],
  ["half of a surrogate pair", response(Buffer.from("eda080", "hex"), "500 X"), { response_excerpt: "\uFFFD".repeat(3) }],
  ["half of a character", response(Buffer.from("61f09f98", "hex"), "500 X"), { response_excerpt: "a" }],
  ["256 characters of four bytes", response("😀".repeat(300), "500 X"), { response_excerpt: "😀".repeat(256) }],
  ["a body with a byte order mark", response("\uFEFFa", "500 X"), { response_excerpt: "\uFEFFa" }],
  ["no body", `${OK.replace("200 OK", "500")}Content-Length: 0\r\n\r\n`, { response_status: 500, response_excerpt: "" }],
  ["HTTP/0.9", "a".repeat(2_000), { response_status: null, failure: "not_http" }],
];

it.each(rows)("%s of a receiver leaves deliveries that the contract allows", async (_what, answer, expected) => {
  await using receiver = await serve(answers(answer));
  const owner = await service.as();
  const endpoint = await createEndpoint(owner, { url: `http://127.0.0.1:${receiver.port}/` }, ["message.created"]);
  const { headers } = await owner("POST", `${endpoint.path}/deliveries`, {});
  const path = headers.get("location")!;
  const delivery = await eventually("an attempt", async () => {
    const { status, body } = await owner("GET", path);
    expect(status).toBe(200);
    return body.attempt_count > 0 ? body : null;
  });
  expect(delivery).toMatchObject(expected);
  for (const query of ["", "?status=pending"]) {
    const { status, body } = await owner("GET", `${endpoint.path}/deliveries${query}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([expected]);
  }
  expect(await owner("POST", `${path}/attempts`, {})).toMatchObject({ status: 202 });
});
