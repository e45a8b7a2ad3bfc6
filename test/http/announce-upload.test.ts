import { expect, it } from "@jest/globals";
import type { IncomingMessage, ServerResponse } from "node:http";
import { announceUpload } from "../../src/http/respond.ts";

it.each([
  ["of this draft over HTTP/1.1", "1.1", { "upload-draft-interop-version": "8" }, [104]],
  ["of this draft over HTTP/1.0", "1.0", { "upload-draft-interop-version": "8" }, []],
  ["of another draft", "1.1", { "upload-draft-interop-version": "7" }, []],
  ["without a draft version", "1.1", {}, []],
])("a client %s gets only the interim responses that it understands", (_what, httpVersion, headers, expected) => {
  const sent: number[] = [];
  const req = { httpVersion, headers } as unknown as IncomingMessage;
  const res = { writeInformation: (status: number) => void sent.push(status) } as unknown as ServerResponse;
  announceUpload({ req, res }, "", { location: "/video-uploads/1/transfer", limit: "max-age=60" });
  expect(sent).toEqual(expected);
});
