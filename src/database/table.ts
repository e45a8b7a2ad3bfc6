import type { Db, Tx } from "./client.ts";

/** A deleted user whose data is being erased. */
export type ErasedUser = { readonly id: string; readonly displayName: string };

/**
 * How Citus distributes the rows of a table: as a copy on every node (`reference`), on the `coordinator` only, or by the column `shard`.
 * Rows with equal values of `shard` are on one node, in all tables of the same colocation `group`.
 */
export type Distribution =
  | "reference"
  | "coordinator"
  | {
      readonly shard: string;
      readonly group: string;
      /** A function that runs on the node of its rows. `argument` has the value of `shard`. */
      readonly distributedFunction?: readonly [name: string, argument: string];
      /** The function of a BEFORE INSERT trigger that only a distributed table has. */
      readonly beforeInsert?: string;
    };

/**
 * The declaration of a table in the `tables.ts` of its area. Tests find missing tables, and missing columns of texts or ids.
 * A function with `batch` changes at most so many rows and returns their number; a smaller number means that none is left.
 * `Env` has the dependencies of `erase`.
 */
export type Table<Env = { readonly db: Db }> = {
  /** Without it, the rows are on the coordinator. A comment says why a table is where it is. */
  readonly distribution?: Distribution;
  /**
   * The columns with user ids, by what happens to their rows when the user is erased. `removed` rows are deleted in batches, and `cascade`
   * is for a few rows. `erased` rows are changed or removed by `erase` below.
   */
  readonly users?: Readonly<Record<string, "removed" | "cascade" | "erased" | "stays">>;
  /**
   * Columns with texts of users, which can contain the id of another user. The texts of other servers are `metadata`, because they can
   * repeat any user's text.
   */
  readonly userContent?: readonly string[];
  /** Other columns of texts, JSON, bytes or ids. An export includes them. They must not contain the id of an erased user. */
  readonly metadata?: readonly string[];
  /** Columns that are excluded from an export of a user's data, with the reasons. */
  readonly excluded?: Readonly<Record<string, string>>;
  /** Erases a user from one batch of rows. */
  readonly erase?: (env: Env, user: ErasedUser, signal: AbortSignal, batch: number) => Promise<number>;
  /** By table of another area: removes the rows about one of its rows that is deleted, or changes them so that they no longer name it. */
  readonly onDeleted?: Readonly<Record<string, (tx: Tx, id: string, batch: number) => Promise<number>>>;
  /** By table of another area: erases a user from the rows about a row of that table, which stays. */
  readonly onErased?: Readonly<Record<string, (tx: Tx, id: string, user: ErasedUser, batch: number) => Promise<number>>>;
};

export type Tables<Env = { readonly db: Db }> = Readonly<Record<string, Table<Env>>>;
