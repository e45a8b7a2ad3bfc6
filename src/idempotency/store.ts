export { claimKey, findStoredResponse } from "#generated/sql/idempotency.ts";

/** The primary key of a stored response. */
export type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };
/** A key to claim, and the response to store with it, in which `placeholder` stands for the creation time of the row. */
type Claim = { readonly [K in keyof KeyId | "headers" | "response" | "placeholder"]: string } & {
  readonly fingerprint: Uint8Array;
  readonly status: number;
};
/** What a statement that inserts a row gets to claim a key too, unless it is null. */
export type ClaimOrNot = { readonly [K in keyof Claim]: Claim[K] | null };
export const NO_CLAIM: ClaimOrNot = {
  ...{ userId: null, operationId: null, key: null, fingerprint: null },
  ...{ status: null, headers: null, response: null, placeholder: null },
};
