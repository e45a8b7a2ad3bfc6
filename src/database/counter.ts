type Counter = {
  readonly table: string;
  /** The column of the parent's row that counts its children, such as the messages of a conversation. */
  readonly column: string;
  /** The id of the parent, in SQL: a parameter such as `$1::uuid`. */
  readonly id: string;
  /** Other columns of the parent that change with the number. */
  readonly set?: string;
  /** A table or WITH query that `where` compares with; the parent's row is called `parent`. */
  readonly from?: string;
  readonly where?: string;
  /** Other columns to return. */
  readonly returning?: string;
};

/**
 * The statement that takes a parent's next number, as `number`: 1, 2, 3 and so on, in the order of the commits, without a
 * gap or a repetition. It locks the parent's row until the transaction ends, and a rollback gives the number back. An
 * instant cannot replace it, as two requests often have the same one, and neither can a sequence, which leaves gaps.
 */
export function takeNumber({ table, column, id, set, from, where, returning }: Counter): string {
  return `UPDATE ${table} AS parent SET ${[`${column} = parent.${column} + 1`, set].filter(Boolean).join(", ")}
    ${from === undefined ? "" : `FROM ${from}`} WHERE ${[`parent.id = ${id}`, where].filter(Boolean).join(" AND ")}
    RETURNING ${[`parent.${column} AS number`, returning].filter(Boolean).join(", ")}`;
}
