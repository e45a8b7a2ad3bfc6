// Generated: do not edit, run `npm run generate`.

/** The problem codes of the contract, with their meanings and remedies. */
export const problems = {
  "validation_failed": {
    "status": 400,
    "title": "Request is not valid",
    "meaning": "A parameter, a header or a field of the body doesn't match its schema, or a parameter or field is unknown.",
    "remedy": "Correct the parts listed in `errors`. Don't retry the same request."
  },
  "malformed_body": {
    "status": 400,
    "title": "Body cannot be read",
    "meaning": "The body is missing or, for a JSON body, is not valid JSON in UTF-8.",
    "remedy": "Send one complete JSON document in UTF-8 or, for an upload, the bytes of the file."
  },
  "malformed_request": {
    "status": 400,
    "title": "Request is not valid HTTP",
    "meaning": "The service couldn't read the bytes on the connection as an HTTP/1.1 request and closed the connection.",
    "remedy": "Look for a client or a proxy that builds requests by hand. Standard HTTP libraries don't cause this."
  },
  "invalid_cursor": {
    "status": 400,
    "title": "Cursor is not valid for this list",
    "meaning": "The cursor was changed, or it comes from another list, another conversation, another filter or another sort order. For notifications, a `seen` that comes from another user has the same effect, and for messages, a cursor whose message the service has lost.",
    "remedy": "Send the same filters and sort order that you sent when you got the cursor, or start again without a cursor."
  },
  "conflicting_parameters": {
    "status": 400,
    "title": "Parameters can't be combined",
    "meaning": "You sent two parameters or fields that can't be combined, such as `offset` and `after`. `errors` lists both.",
    "remedy": "Send only one of them."
  },
  "idempotency_key_required": {
    "status": 400,
    "title": "Idempotency-Key is required",
    "meaning": "This operation requires an `Idempotency-Key`, so that the service can recognise a retry.",
    "remedy": "Send a new key with each new request, and the same key with every retry of it."
  },
  "unauthenticated": {
    "status": 401,
    "title": "Credentials are missing",
    "meaning": "The request has no bearer token in the `Authorization` header, or uses another scheme.",
    "remedy": "Send `Authorization: Bearer` with an API key or an access token."
  },
  "invalid_token": {
    "status": 401,
    "title": "Token is not accepted",
    "meaning": "The token is malformed, unknown, expired, revoked, or issued for another service. The response doesn't tell which.",
    "remedy": "Get a new token. Don't repeat the request with the old one."
  },
  "insufficient_scope": {
    "status": 403,
    "title": "Scope is missing",
    "meaning": "The token is valid, but it lacks the scope that this operation needs. `WWW-Authenticate` names the scope.",
    "remedy": "Use a credential with that scope. `GET /account` returns the scopes of the current one."
  },
  "link_expired": {
    "status": 403,
    "title": "Link has expired",
    "meaning": "The playback link was valid, but its `expires_at` has passed.",
    "remedy": "Get new links with `createPlayback`. If another user gave you the link, ask them for a new one."
  },
  "invalid_link": {
    "status": 403,
    "title": "Link is not valid",
    "meaning": "The service has not made this playback link for this file: it was changed, its token comes from another link, or the operator has replaced the secret that sealed it. The response doesn't tell which.",
    "remedy": "Use the `href` of `createPlayback` as it is, with its whole query, or get new links."
  },
  "not_a_member": {
    "status": 403,
    "title": "Not a member of this conversation",
    "meaning": "You are not, or no longer, a member of this conversation.",
    "remedy": "Ask the owner of the conversation to add you. If you were leaving it and retried, the first request succeeded."
  },
  "not_the_owner": {
    "status": 403,
    "title": "Not the owner of this conversation",
    "meaning": "You are a member, but only the owner can add members, remove others, change the title or hand over.",
    "remedy": "Ask the owner. `GET /conversations/{conversationId}/members` shows which member that is."
  },
  "not_the_author": {
    "status": 403,
    "title": "Not the author of this post",
    "meaning": "Every user can read this post, but only its author can change or delete it.",
    "remedy": "In your client, offer the action only if the post's `author_id` is your `user_id`."
  },
  "directory_disabled": {
    "status": 403,
    "title": "Search for users is turned off",
    "meaning": "The operator of this service doesn't allow searching for users by name.",
    "remedy": "Ask your colleague for the `user_id` that `GET /account` returns."
  },
  "not_found": {
    "status": 404,
    "title": "Not found",
    "meaning": "There is no such resource, or it belongs to another user. The response doesn't tell which.",
    "remedy": "Check the id. If it was valid before, the resource has been deleted. If you were deleting it and retried, your first request may have succeeded."
  },
  "route_not_found": {
    "status": 404,
    "title": "No such path",
    "meaning": "The path is not part of this API. Paths are case-sensitive and have no trailing slash.",
    "remedy": "Compare the path with this document, including upper and lower case."
  },
  "method_not_allowed": {
    "status": 405,
    "title": "Method is not supported here",
    "meaning": "The path exists, but it doesn't support this method.",
    "remedy": "Use one of the methods listed in `Allow`."
  },
  "not_acceptable": {
    "status": 406,
    "title": "No acceptable representation",
    "meaning": "The response is JSON, but the `Accept` header excludes it.",
    "remedy": "Send `Accept: application/json`, or leave the header out."
  },
  "request_timeout": {
    "status": 408,
    "title": "Request took too long to arrive",
    "meaning": "The request didn't arrive completely in time. Nothing was done, except that the bytes already received of a resumable upload are kept.",
    "remedy": "Send the request again on a new connection, with the same `Idempotency-Key` if it had one. Resume a resumable upload from `Upload-Offset`."
  },
  "id_taken": {
    "status": 409,
    "title": "Id is taken",
    "meaning": "A short URL has or had this id. Ids are never reused.",
    "remedy": "Choose another id, or leave it out to have one generated."
  },
  "idempotency_in_progress": {
    "status": 409,
    "title": "First request is still running",
    "meaning": "An earlier request with this `Idempotency-Key` has not finished yet.",
    "remedy": "Wait for `Retry-After`, then retry the same request with the same key."
  },
  "conversation_full": {
    "status": 409,
    "title": "Conversation is full",
    "meaning": "The conversation already has 100 members, which is the maximum.",
    "remedy": "Remove a member first, or start another conversation."
  },
  "endpoint_limit_reached": {
    "status": 409,
    "title": "Too many endpoints",
    "meaning": "You already have 10 webhook endpoints, which is the maximum.",
    "remedy": "Delete an endpoint that you don't need, or give an existing one another `url` or other `events`."
  },
  "endpoint_disabled": {
    "status": 409,
    "title": "Endpoint is disabled",
    "meaning": "The webhook endpoint is disabled, so the service sends nothing to it. Nothing was done.",
    "remedy": "Enable it with `PATCH /webhook-endpoints/{endpoint_id}` and `{\"status\": \"active\"}`, then send the request again."
  },
  "disabled_by_operator": {
    "status": 409,
    "title": "Disabled by the operator",
    "meaning": "The operator has disabled the webhook endpoint, so its owner can't enable it. Nothing was changed.",
    "remedy": "Ask the operator. You can delete the endpoint."
  },
  "not_ready": {
    "status": 409,
    "title": "Not ready",
    "meaning": "You asked for the result of a job that has not succeeded: it is still in progress, or it has failed.",
    "remedy": "Poll the job until its `status` is `succeeded`. If it is `failed`, there is no result."
  },
  "upload_offset_mismatch": {
    "status": 409,
    "title": "Offset does not match",
    "meaning": "`Upload-Offset` is not the number of bytes stored, or the upload is already complete. The bytes of this request were not stored.",
    "remedy": "If `Upload-Complete` is `?0`, resume from the `Upload-Offset` of this response. If it is `?1`, there is nothing left to send."
  },
  "gone": {
    "status": 410,
    "title": "Gone",
    "meaning": "The short URL was deleted or has expired, and leads nowhere else. It will not work again.",
    "remedy": "Remove the link. Don't retry."
  },
  "precondition_failed": {
    "status": 412,
    "title": "Version does not match",
    "meaning": "`If-Match` doesn't match the current version of the resource. Nothing was changed.",
    "remedy": "Read the resource again, apply your change to the new version, and send it with the new `ETag`."
  },
  "content_too_large": {
    "status": 413,
    "title": "Body is too large",
    "meaning": "The body is larger than the limit: 128 KiB for JSON, and for a video what the operator allows, 2 GiB by default. Nothing was stored.",
    "remedy": "Send a smaller body. `detail` names the limit."
  },
  "storage_quota_exceeded": {
    "status": 413,
    "title": "Storage quota exceeded",
    "meaning": "With this upload, your files would exceed the storage quota that the operator allows you. Uploads in progress count too. Nothing of this request was stored.",
    "remedy": "Delete video uploads or incomplete resumable uploads, then send the request again. If deleted files count for some more hours, `detail` says so."
  },
  "uri_too_long": {
    "status": 414,
    "title": "URI is too long",
    "meaning": "The path and query of the request are longer than the service accepts.",
    "remedy": "Send only parameters that this document describes."
  },
  "unsupported_media_type": {
    "status": 415,
    "title": "Media type is not supported",
    "meaning": "The `Content-Type` is missing or is not the one that this operation accepts, or the body has a `Content-Encoding`. `detail` names the media type to send.",
    "remedy": "Send uncompressed `application/json` in UTF-8; for a video, `application/octet-stream` or `video/*`; to continue a resumable upload, `application/partial-upload`."
  },
  "range_not_satisfiable": {
    "status": 416,
    "title": "Range is outside the file",
    "meaning": "The requested range is beyond the end of the file.",
    "remedy": "Request a range within the size of the file, which is in `Content-Range`."
  },
  "idempotency_key_reused": {
    "status": 422,
    "title": "Key was used for another request",
    "meaning": "You have already used this `Idempotency-Key` for a different request. Nothing was done.",
    "remedy": "Use a new key for a new request. To retry the earlier request, send exactly what you sent then."
  },
  "target_not_allowed": {
    "status": 422,
    "title": "Target is not allowed",
    "meaning": "An address can't be used. The `target_url` or the `expired_url` of a short URL points to this service itself, or URL parsers reject it. The `url` of a webhook endpoint is not public, or is not https. `detail` says which.",
    "remedy": "Send the final address of the page, or a public https address of your receiver."
  },
  "expires_at_invalid": {
    "status": 422,
    "title": "Expiry is out of range",
    "meaning": "`expires_at` is in the past or more than ten years away.",
    "remedy": "Choose a moment in the next ten years, or leave the field out for a short URL that doesn't expire."
  },
  "days_not_available": {
    "status": 422,
    "title": "Days are not available",
    "meaning": "`from` is more than 399 days ago, `to` is in the future, or `from` is after `to`; or one of them is not a day, such as `2026-02-30`. `errors` says which.",
    "remedy": "Choose days from the last 400 days, in UTC. Leave out `to` for the days until today."
  },
  "unknown_user": {
    "status": 422,
    "title": "Unknown user",
    "meaning": "The request names a user that doesn't exist. `errors` points at each of them or, if the operator has turned the search for users off, only at the list.",
    "remedy": "Correct or remove these ids."
  },
  "digest_mismatch": {
    "status": 422,
    "title": "Digest does not match",
    "meaning": "The bytes received don't match the digest that you sent in `Content-Digest` or `Repr-Digest`. The bytes of this request were not stored.",
    "remedy": "Compute the digest over exactly the bytes that you send, and send them again."
  },
  "display_name_not_allowed": {
    "status": 422,
    "title": "Name is not allowed",
    "meaning": "The name has spaces at an end, control characters or characters that turn the direction of text, or nothing visible. The service never changes a name that you send.",
    "remedy": "Send a name that readers see as you typed it."
  },
  "unknown_sequence": {
    "status": 422,
    "title": "Unknown sequence",
    "meaning": "The conversation has no message with this `sequence` yet. Nothing was changed.",
    "remedy": "Send the `sequence` of a message that you have received."
  },
  "rate_limited": {
    "status": 429,
    "title": "Too many requests",
    "meaning": "You have exceeded a rate limit or another limit that `detail` names, such as the number of requests that run at the same time. Nothing was done.",
    "remedy": "Wait for `Retry-After`, then retry the request, with the same `Idempotency-Key` if it had one."
  },
  "headers_too_large": {
    "status": 431,
    "title": "Headers are too large",
    "meaning": "The headers of the request are longer than the service accepts.",
    "remedy": "Send fewer or shorter headers. Cookies are never needed."
  },
  "internal_error": {
    "status": 500,
    "title": "Internal error",
    "meaning": "The service failed unexpectedly. The response doesn't disclose the cause.",
    "remedy": "Report the `request_id`. You can retry a GET, HEAD, PUT, PATCH or DELETE, or a POST with its `Idempotency-Key`."
  },
  "unavailable": {
    "status": 503,
    "title": "Temporarily unavailable",
    "meaning": "The service is overloaded or shutting down, or something that it depends on is not available.",
    "remedy": "Wait for `Retry-After`, then retry the request. Wait longer after each further attempt."
  }
} as const;

export type ProblemCode = keyof typeof problems;
