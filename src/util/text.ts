/** Characters that change the direction of the surrounding text (UAX #9). */
export const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A line break of Unicode (UAX #14: BK, CR, LF and NL). */
export const LINE_BREAK = /[\n\v\f\r\x85\u2028\u2029]/;

const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;

/** Whether a text shows nothing. U+2800, a Braille pattern without dots, is no white space for Unicode. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text);

/** A text in one line that has the direction of its surroundings: without line breaks and other control characters. */
export const inLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").replaceAll(DIRECTION_CONTROLS, "");
