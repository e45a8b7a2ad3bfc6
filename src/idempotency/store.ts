import type { Runner } from "../database/statement.ts";

/** The primary key of a stored response. */
export type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };
type Answer = { readonly fingerprint: Uint8Array; readonly status: number; readonly headers: string; readonly body: string };

export { claimKey, findStoredResponse } from "#generated/sql/idempotency.ts";

/** Inserts a row, and returns its `created_at`. Null if it inserts nothing. */
export type KeyedInsert<Row> = {
  (runner: Runner, row: Row): Promise<string | null>;
  /** Claims a key in the same statement. Null also if the key is used. `placeholder` stands for `created_at` in the answer. */
  once(runner: Runner, row: Row, id: KeyId, answer: Answer, placeholder: string): Promise<string | null>;
};

type Claim = { readonly [K in keyof KeyId | "headers" | "response" | "placeholder"]: string | null } & {
  readonly fingerprint: Uint8Array | null;
  readonly status: number | null;
};
const NO_CLAIM: Claim = {
  ...{ userId: null, operationId: null, key: null, fingerprint: null },
  ...{ status: null, headers: null, response: null, placeholder: null },
};

/** An insert whose statement also claims a key, unless it is null. */
export function keyedInsert<P extends Claim>(
  insert: (runner: Runner, it: P) => Promise<{ readonly createdAt: string } | null>,
): KeyedInsert<Omit<P, keyof Claim>> {
  const run = async (runner: Runner, row: Omit<P, keyof Claim>, claim: Claim) =>
    (await insert(runner, { ...row, ...claim } as unknown as P))?.createdAt ?? null;
  return Object.assign((runner: Runner, row: Omit<P, keyof Claim>) => run(runner, row, NO_CLAIM), {
    once: (runner: Runner, row: Omit<P, keyof Claim>, id: KeyId, { body: response, ...answer }: Answer, placeholder: string) =>
      run(runner, row, { ...id, ...answer, response, placeholder }),
  });
}
