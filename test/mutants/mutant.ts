/** A change that removes one guard from the source, and the tests that must fail. */
export type Mutant = {
  /** The effect of the change, as a sentence without a period. */
  readonly what: string;
  /** Text that occurs exactly once in src/, in any file. */
  readonly from: string;
  /** What stands in its place; nothing by default. */
  readonly to?: string;
  /** A second guard against the same fault, which must go too, because either one is enough. */
  readonly also?: { readonly from: string; readonly to: string };
  /** Test files, of which at least one must fail. */
  readonly tests: readonly string[];
  /** Runs only the tests whose names match, for a file with many tests. */
  readonly only?: string;
};
