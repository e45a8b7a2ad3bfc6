/** One guard taken out of the source, and the tests that have to notice. */
export type Mutant = {
  /** What is gone, as a sentence without its end. */
  readonly what: string;
  /** Text that stands exactly once in src/, wherever its file is. */
  readonly from: string;
  readonly to: string;
  /** A second guard of the same thing, which has to go with it: either alone would do. */
  readonly also?: { readonly from: string; readonly to: string };
  /** Test files, of which at least one has to fail. */
  readonly tests: readonly string[];
  /** Runs only the tests whose names match, where a file has many. */
  readonly only?: string;
};
