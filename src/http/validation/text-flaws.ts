import { isBlank, LINE_BREAK } from "../../util/text.ts";

/** The kinds of texts that people write, as the contract names them (`x-text`). */
type TextKind = "line" | "text";

const CONTROL = /[\0-\x1f\x7f]/;
/** What a line can't have, and what it can't begin with: a space other than U+0020. */
const NOT_IN_A_LINE = new RegExp(`${CONTROL.source}|${LINE_BREAK.source}`);
const OTHER_SPACE_FIRST = /^ *(?! )\s/;

/** The end of a sentence about a text that is not of its kind; null if it is. The patterns of the contract are only almost as strict. */
export function textFlaw(kind: TextKind, text: string): string | null {
  if (isBlank(text)) return "must have something visible";
  if (kind === "text") return null;
  const [wrong] = NOT_IN_A_LINE.exec(text) ?? [];
  if (wrong !== undefined) return `must be a single line: remove ${nameOf(wrong)} ${place(text, text.indexOf(wrong))}`;
  const [beginning] = OTHER_SPACE_FIRST.exec(text) ?? [];
  return beginning === undefined ? null : `must not begin with ${nameOf(beginning.at(-1)!)}`;
}

const nameOf = (character: string) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

const place = (text: string, index: number) => `at character ${[...text.slice(0, index)].length + 1}`;
