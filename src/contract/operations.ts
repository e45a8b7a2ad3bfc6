import { operations, type RatePolicy } from "#generated/operations.ts";
import type { OperationId } from "./contract.ts";

/** What the contract says of an operation. `npm run generate` writes it down for each one. */
export type Operation = {
  readonly id: OperationId;
  /** Lower case, as Express names its methods. */
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** `/posts/{post_id}` as the contract writes it. */
  readonly path: string;
  readonly tag: string;
  /** Scopes that the credential needs, or null if none is needed. */
  readonly scopes: readonly string[] | null;
  readonly ratePolicy: RatePolicy | "none";
  /** The media type of the body that the operation takes, or null when it takes none. */
  readonly body: string | null;
  /** All of the media types that it takes alike, `video/*` among them. */
  readonly bodies: readonly string[];
  /** The media type of its successes, or null when none has a body. */
  readonly produces: string | null;
  readonly queryParameters: readonly string[];
  /** Query parameters whose spelling must be that of an integer. */
  readonly integerParameters: readonly string[];
  /** Query parameters that are never absent, as they have a default. */
  readonly defaultedParameters: readonly string[];
  readonly headerParameters: readonly string[];
  /** Whether query parameters that the contract does not know are left alone instead of refused. */
  readonly ignoresUnknownQuery: boolean;
  /** The query parameter that goes to the next page, or null when the operation is no list. */
  readonly nextPageParameter: "after" | "before" | null;
  /** Headers that any of its answers may carry. */
  readonly responseHeaders: readonly string[];
  /** When the operation was given up and when it ends, or null as long as it is not. Dates are YYYY-MM-DD. */
  readonly deprecation: { readonly deprecated_at: string; readonly sunset_at: string; readonly link: string } | null;
};

/** Every operation, in the order of the contract. */
export const everyOperation: readonly Operation[] = Object.values<Operation>(operations);

/** The media type of nearly all bodies. */
export const JSON_TYPE = "application/json";

/** Whether the body is handed to the operation as it arrives, instead of being read and validated first. */
export const isStreamed = ({ body }: Operation): boolean => body !== null && body !== JSON_TYPE;

/** Whether its successes are bytes that are sent as the client takes them. */
export const sendsBytes = ({ produces }: Operation): boolean => produces !== null && produces !== JSON_TYPE;
