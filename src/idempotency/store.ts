import { SQL_TYPES, statement, type Nullable, type RowOf, type SqlType, unplanned } from "../database/old-statement.ts";
import type { Runner } from "../database/statement.ts";

/** The primary key of a stored response. */
export type KeyId = { readonly userId: string; readonly operationId: string; readonly key: string };
type Answer = { readonly fingerprint: Uint8Array; readonly status: number; readonly headers: string; readonly body: string };

const TAKES = ["uuid", "text", "text", "bytes", "int", "json", "text", "text"] as const;
/** The time of the transaction as it is sent to clients, which is the default of `created_at`. */
const NOW = `to_char(now()::timestamptz(3) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The INSERT that claims a key that is free or expired, and stores the response, in which it replaces the last parameter by
 * `NOW`. It returns a row if it did, and waits for a transaction that has claimed the key. It does nothing unless `condition`.
 */
function claimInSql(taken: number, condition = "true"): string {
  const [user, operation, key, fingerprint, status, headers, body, placeholder] = TAKES.map(
    (type, index) => `$${taken + index + 1}::${SQL_TYPES[type]}`,
  );
  return `INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
    SELECT ${user}, ${operation}, ${key}, ${fingerprint}, ${status}, ${headers}, replace(${body}, ${placeholder}, ${NOW}) WHERE ${condition}
    ON CONFLICT (user_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at < now()
    RETURNING 1 AS claimed`;
}

const valuesOf = ({ userId, operationId, key }: KeyId, it: Answer, placeholder: string) =>
  [userId, operationId, key, it.fingerprint, it.status, it.headers, it.body, placeholder] as const;

export { claimKey, findStoredResponse } from "#generated/sql/idempotency.ts";

type Insert = (runner: Runner, ...values: readonly unknown[]) => Promise<{ readonly createdAt: string }[]>;
type Types = Readonly<Record<string, SqlType | `${SqlType}?`>>;
/** Inserts a row, and returns its `created_at`. Null if it inserts nothing. */
export type KeyedInsert<Row> = {
  (runner: Runner, row: Row): Promise<string | null>;
  /** Claims a key in the same statement. Null also if the key is used. `placeholder` stands for `created_at` in the answer. */
  once(runner: Runner, row: Row, id: KeyId, answer: Answer, placeholder: string): Promise<string | null>;
};

/**
 * Declares a statement that inserts a row and whatever belongs to it, alone and with an idempotency key. `text` returns it. Its
 * first WITH query is `claimed`, which has one row if the key could be claimed and `condition` holds, and it returns the row's
 * `created_at`. `value` returns a value in SQL, an array as `unplanned`.
 */
export function keyedStatement<const C extends Types>(it: {
  readonly name: string;
  readonly takes: C;
  text(value: (field: keyof C) => string, claimed: (condition?: string) => string): string;
}): KeyedInsert<RowOf<C>> {
  const [fields, types] = [Object.keys(it.takes), Object.values(it.takes)];
  const value = (field: keyof C) => {
    const index = fields.indexOf(String(field));
    const type = types[index]!.replace("?", "") as SqlType;
    return type.endsWith("[]") ? unplanned(`$${index + 1}`, type) : `$${index + 1}::${SQL_TYPES[type]}`;
  };
  const gives = { createdAt: "instant" } as const;
  const declare = (name: string, takes: readonly Nullable[], claim: (condition?: string) => string) => {
    const text = it.text(value, (condition) => `claimed AS (${claim(condition)})`);
    const run = statement({ name, takes, gives, text }) as Insert;
    return async (runner: Runner, ...values: readonly unknown[]) => (await run(runner, ...values))[0]?.createdAt ?? null;
  };
  const alone = declare(it.name, types, (condition = "true") => `SELECT 1 AS claimed WHERE ${condition}`);
  const keyed = declare(`${it.name}_once`, [...types, ...TAKES], (condition) => claimInSql(types.length, condition));
  const valuesIn = (row: RowOf<C>) => fields.map((field) => row[field]);
  return Object.assign((runner: Runner, row: RowOf<C>) => alone(runner, ...valuesIn(row)), {
    once: (runner: Runner, row: RowOf<C>, id: KeyId, answer: Answer, placeholder: string) =>
      keyed(runner, ...valuesIn(row), ...valuesOf(id, answer, placeholder)),
  });
}

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
