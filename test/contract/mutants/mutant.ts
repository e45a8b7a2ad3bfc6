/** One change of one file of openapi/. Keys are separated by blanks: none of them holds one. */
export type Edit = { readonly file: string; readonly at: string; readonly change: "set" | "remove" | "append" | "rename" | "last"; readonly to?: unknown };

/** A fault planted into a copy of the contract, and the rule that must find it. */
export type Mutant = {
  readonly rule: string;
  readonly fault: string;
  readonly edits: readonly Edit[];
  /** Rules that cannot help seeing the same fault. At least one mutant of every rule of ours must do without. */
  readonly also?: readonly string[];
};

/** Gives a key a value, whether it was there or not. */
export const set = (file: string, at: string, to: unknown): Edit => ({ file, at, change: "set", to });
/** Takes a key away; it has to be there. */
export const remove = (file: string, at: string): Edit => ({ file, at, change: "remove" });
/** Adds an entry to a list; the list has to be there. */
export const append = (file: string, at: string, to: unknown): Edit => ({ file, at, change: "append", to });
/** Gives a key another name in the same place; it has to be there. */
export const rename = (file: string, at: string, to: string): Edit => ({ file, at, change: "rename", to });
/** Moves a key behind the others; it has to be there. */
export const last = (file: string, at: string): Edit => ({ file, at, change: "last" });

/** The mutants of one rule: what is wrong, and the edit or edits that make it so. */
export function mutantsOf(rule: string, faults: Readonly<Record<string, Edit | readonly Edit[]>>, also?: readonly string[]): Mutant[] {
  return Object.entries(faults).map(([fault, edit]) => ({ rule, fault, edits: "file" in edit ? [edit] : edit, ...(also === undefined ? {} : { also }) }));
}
