import { keysOf, nodeAt, type Contract } from "./document.ts";
import type { RawChange } from "./redocly-diff.ts";
import type { IsUsedIn } from "./direction.ts";
import type { Impact } from "./versions.ts";
import { short } from "./describe-change.ts";

/** A change to an extension. `key` is the changed field, or the name of the extension if `isWhole`. */
type Extension = {
  readonly key: string;
  readonly isWhole: boolean;
  readonly was: string | undefined;
  readonly now: string | undefined;
  /** The JSON Pointer of the node that has the extension. */
  readonly owner: string;
  readonly isUsedIn: IsUsedIn;
  readonly revision: Contract;
};

/** The impact and the text of a change; null if another change reports it. */
type Description = readonly [Impact, string] | null;

/** The rate limits that are counted per user, from the highest to the lowest, as in the table in openapi/info.md. */
const PER_USER: readonly (string | undefined)[] = ["none", "default", "writes", "directory", "uploads"];

const describeMove = ({ key, was = "nothing", now = "nothing" }: Extension) => `${key}: ${was} → ${now}`;
const isNew = ({ was, now }: Extension) => was === undefined && now !== undefined;

/** Describes changes to the extensions of the contract (COMPATIBILITY.md), and to the extensions that normalize.ts adds. */
const DESCRIPTIONS: Readonly<Record<string, (change: Extension) => Description>> = {
  // Removing a token requirement breaks no client, but must not happen unnoticed in a minor version.
  "x-security-requirements": (it) => {
    if (it.was !== undefined && it.now !== undefined) return ["major", `needs another kind of ${it.key}: ${it.now}`];
    return ["major", `${isNew(it) ? "needs" : "no longer needs"} ${it.key}`];
  },
  "x-returned-problems": (it) => (isNew(it) ? ["minor", `can now return ${it.key}`] : ["major", `no longer returns ${it.key}`]),
  "x-part-stability": ({ key, was, now }) => {
    if (was === undefined || now === undefined) return null;
    return now === "experimental"
      ? ["major", `${key} is now experimental and no longer stable`]
      : ["minor", `${key} is no longer experimental`];
  },
  "x-stability": ({ now, owner }) => {
    if (keysOf(owner).length > 3 || keysOf(owner)[0] !== "paths") return null;
    return now === undefined ? ["minor", "is no longer experimental"] : ["major", "is now experimental and no longer stable"];
  },
  "x-access": (it) => [it.now === "allowed" ? "minor" : "major", describeMove(it)],
  "x-rate-limit": ({ was, now }) => [rateLimitImpact(was, now), `counts towards the rate limit ${now} instead of ${was}`],
  "x-unknown-query": ({ now }) =>
    now === "ignored" ? ["minor", "now ignores unknown query parameters"] : ["major", "now refuses unknown query parameters"],
  // Until 1.2.0, it gave the reason of a POST without a key.
  "x-no-idempotency-key": () => ["patch", "`x-no-idempotency-key` is reworded or removed"],
  "x-deprecation": (it) => {
    if (it.isWhole) return ["minor", isNew(it) ? `is deprecated: ${it.now}` : "is no longer deprecated"];
    return [it.key === "sunset_at" && (it.now ?? "") < (it.was ?? "") ? "major" : "minor", describeMove(it)];
  },
  "x-extensible-enum": (it) => {
    if (it.isWhole) return isNew(it) ? ["minor", "is now an open set"] : ["major", "is no longer an open set"];
    return isNew(it) ? ["minor", `the open set gains \`${it.key}\``] : ["major", `the open set loses \`${it.key}\``];
  },
  // The names of added and removed values are reported with those values.
  "x-constants": (it) =>
    it.was === undefined || it.now === undefined ? null : ["major", `the name of the value ${describeMove(it)}`],
  "x-schema": ({ was, now, revision }) => {
    // The removal of a schema is reported once, for the schema itself.
    if (now !== undefined && was !== undefined && nodeAt(revision, `#/components/schemas/${was}`) === undefined) return null;
    if (was === undefined) return ["major", `is now a schema with a name, \`${now}\``];
    return now === undefined
      ? ["major", `is now an inline schema instead of \`${was}\``]
      : ["major", `is now \`${now}\` instead of \`${was}\``];
  },
  "x-nullable": (it) =>
    isNew(it) ? ["major", "can now be null"] : [it.isUsedIn(it.owner, "request") ? "major" : "minor", "can no longer be null"],
  "x-may-grow": (it) => {
    if (!it.isUsedIn(it.owner, "response")) return null;
    return isNew(it) ? ["major", "the limit can now grow"] : ["minor", "the limit can no longer grow"];
  },
  "x-link-parameters": (it) => ["major", `parameter ${describeMove(it)}`],
  "x-example-value": () => ["patch", "has another value"],
  "x-tags": (it) => (isNew(it) ? ["minor", "is new"] : ["major", "is removed"]),
  // The status of a code must not change, but the wording can. More codes may be added.
  "x-problem": (it) => {
    if (it.isWhole) return null;
    return it.key === "status" ? ["major", describeMove(it)] : ["patch", `${it.key} is reworded`];
  },
};

/**
 * A change between a limit per IP address (`follow`, `playback`) and per user is breaking: users can share an address, or have
 * several.
 */
function rateLimitImpact(was: string | undefined, now: string | undefined): Impact {
  if (now === "none") return "minor";
  const [before, after] = [PER_USER.indexOf(was), PER_USER.indexOf(now)];
  return before === -1 || after === -1 || after > before ? "major" : "minor";
}

/** The name of the changed extension, or undefined if the change is no extension. */
export function extensionOf({ path, typeName, property = "" }: RawChange): string | undefined {
  if (property.startsWith("x-")) return property;
  return typeName === "SpecExtension" ? keysOf(path).at(-1) : undefined;
}

/** Describes a change to an extension. `subject` is set if it differs from the location of the change. */
export function describeExtension(
  name: string,
  change: RawChange,
  isUsedIn: IsUsedIn,
  revision: Contract,
): { readonly description: Description; readonly subject?: string } {
  const code = /^x-problem-(.+)$/.exec(name)?.[1];
  const isWhole = change.kind !== "modified" || change.property === name;
  const [was, now] = [change.base?.value, change.revision?.value].map((it) =>
    typeof it === "string" || it === undefined ? it : short(it),
  );
  const key = isWhole ? name : (change.property ?? name);
  const owner = (change.base ?? change.revision)!.pointer.replace(/\/x-.*$/, "");
  const describe = DESCRIPTIONS[code === undefined ? name : "x-problem"];
  const extension: Extension = { key, isWhole, was, now, owner, isUsedIn, revision };
  const description = describe === undefined ? (["minor", describeMove(extension)] as const) : describe(extension);
  if (code !== undefined) return { description, subject: `problem \`${code}\`` };
  return name === "x-tags" ? { description, subject: `tag \`${key}\`` } : { description };
}
