import type { Runner } from "../database/statement.ts";

export { claimKey, findStoredResponse } from "#generated/sql/idempotency.ts";

/** The primary key of a stored response. */
export type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };
/** A key to claim, and the response to store with it, in which `placeholder` stands for the creation time of the row. */
type Claim = { readonly [K in keyof KeyId | "headers" | "response" | "placeholder"]: string } & {
  readonly fingerprint: Uint8Array;
  readonly status: number;
};
type ClaimOrNot = { readonly [K in keyof Claim]: Claim[K] | null };
const NO_CLAIM: ClaimOrNot = {
  ...{ userId: null, operationId: null, key: null, fingerprint: null },
  ...{ status: null, headers: null, response: null, placeholder: null },
};

/** Inserts a row, claims a key in the same statement, and returns `created_at`. Null if it inserts nothing: the key may be used. */
export type KeyedInsert<Row> = (runner: Runner, row: Row, claim?: Claim) => Promise<string | null>;

/** An insert whose statement also claims a key, unless it is null. */
export function keyedInsert<P extends ClaimOrNot>(
  insert: (runner: Runner, it: P) => Promise<{ readonly createdAt: string } | null>,
): KeyedInsert<Omit<P, keyof Claim>> {
  return async (runner, row, claim) =>
    (await insert(runner, { ...row, ...(claim ?? NO_CLAIM) } as unknown as P))?.createdAt ?? null;
}
