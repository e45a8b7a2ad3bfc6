import { hash } from "node:crypto";

/** The strong entity tag (RFC 9110, 8.8.3) of a representation. Tags are equal if and only if the bytes are equal. */
export function etagOf(representation: unknown): string {
  return `"${hash("sha256", JSON.stringify(representation), "base64url").slice(0, 27)}"`;
}

/** The success of an operation that returns a representation with its entity tag. */
export const tagged = <Body>(body: Body) => ({ status: 200, headers: { ETag: etagOf(body) }, body }) as const;

/** A weak entity tag: representations with equal tags have the same meaning, but their bytes can differ. */
export const weakEtagOf = (meaning: unknown): string => `W/${etagOf(meaning)}`;

/**
 * Whether an `If-None-Match` or `If-Match` value contains this tag or is `*`. Weak tags match only in `If-None-Match`
 * (RFC 9110, 13.1). A value that is not a list of entity tags matches nothing.
 */
export function namesEtag(header: string, etag: string, comparison: "weak" | "strong"): boolean {
  if (header.trim() === "*") return true;
  const tags = tagsIn(header);
  if (comparison === "weak") return tags.some((tag) => opaque(tag) === opaque(etag));
  return !etag.startsWith("W/") && tags.includes(etag);
}

/** Why an `If-Match` value that is not `*` matches no version at all, or null if it could match one. */
export function whyNeverMatching(header: string): "malformed" | "weak" | null {
  const tags = tagsIn(header);
  if (tags.length === 0) return "malformed";
  return tags.every((it) => it.startsWith("W/")) ? "weak" : null;
}

/** The tags of a list. Empty if the value is not a list of entity tags. */
function tagsIn(header: string): readonly string[] {
  const isList = header
    .replaceAll(TAG, "\0")
    .split(",")
    .every((it) => ["", "\0"].includes(it.trim()));
  return isList ? (header.match(TAG) ?? []) : [];
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

const opaque = (tag: string) => tag.replace(/^W\//, "");
