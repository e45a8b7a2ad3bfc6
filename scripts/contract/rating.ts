import { keysOf, nodeAt, type Contract, type Json } from "./document.ts";
import type { RawChange } from "./redocly-diff.ts";
import type { Sides } from "./sides.ts";
import type { Impact } from "./versions.ts";

/** Keywords that no program decides by. */
const PROSE = new Set(["description", "summary", "title", "example", "examples", "externalDocs", "termsOfService"]);
const PROSE_NODES = new Set(["Info", "Contact", "License", "Tag", "Example", "ExamplesMap", "ExternalDocs"]);
const ANNOUNCEMENTS = new Set(["Deprecation", "Sunset", "Link"]);
const UPPER_LIMITS = ["maxLength", "maxItems", "maximum"];

/**
 * The impact of a change that `redocly diff` found, by COMPATIBILITY.md, or null when it is not to be counted here. The
 * tool looks at what goes over the wire; we also promise defaults, names, and headers and links that are always there.
 */
export function rate(change: RawChange, sides: Sides, base: Contract, revision: Contract): Impact | null {
  if (isSaidElsewhere(change, base, revision)) return null;
  if (isAnnouncedGrowth(change, base)) return "minor";
  if (change.impact === "major" || isBreaking(change, sides)) return "major";
  return PROSE.has(change.property ?? "") || PROSE_NODES.has(change.typeName) ? "patch" : "minor";
}

function isSaidElsewhere({ path, typeName, kind, property = "" }: RawChange, base: Contract, revision: Contract): boolean {
  const keys = keysOf(path);
  if ((typeName === "Info" && property === "version") || (typeName === "Operation" && property === "deprecated")) return true;
  if (typeName === "Tag" && (kind !== "modified" || property === "name")) return true;
  // A component that comes, goes or is renamed is seen where it is used; only the names of schemas are names of types.
  if (
    (kind !== "modified" || property === "key") &&
    keys[0] === "components" &&
    keys.length === 3 &&
    keys[1] !== "schemas" &&
    keys[1] !== "securitySchemes"
  )
    return true;
  return isAnnouncement(keys, base, revision);
}

/** The headers of a deprecation come and go with the mark on their operation, which is rated itself. */
function isAnnouncement(
  [paths, path = "", method = "", ...rest]: readonly string[],
  base: Contract,
  revision: Contract,
): boolean {
  const at = rest.indexOf("headers");
  if (paths !== "paths" || at === -1 || !ANNOUNCEMENTS.has(rest[at + 1] ?? "")) return false;
  const marked = (contract: Contract) => (contract.paths[path]?.[method] as Json | undefined)?.["x-deprecation"] !== undefined;
  return marked(base) !== marked(revision);
}

/** A higher limit that the old contract has announced: COMPATIBILITY.md, 2.11. */
function isAnnouncedGrowth({ property = "", base, revision }: RawChange, contract: Contract): boolean {
  if (!UPPER_LIMITS.includes(property) || base === undefined || revision === undefined) return false;
  const owner = nodeAt(contract, base.pointer.replace(/\/[^/]*$/, "")) as Json | undefined;
  return owner?.["x-may-grow"] === true && Number(revision.value) > Number(base.value);
}

function isBreaking({ path, typeName, kind, property, base, revision }: RawChange, sides: Sides): boolean {
  const keys = keysOf(path);
  if (kind === "removed")
    return (
      typeName === "LinksMap" || typeName === "Link" || (keys[0] === "components" && keys[1] === "schemas" && keys.length === 3)
    );
  if (kind === "added" && typeName === "RequestBody") return (revision?.value as Json)["required"] === true;
  // An operation that has one way to succeed gets another, unless the client asked for it by a condition or a range.
  if (kind === "added")
    return typeName === "Response" && /^[23]/.test(keys.at(-1) ?? "") && !["206", "304"].includes(keys.at(-1) ?? "");
  if (property === "default") return true;
  // Narrower or not: a client that holds it as something else does not compile. Null is rated by its direction.
  if (typeName === "Schema" && property === "type" && typeBesideNull(base?.value) !== typeBesideNull(revision?.value))
    return true;
  if (typeName === "Header" && property === "required") return base?.value === true && revision?.value !== true;
  if (typeName === "Parameter" && property === "name") return true;
  if ((typeName === "PathItem" || typeName === "Schema") && property === "key") return true;
  // The first tag of an operation names the class that its method is in.
  if (typeName === "Operation" && property === "tags") return true;
  if (typeName === "Link") return property !== "description";
  // A field that may not be sent any more, or is not answered any more.
  if (property === "readOnly" || property === "writeOnly")
    return revision?.value === true && sides(base?.pointer ?? path, property === "readOnly" ? "request" : "response");
  return property === "additionalProperties" && revision?.value === false;
}

const typeBesideNull = (type: unknown): string =>
  [type]
    .flat()
    .filter((it) => it !== "null")
    .join();
