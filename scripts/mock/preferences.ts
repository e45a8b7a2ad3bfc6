import { Failure } from "../../src/failure.ts";

/** Which answer a client asks for by `Prefer`: a status of the operation, and one of its examples. */
export type Preferences = { readonly code: string | null; readonly example: string | null };

/** `name=value` or `name="value"`, wherever it stands: after a comma as RFC 7240 has it, or after a semicolon. */
const PREFERENCE = /([\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*))/g;

/** Reads `Prefer` (RFC 7240): names in any case, values plain or quoted; an empty value is none, and the first one counts. */
export function preferencesIn(header = ""): Preferences {
  const found = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PREFERENCE)) {
    const [key, value] = [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain];
    if (value !== "" && !found.has(key)) found.set(key, value);
  }
  return { code: found.get("code") ?? null, example: found.get("example") ?? null };
}

/**
 * Refuses a preference that nothing fits. RFC 7240 would have it ignored, but who misspells the name of an example in a
 * test would then test the usual answer without knowing.
 */
export function requireKnown(wanted: string | null, known: readonly string[], lack: string): void {
  if (wanted === null || known.includes(wanted)) return;
  throw new Failure(
    "validation_failed",
    `${lack} ${wanted.slice(0, 100)}; it has ${known.length === 0 ? "none" : known.join(", ")}.`,
  );
}

/** Tells which preferences have been honoured (RFC 7240, section 3). */
export function preferenceApplied({ code, example }: Preferences): { readonly "Preference-Applied"?: string } {
  const applied = [...(code === null ? [] : [`code=${code}`]), ...(example === null ? [] : [`example=${example}`])];
  return applied.length === 0 ? {} : { "Preference-Applied": applied.join(", ") };
}
