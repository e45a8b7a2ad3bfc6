import { hash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { operations, parametersOf } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { missingIds } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";

/** A valid request reaches the handler, which fails. */
const stubbed = prepare(() => startWithHandlers(() => Promise.reject(new Error("The request is valid."))));
const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

const fields = operations.flatMap((operation) =>
  operation.structuredHeaders.map((name) => ({ operation, id: operation.id, name })),
);

const IGNORED = sentence("Their values can have parameters, such as `?1;x=2`, which are ignored.");
it.each(fields)(`${IGNORED} Malformed ones return 400: $name of $id`, async ({ operation, name }) => {
  const { example } = parametersOf(operation).find((it) => it.name === name)!;
  const request = exampleRequest(operation, missingIds(operation));
  const statusOf = async (parameters: string) => {
    const { status, body } = await ask(stubbed.caller, request, { [name]: `${String(example)}${parameters}` });
    return status === 400 ? [...new Set(body.errors.map((it: { pointer: string }) => it.pointer))] : status;
  };
  for (const parameters of [
    "",
    ";x",
    "; x",
    ";*a-b.c_d=1.5",
    ';x="a; \\"b\\", c";y=?0',
    ";x=:YQ==:;y=@1;z=a/b:c",
    ';x=%"f%c3%bc"',
  ])
    expect([parameters, await statusOf(parameters)]).toEqual([parameters, 500]);
  for (const parameters of [";", ";X", ";1", " ;x", ";x=", ';x="', ";x=?2", ";x y", ", ?1", ";x, ?1"])
    expect([parameters, await statusOf(parameters)]).toEqual([parameters, [`/${name.toLowerCase()}`]]);
});

describe("a parameter", () => {
  const BYTES = Buffer.from("not a video");
  const post = (headers: Record<string, string>) => ada("POST", "/video-uploads", BYTES, { headers });

  it("doesn't make a whole upload of a part, nor change an offset or a length", async () => {
    const begun = await post({ "Upload-Complete": "?0;x=?1", "Upload-Length": "000022;x=11" });
    expect(begun).toMatchObject({ status: 204 });
    const location = begun.headers.get("location")!;
    expect((await ada("HEAD", location)).headers.get("upload-length")).toBe("22");
    const headers = { "Content-Type": "application/partial-upload", "Upload-Offset": "11;x=0", "Upload-Complete": "?1;x=?0" };
    expect(await ada("PATCH", location, BYTES, { headers })).toMatchObject({ status: 202, body: { size_bytes: 22 } });
  });

  it("doesn't make another key of an Idempotency-Key", async () => {
    const first = await post({ "Idempotency-Key": "the-same-key" });
    const again = await post({ "Idempotency-Key": '"the-same-key";x="y"' });
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  it("doesn't make a digest match", async () => {
    const digest = (bytes: Buffer) => ({ "Content-Digest": `sha-256=:${hash("sha256", bytes, "base64")}:;x=1` });
    expect(await post(digest(BYTES))).toMatchObject({ status: 202 });
    expect(await post(digest(BYTES.subarray(1)))).toMatchObject({ status: 422 });
  });
});
