import type { Edit } from "./edit.ts";

/** A fault planted into a copy of the contract, and the rule that must find it. */
export type Mutant = {
  readonly rule: string;
  readonly fault: string;
  readonly edits: readonly Edit[];
  /** Rules that cannot help seeing the same fault. */
  readonly also?: readonly string[];
};

/** The mutants of one rule: what is wrong, and the edit or edits that make it so. */
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
