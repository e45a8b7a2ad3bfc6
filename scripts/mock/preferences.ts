import { Failure } from "../../src/failure.ts";

/** The response that a client chooses with `Prefer`: a status of the operation, and one of its examples. */
export type Preferences = { readonly code: string | null; readonly example: string | null };

/** `name=value` or `name="value"`, after a comma as in RFC 7240, or after a semicolon. */
const PREFERENCE = /([\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*))/g;

/** Reads `Prefer` (RFC 7240): names in any case, values plain or quoted. Ignores empty values; of several values, the first one counts. */
export function preferencesIn(header = ""): Preferences {
  const found = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PREFERENCE)) {
    const [key, value] = [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain];
    if (value !== "" && !found.has(key)) found.set(key, value);
  }
  return { code: found.get("code") ?? null, example: found.get("example") ?? null };
}

/**
 * Refuses an unknown preference. RFC 7240 says to ignore it, but if you misspell the name of an example in a test, you would
 * then test the usual response without noticing.
 */
export function requireKnown(wanted: string | null, known: readonly string[], lack: string): void {
  if (wanted === null || known.includes(wanted)) return;
  throw new Failure(
    "validation_failed",
    `${lack} ${wanted.slice(0, 100)}; it has ${known.length === 0 ? "none" : known.join(", ")}.`,
  );
}

/** The header that lists the preferences that were applied (RFC 7240, section 3). */
export function preferenceApplied({ code, example }: Preferences): { readonly "Preference-Applied"?: string } {
  const applied = [...(code === null ? [] : [`code=${code}`]), ...(example === null ? [] : [`example=${example}`])];
  return applied.length === 0 ? {} : { "Preference-Applied": applied.join(", ") };
}
