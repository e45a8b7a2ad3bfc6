import type { Db, Tx } from "./client.ts";

/** A deleted user, while everything of theirs is being removed. */
export type ErasedUser = { readonly id: string; readonly displayName: string };

/**
 * Where the rows of a table are if the database is distributed over several nodes: spread by the column `shard`, with all rows of
 * one value on one node, beside those of the same value in the other tables of the `group`; as a copy on every node (`reference`),
 * for what is read everywhere and seldom written; or on the `coordinator`, as an ordinary table.
 */
export type Place =
  | "reference"
  | "coordinator"
  | {
      readonly shard: string;
      readonly group: string;
      /** The function that runs on the node of its rows, with its argument that is the value of `shard`. */
      readonly runs?: readonly [name: string, argument: string];
      /** The function of a trigger that only a distributed table has, before each INSERT. */
      readonly beforeInsert?: string;
    };

/**
 * What the rest of the service must know about a table. `tables.ts` in the folder of an area declares its tables, and tests find a
 * table, or a column of texts or ids, that is missing. Whatever works in batches removes or changes at most `batch` rows, and
 * returns their number; fewer mean that none is left. `Env` is what `erase` needs.
 */
export type Table<Env = { readonly db: Db }> = {
  /** Without it, the rows are on the coordinator. A comment says why a table is where it is. */
  readonly place?: Place;
  /**
   * The columns with the id of a user, and what happens to their rows when the user is erased: they are `removed` in batches, they
   * go with the row of the user by a `cascade` of a few rows, `erase` below removes or changes them, or they `stay`.
   */
  readonly users?: Readonly<Record<string, "removed" | "cascade" | "erased" | "stays">>;
  /**
   * Columns that users write. If another user's text contains the id of a user, that is not a row of the user.
   * What another server has written is `technical`, because it can be the words of any user.
   */
  readonly written?: readonly string[];
  /** Other columns of texts, JSON, bytes or ids. They are exported with the row, and must not contain the id of an erased user. */
  readonly technical?: readonly string[];
  /** Columns that no copy of a user's data contains, with the reasons. */
  readonly leftOut?: Readonly<Record<string, string>>;
  /** Erases a user in one batch of rows. */
  readonly erase?: (env: Env, user: ErasedUser, signal: AbortSignal, batch: number) => Promise<number>;
  /** By table of another area: removes the rows about one of its rows that is deleted, or changes them so that they no longer name it. */
  readonly onDeleted?: Readonly<Record<string, (tx: Tx, id: string, batch: number) => Promise<number>>>;
  /** By table of another area: erases a user from the rows about one of its rows, which stays. */
  readonly onErased?: Readonly<Record<string, (tx: Tx, id: string, user: ErasedUser, batch: number) => Promise<number>>>;
};

export type Tables<Env = { readonly db: Db }> = Readonly<Record<string, Table<Env>>>;
