import type { Handler, Handlers, Input, Operations, Output, PublicOperationId, Schemas } from "../../src/contract/contract.ts";
import type { Db } from "../../src/database/client.ts";
import { Failure } from "../../src/failure.ts";
import { once } from "../../src/idempotency/idempotency.ts";
import type { Cursors } from "../../src/pagination/cursor.ts";
import { parsePage } from "../../src/pagination/list.ts";

// Every line below a `@ts-expect-error` is a mistake that must not compile. If one compiles, the type check fails. This file
// has no tests to run: `npm run typecheck` is the test.

declare const handlers: Handlers;
declare const url: Schemas["Url"];
declare const post: Schemas["Post"];

const { getUrl: _getUrl, ...withoutGetUrl } = handlers;
// @ts-expect-error an operation of the contract without a handler
export const missing: Handlers = withoutGetUrl;

// @ts-expect-error a handler for an operation that the contract does not have
export const extra: Handlers = { ...handlers, archiveUrl: handlers.getUrl };

// @ts-expect-error an area of a tag that the contract does not have
export type Renamed = Operations<"Short links">;

// @ts-expect-error a status that the contract does not declare for this operation
export const undeclaredStatus: Handler<"getUrl"> = async () => ({ status: 201, headers: { ETag: '"a"' }, body: url });

// @ts-expect-error a required field is missing in the body
export const missingField: Handler<"getUrl"> = async () => ({
  status: 200,
  headers: { ETag: '"a"' },
  body: { id: "launch-2026" },
});

// @ts-expect-error the body of another operation
export const wrongBody: Handler<"getUrl"> = async () => ({ status: 200, headers: { ETag: '"a"' }, body: post });

// @ts-expect-error a 201 without `Location`
export const missingHeader: Handler<"createUrl"> = async () => ({ status: 201, body: url });

// @ts-expect-error a 202 without `Retry-After`
export const missingRetryAfter: Handler<"createVideoUpload"> = async () => ({
  status: 202,
  headers: { Location: "/video-uploads/1" },
  body: {} as Schemas["VideoUpload"],
});

// @ts-expect-error a header that the contract does not declare for this response
export const undeclaredHeader: Handler<"deleteUrl"> = async () => ({ status: 204, headers: { Location: "/urls" } });

// @ts-expect-error a body where the contract has none
export const bodyOn204: Handler<"deleteUrl"> = async () => ({ status: 204, body: url });

// @ts-expect-error a path parameter that the contract lacks
export const unknownPathParameter = (input: Input<"getUrl">) => input.path.code;

// @ts-expect-error a query parameter that the contract lacks
export const unknownQueryParameter = (input: Input<"listPosts">) => input.query.page;

// @ts-expect-error a field that the request body does not have
export const unknownBodyField = (input: Input<"createUrl">) => input.body.long_url;

// @ts-expect-error a body for an operation that takes none
export const bodyOfGet = (input: Input<"getUrl">) => input.body.id;

// @ts-expect-error the principal of a public operation
export const principalOfPublic = (input: Input<PublicOperationId>) => input.principal.userId;

// @ts-expect-error a value outside a closed enumeration
export const wrongEnum: Schemas["VideoUpload"]["status"] = "done";

// @ts-expect-error a problem code that is not in the contract
export const unknownFailure = new Failure("too_bad", "There is no such code.");

declare const row: Schemas["Post"] & { readonly ownerSecret: string };
export const leak = (): Schemas["Post"] => ({
  id: row.id,
  author_id: row.author_id,
  title: row.title,
  body: row.body,
  created_at: row.created_at,
  updated_at: row.updated_at,
  // @ts-expect-error a column that was not selected
  ownerSecret: row.ownerSecret,
});

declare const db: Db;
declare const cursors: Cursors;
declare const order: Parameters<typeof parsePage<"id">>[2];
const accepted = async () => ({ status: 202, body: {} });
// @ts-expect-error an idempotency key for an operation that accepts none
export const unkeyed = (input: Input<"updatePost">) => once(db, input, accepted);

// @ts-expect-error an upload with an idempotency key but without a fingerprint of its bytes
export const bytesOfKey = (input: Input<"createVideoUpload">) => once(db, input, accepted);

// @ts-expect-error a context that is written by hand instead of taken from the request
export const forgedList = () => parsePage(cursors, { operation: "listPosts", path: {}, query: { limit: 20 } }, order);

// @ts-expect-error a page of an operation that has none
export const pageOfOne = (input: Input<"getPost">) => parsePage(cursors, input, order);

// Correct code compiles: parameters with a default are always present, and the body of an upload is a stream.
export const rightLimit = (input: Input<"listPosts">): number => input.query.limit;
export const rightKey = (input: Input<"createMessage">): string => input.header["Idempotency-Key"];
export const rightBody = (input: Input<"createVideoUpload">): NodeJS.ReadableStream => input.body;
export const rightOutput: Output<"deleteUrl"> = { status: 204 };
export const rightUpload = (input: Input<"createVideoUpload">) => once(db, { ...input, body: input.query }, accepted);
export const rightList = (input: Input<"listMembers">) => parsePage(cursors, input, order);
