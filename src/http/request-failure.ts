import { contentTooLarge, Failure } from "../failure.ts";

/** What an error of Express or of its body parser means to the client; null for any other. */
export function requestFailure(error: unknown): Failure | null {
  if (error instanceof URIError)
    return new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause: error });
  const { type, limit = 0 } = error as { readonly type?: string; readonly limit?: number };
  switch (type) {
    case "entity.parse.failed":
      return new Failure("malformed_body", "The body is not valid JSON.", { cause: error });
    case "entity.too.large":
      return contentTooLarge("The body", limit);
    case "request.size.invalid":
    case "request.aborted":
      return new Failure("malformed_body", "The body is shorter than its Content-Length says.", { cause: error });
    default:
      return null;
  }
}
