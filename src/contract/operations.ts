import { operations, type RatePolicy } from "#generated/operations.ts";
import type { OperationId } from "./contract.ts";

/** An operation of the contract. `npm run generate` writes the values. */
export type Operation = {
  readonly id: OperationId;
  /** In lower case, like the methods of an Express route. */
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** The path in the contract, such as `/posts/{post_id}`. */
  readonly path: string;
  readonly tag: string;
  /** The scopes that the credential must have, or null if no credential is required. */
  readonly scopes: readonly string[] | null;
  /** The outcome for each kind of caller (`x-access`). */
  readonly access: Readonly<Record<string, string>>;
  readonly ratePolicy: RatePolicy | "none";
  /** The first media type of the request body, or null if the operation has no request body. */
  readonly body: string | null;
  /** Whether a request without a body is refused. If not, it stands for an empty object. */
  readonly requiresBody: boolean;
  /** All media types of the request body, and ranges such as `video/*`. */
  readonly bodies: readonly string[];
  /** The media type of successful responses, or null if they have no body. */
  readonly produces: string | null;
  readonly queryParameters: readonly string[];
  /** Query parameters that must be integers. */
  readonly integerParameters: readonly string[];
  /** Query parameters with a default, which are therefore always present. */
  readonly defaultedParameters: readonly string[];
  readonly headerParameters: readonly string[];
  /** Those of them that are structured fields, whose values can have parameters. */
  readonly structuredHeaders: readonly string[];
  /** Whether unknown query parameters are ignored instead of refused. */
  readonly ignoresUnknownQuery: boolean;
  /** The query parameter for the cursor of the next page, or null if the operation is not a list. */
  readonly nextPageParameter: "after" | "before" | null;
  /** All headers that its responses declare. */
  readonly responseHeaders: readonly string[];
  /** The statuses of errors that are also available as a page for people. */
  readonly pageStatuses: readonly number[];
  /** When the operation was deprecated and when it can be removed, or null if it isn't deprecated. Dates are YYYY-MM-DD. */
  readonly deprecation: { readonly deprecated_at: string; readonly sunset_at: string; readonly link: string } | null;
};

/** Every operation, in the order of the contract. */
export const everyOperation: readonly Operation[] = Object.values<Operation>(operations);

/** The media type of nearly all bodies. */
export const JSON_TYPE = "application/json";

/** Whether the handler gets the body as a stream, instead of validated JSON. */
export const isStreamed = ({ body }: Operation): boolean => body !== null && body !== JSON_TYPE;

/** Whether successful responses are streams of bytes, sent as fast as the client reads them. */
export const sendsBytes = ({ produces }: Operation): boolean => produces !== null && produces !== JSON_TYPE;
