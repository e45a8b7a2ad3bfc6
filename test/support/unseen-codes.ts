/** Problem codes that the contract declares for an operation, and that no client sees there, with the reason. */
const BEFORE_AN_OPERATION_IS_FOUND: Readonly<Record<string, string>> = {
  malformed_request: "test/http/messages.test.ts",
  headers_too_large: "test/http/messages.test.ts",
  uri_too_long: "test/contract/refusals.test.ts",
  route_not_found: "test/contract/refusals.test.ts",
  method_not_allowed: "test/contract/refusals.test.ts",
  request_timeout: "test/http/waiting.slow.test.ts",
};
/** Their success isn't JSON, so they ignore `Accept`: see test/contract/refusals.test.ts. */
const WITHOUT_ACCEPT = ["followUrl", "getVideoPoster", "getVideoRendition"];

/** Why no test can see this code in a response of this operation; null if one must. */
export function reasonNotToSee(operationId: string, status: string, code: string): string | null {
  if (status === "default" && code in BEFORE_AN_OPERATION_IS_FOUND)
    return `the response comes before an operation is found: ${BEFORE_AN_OPERATION_IS_FOUND[code]}`;
  if (code === "not_acceptable" && WITHOUT_ACCEPT.includes(operationId)) return "the operation ignores Accept";
  return null;
}
