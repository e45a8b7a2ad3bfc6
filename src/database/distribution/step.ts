/** What is done in one transaction. The rows of its tables are locked and counted. */
export type Step = {
  readonly title: string;
  readonly tables: readonly string[];
  /** What is locked from its beginning, so that no statement waits for a lock after the first row was copied. */
  readonly lock?: { readonly tables: readonly string[]; readonly mode: "ACCESS EXCLUSIVE" | "SHARE ROW EXCLUSIVE" };
  readonly statements: readonly string[];
  /** What needs the tables for itself, after all other statements. */
  readonly end?: { readonly lock: readonly string[]; readonly statements: readonly string[] };
};
