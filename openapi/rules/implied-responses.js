// The responses that follow from an operation, so that its file declares only its own.
import { everyOperation, has, hasEmptyBody } from "./walk.js";

/** A reference to the response in shared/responses.yaml for each status that follows. */
export function impliedBy({ operation, parameters, isEmpty = false }) {
  const isPublic = operation.security?.length === 0;
  const scopes = (operation.security ?? []).flatMap((it) => Object.values(it).flat());
  const takesJson = operation.requestBody?.content?.["application/json"] !== undefined;
  const key = parameters.find((it) => it.name === "Idempotency-Key");
  const namesResource = parameters.some((it) => it.in === "path");
  // If every user has access, and no path names a resource that can be missing, each valid id has a response.
  const canBeMissing = namesResource && !isPublic && !("authenticated" in (operation["x-access"] ?? {}));
  const invalid = () => {
    if (operation.operationId?.startsWith("list")) return "InvalidPage";
    if (takesJson) return key?.required ? "InvalidKeyedBody" : "InvalidBody";
    return operation.requestBody || !namesResource ? undefined : "InvalidRequest";
  };
  const names = {
    304: has(parameters, "header", "If-None-Match") && "NotModified",
    400: invalid(),
    401: !isPublic && "Unauthenticated",
    403: scopes.length > 0 && "InsufficientScope",
    404: canBeMissing && "NotFound",
    409: key && "IdempotencyInProgress",
    412: has(parameters, "header", "If-Match") && "ChangedSince",
    413: takesJson && "ContentTooLarge",
    415: takesJson && "UnsupportedMediaType",
    422: key && !isEmpty && "IdempotencyKeyReused",
    429: operation["x-rate-limit"] !== "none" && "TooManyRequests",
    500: "InternalError",
    503: operation["x-availability"] !== "always" && "Unavailable",
    default: "Other",
  };
  const needed = Object.entries(names).filter(([, name]) => name);
  return Object.fromEntries(needed.map(([status, name]) => [status, { $ref: `../shared/responses.yaml#/${name}` }]));
}

/** Adds them to each operation, before the contract is checked or bundled. What the operation declares itself stays. */
export function ImplyResponses() {
  return everyOperation((it, context) => {
    const isEmpty = hasEmptyBody(it.operation, context);
    it.operation.responses = { ...impliedBy({ ...it, isEmpty }), ...it.operation.responses };
  });
}
