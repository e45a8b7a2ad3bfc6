import { isUuid } from "../../util/uuid.ts";

/** The characters of a URI that stand for themselves, and percent-encoded bytes (RFC 3986, 2). */
const URI_CHARACTER = /^(?:%[0-9A-Fa-f]{2}|[\w.~:/?#@!$&'()*+,;=-])$/;

/** The end of a sentence about a text that does not have a format: what is wrong, and what to write if that is known. */
export function formatFlaw(format: string, text: unknown): string {
  const flaw = `must be a valid ${format}`;
  if (typeof text !== "string") return flaw;
  if (format === "uuid" && isUuid(text.toLowerCase())) return `${flaw}, which has lower-case letters`;
  return format === "uri" ? `${flaw}${uriAdvice(text)}` : flaw;
}

/** A longer URL is refused for its length anyway. */
const ADVISED_LENGTH_MAX = 4_096;

/** Names the first character that a URI can't have there, as browsers and people write it. */
function uriAdvice(text: string): string {
  const host = /^[^/?#]*\/\/[^/?#]*/.exec(text)?.[0] ?? "";
  const characters = text.slice(0, ADVISED_LENGTH_MAX).match(/%[0-9A-Fa-f]{2}|./gsu) ?? [];
  let [position, isFragment] = [0, false];
  for (const it of characters) {
    const isInHost = position < host.length;
    const isRight = URI_CHARACTER.test(it) ? !(it === "#" && isFragment) : isInHost && "[]".includes(it);
    if (!isRight) {
      const instead = isInHost && it > "\x7f" ? "in Punycode" : `as ${percentEncoded(it)}`;
      return `: write ${JSON.stringify(it)} at character ${[...text.slice(0, position)].length + 1} ${instead}`;
    }
    isFragment ||= it === "#";
    position += it.length;
  }
  return "";
}

const percentEncoded = (character: string) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
