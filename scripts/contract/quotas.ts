import type { Impact } from "./versions.ts";

/** From the most generous to the strictest, by the table in openapi/info.md; these are counted per user. */
const PER_USER: readonly unknown[] = ["none", "default", "writes", "uploads"];

/**
 * How grave it is that an operation draws on another quota. The numbers are the operator's; which quota it is, is promised.
 * `follow` is counted per address: whoever changes between that and a quota per user loses something in either direction,
 * because many users may share an address, and one user may have many.
 */
export function quotaImpact(was: unknown, now: unknown): Impact {
  if (now === "none") return "minor";
  const [before, after] = [PER_USER.indexOf(was), PER_USER.indexOf(now)];
  return before === -1 || after === -1 || after > before ? "major" : "minor";
}
