// Generated: do not edit, run `npm run generate`.

/** What can go wrong, as the contract has it: what it means, and what a client does about it. */
export const problems = {
  "validation_failed": {
    "status": 400,
    "title": "Request is not valid",
    "meaning": "A parameter, a header or a field of the body breaks its schema, or the request names a parameter or field that does not exist.",
    "remedy": "Correct the places listed in `errors`. Sending the same request again gives the same answer."
  },
  "malformed_body": {
    "status": 400,
    "title": "Body cannot be read",
    "meaning": "There is no body where one is needed, or the bytes are not JSON in valid UTF-8. Nothing was looked at beyond that.",
    "remedy": "Send one complete JSON document in UTF-8, or for an upload the bytes of the file."
  },
  "malformed_request": {
    "status": 400,
    "title": "Message is not HTTP",
    "meaning": "The bytes on the connection could not be read as an HTTP/1.1 request, and the connection was closed.",
    "remedy": "Look for a client or an intermediary that builds requests by hand; standard HTTP libraries do not cause this."
  },
  "invalid_cursor": {
    "status": 400,
    "title": "Cursor does not fit this list",
    "meaning": "The cursor was changed on its way, or it comes from another list, another conversation, another filter or another sort order. The same goes for the `seen` of a list of notifications, which is good for its own reader only.",
    "remedy": "Repeat the filters and the sort order the cursor came from, or start again without a cursor."
  },
  "conflicting_parameters": {
    "status": 400,
    "title": "Parameters exclude each other",
    "meaning": "Two parameters were sent that ask for different things, such as `offset` and `after`. Both are listed in `errors`.",
    "remedy": "Choose one of them."
  },
  "idempotency_key_required": {
    "status": 400,
    "title": "Idempotency-Key is required",
    "meaning": "This operation is only accepted with an `Idempotency-Key`, so that a repeated attempt can be recognised.",
    "remedy": "Send a fresh key for each new intention and the same key with every repetition of it."
  },
  "unauthenticated": {
    "status": 401,
    "title": "Credentials are missing",
    "meaning": "The request carries no bearer token in the `Authorization` header, or names another scheme.",
    "remedy": "Send `Authorization: Bearer` and an API key or access token."
  },
  "invalid_token": {
    "status": 401,
    "title": "Token is not accepted",
    "meaning": "The token is malformed, unknown, expired, revoked, or issued for somebody else's service. Which of these is not said.",
    "remedy": "Obtain a new token. Do not repeat the request with the old one."
  },
  "insufficient_scope": {
    "status": 403,
    "title": "Scope is missing",
    "meaning": "The token is valid but does not carry the scope this operation needs. The scope is named in `WWW-Authenticate`.",
    "remedy": "Use a credential with that scope; `GET /account` shows the scopes of the present one."
  },
  "not_a_member": {
    "status": 403,
    "title": "Not a member of this conversation",
    "meaning": "The conversation exists, and the caller is not, or is no longer, one of its members.",
    "remedy": "Ask the owner of the conversation to be added."
  },
  "not_the_owner": {
    "status": 403,
    "title": "Not the owner of this conversation",
    "meaning": "The caller is a member, but only the owner may add members or remove others.",
    "remedy": "Ask the owner; `GET /conversations/{conversationId}/members` shows who that is."
  },
  "not_the_author": {
    "status": 403,
    "title": "Not the author of this post",
    "meaning": "Everybody may read the post, only its author may change or delete it.",
    "remedy": "Do not offer the action for posts whose `author_id` is not the caller's `user_id`."
  },
  "not_found": {
    "status": 404,
    "title": "Not found",
    "meaning": "There is no such resource, or it belongs to somebody else and is none of the caller's business. The two are deliberately alike.",
    "remedy": "Check the id. If it was valid before, the resource has been deleted."
  },
  "route_not_found": {
    "status": 404,
    "title": "No such path",
    "meaning": "The path is not part of this API. Paths are case-sensitive and have no trailing slash.",
    "remedy": "Compare the path with this document."
  },
  "method_not_allowed": {
    "status": 405,
    "title": "Method is not supported here",
    "meaning": "The path exists, but not with this method. `Allow` lists those it has.",
    "remedy": "Use one of the methods in `Allow`."
  },
  "not_acceptable": {
    "status": 406,
    "title": "No acceptable representation",
    "meaning": "The answer would be JSON, and the `Accept` header rules that out.",
    "remedy": "Name `application/json` in `Accept`, or leave the header out."
  },
  "request_timeout": {
    "status": 408,
    "title": "Request took too long to arrive",
    "meaning": "The request was not complete in time, or its bytes stopped coming. Nothing was done; only of a resumable upload what had come is kept, and `Upload-Offset` says how much.",
    "remedy": "Send it again on a new connection, with the same `Idempotency-Key` if it had one. Go on with a resumable upload from `Upload-Offset`."
  },
  "id_taken": {
    "status": 409,
    "title": "Id is taken",
    "meaning": "A short URL with this id exists or once existed. Ids are never given out twice.",
    "remedy": "Choose another id, or leave it out and have one made."
  },
  "idempotency_in_progress": {
    "status": 409,
    "title": "First attempt is still running",
    "meaning": "A request with this `Idempotency-Key` arrived before and has not finished yet.",
    "remedy": "Wait for `Retry-After` and repeat the request unchanged, with the same key."
  },
  "conversation_full": {
    "status": 409,
    "title": "Conversation is full",
    "meaning": "A conversation holds at most 100 members, and this one does.",
    "remedy": "Remove a member first, or start another conversation."
  },
  "not_ready": {
    "status": 409,
    "title": "Not ready",
    "meaning": "Something that a job makes was asked for, and the job has not succeeded; it is still on the way, or it has failed.",
    "remedy": "Read the job and wait until its `status` is `succeeded`. If it is `failed` there will be nothing."
  },
  "upload_offset_mismatch": {
    "status": 409,
    "title": "Offset does not match",
    "meaning": "The bytes of a resumable upload were sent for a place that is not where the service stands, or the upload is complete. Nothing was taken.",
    "remedy": "`Upload-Offset` tells where to go on, and `Upload-Complete` whether there is anything left to send."
  },
  "gone": {
    "status": 410,
    "title": "Gone",
    "meaning": "The short URL existed and was deleted or has expired. It will not come back.",
    "remedy": "Remove the link. There is nothing to retry."
  },
  "precondition_failed": {
    "status": 412,
    "title": "Changed since you read it",
    "meaning": "`If-Match` does not name the present version of the resource. Nothing was changed.",
    "remedy": "Read the resource again, apply the change to what it is now, and send that with its new `ETag`."
  },
  "content_too_large": {
    "status": 413,
    "title": "Body is too large",
    "meaning": "The body exceeds the limit: 128 KiB for JSON, and for a video what the operator allows, 2 GiB unless configured otherwise. Nothing was stored.",
    "remedy": "Send less. The limit is named in `detail`."
  },
  "storage_quota_exceeded": {
    "status": 413,
    "title": "No room left for this user",
    "meaning": "With this upload the files that you have uploaded would take up more than the operator allows one user; uploads under way count too. Nothing of this request was stored.",
    "remedy": "Delete videos, or give up uploads, and send it again. Sending the same again before that gives the same answer."
  },
  "uri_too_long": {
    "status": 414,
    "title": "URI is too long",
    "meaning": "The request target is longer than the service reads.",
    "remedy": "Send only parameters that this document describes."
  },
  "unsupported_media_type": {
    "status": 415,
    "title": "Media type is not supported",
    "meaning": "The `Content-Type` is missing or is not the one this operation takes, which `detail` names; or the body has a `Content-Encoding`.",
    "remedy": "Send `application/json` in UTF-8, uncompressed; for a video `application/octet-stream`, and for the rest of a resumable upload `application/partial-upload`."
  },
  "range_not_satisfiable": {
    "status": 416,
    "title": "Range is outside the file",
    "meaning": "No byte of the file is in the range that was asked for.",
    "remedy": "`Content-Range` tells how many bytes there are; ask for some of those."
  },
  "idempotency_key_reused": {
    "status": 422,
    "title": "Key was used for another request",
    "meaning": "This `Idempotency-Key` already belongs to a request with a different payload. Nothing was done.",
    "remedy": "Use a fresh key for a new request. To repeat the old one, send exactly what was sent then."
  },
  "target_not_allowed": {
    "status": 422,
    "title": "Target is not allowed",
    "meaning": "The target looks like a URL but cannot be followed: it leads back to this shortener, or URL parsers reject it.",
    "remedy": "Give the address of the page itself."
  },
  "expires_at_invalid": {
    "status": 422,
    "title": "Expiry is out of range",
    "meaning": "`expires_at` is not in the future, or more than ten years away.",
    "remedy": "Choose a later or an earlier moment, or leave the field out for a link without expiry."
  },
  "unknown_user": {
    "status": 422,
    "title": "Unknown user",
    "meaning": "The request names a user who does not exist. `errors` points at each of them.",
    "remedy": "Correct or leave out the ids pointed at."
  },
  "digest_mismatch": {
    "status": 422,
    "title": "Digest does not match",
    "meaning": "The bytes received do not have the SHA-256 that `Content-Digest` announces. Nothing was stored.",
    "remedy": "Compute the digest over exactly the bytes of the body and upload again."
  },
  "rate_limited": {
    "status": 429,
    "title": "Too many requests",
    "meaning": "The quota of this operation is used up for now, or too many requests of this user are running at once. Nothing was done.",
    "remedy": "Wait for `Retry-After`, then repeat the request, with the same `Idempotency-Key` if it had one."
  },
  "headers_too_large": {
    "status": 431,
    "title": "Headers are too large",
    "meaning": "The header section of the request is longer than the service reads.",
    "remedy": "Send fewer or shorter headers; cookies are never needed."
  },
  "internal_error": {
    "status": 500,
    "title": "Internal error",
    "meaning": "The service failed in a way it did not foresee. Nothing about the cause is disclosed.",
    "remedy": "Report the `request_id`. Repeat the request if it is safe to do so: a read, a PUT, PATCH or DELETE, or a POST with its `Idempotency-Key`."
  },
  "unavailable": {
    "status": 503,
    "title": "Temporarily unavailable",
    "meaning": "The service is overloaded, shutting down, or something it depends on does not answer.",
    "remedy": "Wait for `Retry-After` and repeat the request, backing off further each time."
  }
} as const;

export type ProblemCode = keyof typeof problems;
