import { keysOf, nodeAt, type Contract } from "./document.ts";
import type { RawChange } from "./redocly-diff.ts";
import type { Sides } from "./sides.ts";
import type { Impact } from "./versions.ts";
import { short } from "./words.ts";

/** What happened to an extension; `key` is the field of it that changed, or undefined when the whole came, went or changed. */
type Extension = {
  readonly key: string;
  readonly isWhole: boolean;
  readonly was: string | undefined;
  readonly now: string | undefined;
  /** Where it is written. */
  readonly owner: string;
  readonly sides: Sides;
  readonly revision: Contract;
};

/** How grave a change is, and what happened, in words; null when it is said elsewhere. */
type Verdict = readonly [Impact, string] | null;

/** From the most generous to the strictest, by the table in openapi/info.md; these are counted per user. */
const PER_USER: readonly (string | undefined)[] = ["none", "default", "writes", "uploads"];

const moved = ({ key, was = "nothing", now = "nothing" }: Extension) => `${key}: ${was} → ${now}`;
const isNew = ({ was, now }: Extension) => was === undefined && now !== undefined;

/** How COMPATIBILITY.md rates the extensions of the contract, and those that legible.ts adds. */
const RATINGS: Readonly<Record<string, (change: Extension) => Verdict>> = {
  // That nobody is asked any more breaks no client, and is still nothing to slip through with a minor version.
  "x-needs": (it) => {
    if (it.was !== undefined && it.now !== undefined) return ["major", `needs ${it.key} of another kind: ${it.now}`];
    return ["major", `${isNew(it) ? "needs" : "no longer needs"} ${it.key}`];
  },
  "x-answers": (it) => (isNew(it) ? ["minor", `may answer ${it.key} now`] : ["major", `no longer answers ${it.key}`]),
  "x-parts": ({ key, was, now }) => {
    if (was === undefined || now === undefined) return null;
    return now === "experimental"
      ? ["major", `${key} is experimental now, which it was not`]
      : ["minor", `${key} is no longer experimental`];
  },
  "x-stability": ({ now, owner }) => {
    if (keysOf(owner).length > 3 || keysOf(owner)[0] !== "paths") return null;
    return now === undefined ? ["minor", "is no longer experimental"] : ["major", "is experimental now, which it was not"];
  },
  "x-access": (it) => [it.now === "allowed" ? "minor" : "major", moved(it)],
  "x-rate-limit": ({ was, now }) => [rateLimitImpact(was, now), `draws on the quota ${now} instead of ${was}`],
  "x-unknown-query": ({ now }) =>
    now === "ignored" ? ["minor", "ignores unknown query parameters now"] : ["major", "refuses unknown query parameters now"],
  "x-no-idempotency-key": () => ["patch", "`x-no-idempotency-key` is worded anew"],
  "x-deprecation": (it) => {
    if (it.isWhole) return ["minor", isNew(it) ? `is deprecated: ${it.now}` : "is no longer deprecated"];
    return [it.key === "sunset_at" && (it.now ?? "") < (it.was ?? "") ? "major" : "minor", moved(it)];
  },
  "x-extensible-enum": (it) => {
    if (it.isWhole) return isNew(it) ? ["minor", "is an open set now"] : ["major", "is no open set any more"];
    return isNew(it) ? ["minor", `the open set gains \`${it.key}\``] : ["major", `the open set loses \`${it.key}\``];
  },
  // The names of values that come or go are part of that.
  "x-constants": (it) => (it.was === undefined || it.now === undefined ? null : ["major", `the name of the value ${moved(it)}`]),
  "x-schema": ({ was, now, revision }) => {
    // That a schema is gone altogether is said once, of the schema itself.
    if (now !== undefined && was !== undefined && nodeAt(revision, `#/components/schemas/${was}`) === undefined) return null;
    if (was === undefined) return ["major", `has a schema of its own name now, \`${now}\``];
    return now === undefined
      ? ["major", `is written out now instead of being a \`${was}\``]
      : ["major", `is a \`${now}\` instead of a \`${was}\``];
  },
  "x-nullable": (it) =>
    isNew(it) ? ["major", "may be null now"] : [it.sides(it.owner, "request") ? "major" : "minor", "is never null any more"],
  "x-may-grow": (it) => {
    if (!it.sides(it.owner, "response")) return null;
    return isNew(it) ? ["major", "its limit may grow now"] : ["minor", "its limit stays now"];
  },
  "x-asks": (it) => ["major", `parameter ${moved(it)}`],
  "x-shows": () => ["patch", "shows something else"],
  "x-tags": (it) => (isNew(it) ? ["minor", "is new"] : ["major", "is removed"]),
  // A status is a promise, titles and remedies are words. Codes that come or go are an open set.
  "x-problem": (it) => {
    if (it.isWhole) return null;
    return it.key === "status" ? ["major", moved(it)] : ["patch", `${it.key} is worded anew`];
  },
};

/**
 * How grave it is that an operation draws on another quota. The numbers are the operator's; which quota it is, is promised.
 * `follow` is counted per address: whoever changes between that and a quota per user loses something in either direction,
 * because many users may share an address, and one user may have many.
 */
function rateLimitImpact(was: string | undefined, now: string | undefined): Impact {
  if (now === "none") return "minor";
  const [before, after] = [PER_USER.indexOf(was), PER_USER.indexOf(now)];
  return before === -1 || after === -1 || after > before ? "major" : "minor";
}

/** The name of the extension that a change is about, or undefined when it is about none. */
export function extensionOf({ path, typeName, property = "" }: RawChange): string | undefined {
  if (property.startsWith("x-")) return property;
  return typeName === "SpecExtension" ? keysOf(path).at(-1) : undefined;
}

/** Rates the change of an extension; `subject` is what it is about, where that is not the place where it is written. */
export function rateExtension(
  name: string,
  change: RawChange,
  sides: Sides,
  revision: Contract,
): { readonly verdict: Verdict; readonly subject?: string } {
  const code = /^x-problem-(.+)$/.exec(name)?.[1];
  const isWhole = change.kind !== "modified" || change.property === name;
  const [was, now] = [change.base?.value, change.revision?.value].map((it) =>
    typeof it === "string" || it === undefined ? it : short(it),
  );
  const key = isWhole ? name : (change.property ?? name);
  const owner = (change.base ?? change.revision)!.pointer.replace(/\/x-.*$/, "");
  const rate = RATINGS[code === undefined ? name : "x-problem"];
  const extension: Extension = { key, isWhole, was, now, owner, sides, revision };
  const verdict = rate === undefined ? (["minor", moved(extension)] as const) : rate(extension);
  if (code !== undefined) return { verdict, subject: `problem \`${code}\`` };
  return name === "x-tags" ? { verdict, subject: `tag \`${key}\`` } : { verdict };
}
