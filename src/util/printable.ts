/** Characters that change the direction of the text around them, so that it reads as another text (UAX #9). */
export const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** These, and what a terminal obeys (C0, DEL and C1, of which U+009B alone begins a sequence), except the end of a line. */
const OBEYED = new RegExp(`(?!\\n)\\p{Cc}|${DIRECTION_CONTROLS.source}`, "gu");

/**
 * Makes text of users harmless for a terminal, with escapes as in JSON: `JSON.stringify` leaves U+007F to U+009F and controls of
 * direction as they are, and a line of JSON keeps its value.
 */
export const printable = (text: string): string =>
  text.replaceAll(OBEYED, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);
