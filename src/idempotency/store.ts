export { claimKey, findStoredResponse } from "#generated/sql/idempotency.ts";

/** The primary key of a stored response. */
export type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };
/** What a statement claims a key with: all null without one. `placeholder` stands for the creation time in the response. */
export type Claim = { readonly [K in keyof KeyId | "headers" | "response" | "placeholder"]: string | null } & {
  readonly fingerprint: Uint8Array | null;
  readonly status: number | null;
};
export const NO_CLAIM: Claim = {
  ...{ userId: null, operationId: null, key: null, fingerprint: null },
  ...{ status: null, headers: null, response: null, placeholder: null },
};
