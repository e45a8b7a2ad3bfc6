import type { Edit } from "./edit.ts";

/** A mistake in a copy of the contract, and the rule that must find it. */
export type Mutant = {
  readonly rule: string;
  readonly fault: string;
  readonly edits: readonly Edit[];
  /** Rules that also find this mistake. */
  readonly also?: readonly string[];
};

/** The mutants of one rule: the name of each mistake, and the edits that cause it. */
export function mutantsOf(
  rule: string,
  faults: Readonly<Record<string, Edit | readonly Edit[]>>,
  also?: readonly string[],
): Mutant[] {
  return Object.entries(faults).map(([fault, edit]) => ({
    rule,
    fault,
    edits: "file" in edit ? [edit] : edit,
    ...(also === undefined ? {} : { also }),
  }));
}
