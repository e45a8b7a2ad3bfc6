/** One transaction. The rows of its tables are locked and counted. */
export type Step = {
  readonly title: string;
  readonly tables: readonly string[];
  /** Locks at the beginning, so that no statement waits for a lock after the first row was copied. */
  readonly lock?: { readonly tables: readonly string[]; readonly mode: "ACCESS EXCLUSIVE" | "SHARE ROW EXCLUSIVE" };
  readonly statements: readonly string[];
  /** Statements with exclusive locks, after all other statements. */
  readonly end?: { readonly lock: readonly string[]; readonly statements: readonly string[] };
};
