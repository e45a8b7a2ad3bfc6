import { DIRECTION_CONTROLS } from "./text.ts";

/** Direction controls, and the control characters of terminals (C0, DEL and C1), except line feeds. */
const CONTROLS = new RegExp(`(?!\\n)\\p{Cc}|${DIRECTION_CONTROLS.source}`, "gu");

/** Escapes control characters in user content for a terminal, as in JSON. `JSON.stringify` leaves U+007F to U+009F and direction controls. */
export const printable = (text: string): string =>
  text.replaceAll(CONTROLS, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);
