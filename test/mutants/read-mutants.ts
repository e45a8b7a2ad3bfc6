import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Replaces a text that occurs exactly once in `file`, or without one in all of src/. */
export type Edit = { readonly from: string; readonly to: string; readonly file?: string };

/** A change that removes a guard from the source, and the tests that must fail. */
export type Mutant = {
  /** The effect of the change, as a sentence without a period. */
  readonly what: string;
  /** Several, if either of two guards is enough. */
  readonly edits: readonly Edit[];
  /** Test files, of which at least one must fail. */
  readonly tests: readonly string[];
  /** Runs only the tests whose names match, for a file with many tests. */
  readonly only?: string;
};

/**
 * Reads the mutants of a file. A paragraph has the effect, a line with `-` for each line that is searched, and a line with `+`
 * for each that replaces it. A line with `?` names a test file, and can name its tests. `and` begins another edit. A line with `@`
 * names the file of an edit, for a text that other files have, too.
 */
export function parseMutants(text: string): readonly Mutant[] {
  const paragraphs = text
    .trimEnd()
    .split(/\n\n+/)
    .filter((it) => !it.startsWith("#"));
  return paragraphs.map((paragraph) => {
    const [what = "", ...lines] = paragraph.split("\n");
    const textOf = (of: readonly string[], mark: string) =>
      of
        .filter((it) => it === mark || it.startsWith(`${mark} `))
        .map((it) => it.slice(2))
        .join("\n");
    const tests = lines.flatMap((it) => [/^\? (\S+)(?: "(.+)")?$/.exec(it) ?? []]).filter((it) => it.length > 0);
    const only = tests.find(([, , name]) => name !== undefined)?.[2];
    const edits = lines
      .join("\n")
      .split("\nand\n")
      .map((it) => it.split("\n"));
    return {
      what,
      edits: edits.map((it) => {
        const file = it.find((line) => line.startsWith("@ "))?.slice(2);
        return { from: textOf(it, "-"), to: textOf(it, "+"), ...(file === undefined ? {} : { file }) };
      }),
      tests: tests.map(([, file]) => file!),
      ...(only === undefined ? {} : { only }),
    };
  });
}

/** Every mutant that `npm run test:mutants` applies. */
export const mutants: readonly Mutant[] = readdirSync(import.meta.dirname)
  .filter((it) => it.endsWith(".diff"))
  .flatMap((it) => parseMutants(readFileSync(join(import.meta.dirname, it), "utf8")));
