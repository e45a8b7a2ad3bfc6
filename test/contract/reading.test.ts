import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { operations, parametersOf } from "../support/contract.ts";
import { eventually } from "../support/eventually.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { createResources, gather } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const people = prepare(() => gather(service));

const reads = operations.filter((it) => it.method === "get");
const conditional = reads.filter((it) => parametersOf(it).some(({ name }) => name === "If-None-Match"));
/** Operations that return the results of a finished video. */
const RESULTS = ["getVideoPoster", "getVideoRendition"];
/** Headers that differ between any two responses. */
const OWN = ["x-request-id", "date", "connection", "keep-alive"];

describe("HEAD", () => {
  it.each(reads)("of $id returns the status and headers of GET without a body", async (operation) => {
    const request = exampleRequest(operation, await createResources(operation, people));
    // Node sends `Content-Length: 0` for an empty response to GET, but not to HEAD.
    const headers = (it: Headers) =>
      [...it].filter(([name, value]) => !OWN.includes(name) && !(name === "content-length" && value === "0")).sort();
    // The length of `seen` depends on the transactions of all databases of the cluster, so HEAD is compared only between two
    // equal GETs.
    const { get, head } = await eventually("the same response before and after HEAD", async () => {
      const before = await ask(people.owner, request);
      const between = await ask(people.owner, { ...request, method: "HEAD" });
      const after = await ask(people.owner, request);
      return isDeepStrictEqual(headers(before.headers), headers(after.headers)) && { get: before, head: between };
    });
    expect({ status: head.status, text: head.text, headers: headers(head.headers) }).toEqual({
      status: get.status,
      text: "",
      headers: headers(get.headers),
    });
    expect(get.status).toBeLessThan(410);
  });

  it.each(reads)("of $id returns an error with the status and media type of GET without a body", async (operation) => {
    const request = exampleRequest(operation, await createResources(operation, people));
    const path = request.path.replace(/[^/]+$/, "!");
    const [get, head] = [
      await ask(people.stranger, { ...request, path }),
      await ask(people.stranger, { ...request, path, method: "HEAD" }),
    ];
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([get.status, "", get.headers.get("content-type")]);
  });
});

describe("Range", () => {
  const ranged = reads.filter((it) => parametersOf(it).some(({ name }) => name === "Range"));
  // RFC 9110, 14.2. The tests of the area use a video that is finished.
  it.each(ranged.filter((it) => !RESULTS.includes(it.id)))("has an effect on GET of $id, and none on HEAD", async (operation) => {
    const request = exampleRequest(operation, await createResources(operation, people));
    const whole = await ask(people.owner, request);
    const length = Number(whole.headers.get("content-length"));
    const head = await ask(people.owner, { ...request, method: "HEAD" }, { Range: "bytes=1-2" });
    expect([head.status, Number(head.headers.get("content-length"))]).toEqual([200, length]);
    const part = await ask(people.owner, request, { Range: "bytes=1-2" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 1-2/${length}`]);
  });
});

describe("If-None-Match", () => {
  // The tests of the area use a video that is finished.
  it.each(conditional.filter((it) => !RESULTS.includes(it.id)))(
    "returns 304 without a body for the ETag of $id, and 200 for any other",
    async (operation) => {
      const request = exampleRequest(operation, await createResources(operation, people));
      const first = await ask(people.owner, request);
      const etag = first.headers.get("etag")!;
      expect(etag).toMatch(/^(W\/)?"[!#-~]+"$/);
      for (const header of [etag, `"x", ${etag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await ask(people.owner, { ...request, method }, { "If-None-Match": header });
          expect({ header, status: answer.status, text: answer.text }).toEqual({ header, status: 304, text: "" });
          // As the contract says of a 304.
          for (const name of ["etag", "cache-control"]) expect(answer.headers.get(name)).toBe(first.headers.get(name));
        }
      }
      for (const header of ['"x"', "garbage", `${etag.slice(0, -1)}x"`])
        expect((await ask(people.owner, request, { "If-None-Match": header })).status).toBe(200);
    },
  );

  it.each(conditional)("gives a stranger with the ETag no more access to $id than without it", async (operation) => {
    const request = exampleRequest(operation, await createResources(operation, people));
    const first = await ask(people.owner, request);
    const etag = first.headers.get("etag") ?? "*";
    const plain = await ask(people.stranger, request);
    const status = async (header: string) => (await ask(people.stranger, request, { "If-None-Match": header })).status;
    // If the stranger gets 200, it is for their own content, or for content that is the same for all users.
    const isTheSame = plain.headers.get("etag") === etag;
    expect(await status(etag)).toBe(plain.status === 200 && isTheSame ? 304 : plain.status);
    expect(await status("*")).toBe(plain.status === 200 ? 304 : plain.status);
  });
});
