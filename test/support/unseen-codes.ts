/** Problem codes that the contract declares under `default`, and that come before an operation is found, with their test. */
const BEFORE_AN_OPERATION: Readonly<Record<string, string>> = {
  malformed_request: "test/http/messages.test.ts",
  headers_too_large: "test/http/messages.test.ts",
  uri_too_long: "test/contract/refusals.test.ts",
  route_not_found: "test/contract/refusals.test.ts",
  method_not_allowed: "test/contract/refusals.test.ts",
  request_timeout: "test/http/waiting.slow.test.ts",
};

/** Why no client of an operation sees this code under this status; null if a test must see it. */
export function reasonNotToSee(status: string, code: string, returnsJson: boolean): string | null {
  if (status === "default" && code in BEFORE_AN_OPERATION)
    return `it comes before an operation is found: ${BEFORE_AN_OPERATION[code]}`;
  if (code === "not_acceptable" && !returnsJson)
    return "its success isn't JSON, so it ignores Accept: test/contract/refusals.test.ts";
  return null;
}
