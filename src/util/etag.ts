import { hash } from "node:crypto";
import { Failure } from "../failure.ts";

/** The strong entity tag of a representation (RFC 9110, 8.8.3). */
export function etagOf(representation: unknown): string {
  return `"${hash("sha256", JSON.stringify(representation), "base64url").slice(0, 27)}"`;
}

/** A 200 with the entity tag of `version`, by default the whole body. */
export const tagged = <Body>(body: Body, version: object = body as object) =>
  ({ status: 200, headers: { ETag: etagOf(version) }, body }) as const;

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

/**
 * Throws `Failure(precondition_failed)` if `If-Match` does not contain this tag. `advice` is for a client that has an earlier one. The
 * contract has the same code for a value that can match no version, but the detail differs.
 */
export function requireMatch(
  ifMatch: string | undefined,
  etag: string,
  noun: string,
  advice = "Read it again, then retry your change.",
): void {
  if (ifMatch === undefined || namesEtag(ifMatch, etag, "strong")) return;
  const tags = tagsIn(ifMatch);
  if (tags.some((it) => !it.startsWith("W/"))) {
    const detail = `The ${noun} has changed since you read it. ${advice}`;
    throw new Failure("precondition_failed", detail);
  }
  const flaw = tags.length > 0 ? "has a weak entity tag, which matches no version" : "is not a list of entity tags";
  const detail = `If-Match ${flaw}. Send the ETag of the ${noun} exactly as you received it.`;
  throw new Failure("precondition_failed", detail, { errors: [{ in: "header", pointer: "/if-match", code: "form", detail }] });
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
