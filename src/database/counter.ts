type Counter = {
  readonly table: string;
  /** The column of the parent's row that counts its children, such as the messages of a conversation. */
  readonly column: string;
  /** The id of the parent, in SQL: a parameter such as `$1::uuid`. */
  readonly id: string;
  /** How many numbers to take, in SQL; one by default. The result is the last of them. */
  readonly count?: string;
  /** Assignments to other columns of the parent, in the same UPDATE. */
  readonly set?: string;
  /** A table or WITH query that `where` refers to. The parent's row is called `parent`. */
  readonly from?: string;
  readonly where?: string;
  /** Other columns to return. */
  readonly returning?: string;
};

/**
 * Returns the statement that takes the next number of a parent, as `number`: 1, 2, 3 and so on, in the order of commits,
 * without gaps or duplicates. Run it with `$queryRawUnsafe`, or as part of a larger statement. It locks the parent's row
 * until the transaction ends, and a rollback returns the number. A timestamp cannot replace it, because two requests often
 * have the same one, nor can a sequence, because a sequence has gaps.
 */
export function takeNumber({ table, column, id, count = "1", set, from, where, returning }: Counter): string {
  return `UPDATE ${table} AS parent SET ${[`${column} = parent.${column} + ${count}`, set].filter(Boolean).join(", ")}
    ${from === undefined ? "" : `FROM ${from}`} WHERE ${[`parent.id = ${id}`, where].filter(Boolean).join(" AND ")}
    RETURNING ${[`parent.${column} AS number`, returning].filter(Boolean).join(", ")}`;
}
