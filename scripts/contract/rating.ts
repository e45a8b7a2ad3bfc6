import { keysOf, nodeAt, type Contract, type Json } from "./document.ts";
import type { RawChange } from "./redocly-diff.ts";
import type { Sides } from "./sides.ts";
import type { Impact } from "./versions.ts";

/** Keywords that don't affect programs. */
const PROSE = new Set(["description", "summary", "title", "example", "examples", "externalDocs", "termsOfService"]);
const PROSE_NODES = new Set(["Info", "Contact", "License", "Tag", "Example", "ExamplesMap", "ExternalDocs"]);
const ANNOUNCEMENTS = new Set(["Deprecation", "Sunset", "Link"]);
const UPPER_LIMITS = ["maxLength", "maxItems", "maximum"];

/**
 * The impact of a change that `redocly diff` found, as defined in COMPATIBILITY.md, or null if another change reports it.
 * The tool checks what is sent and received. COMPATIBILITY.md also promises defaults, names, and required headers and
 * links.
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
  // An added, removed or renamed component is reported where it is used. Only schemas have names that matter to clients.
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

/** Whether it is a header of a deprecation: these change with the mark on the operation, which is rated itself. */
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
  // A new kind of success, unless the client asks for it with a condition or a range.
  if (kind === "added")
    return typeName === "Response" && /^[23]/.test(keys.at(-1) ?? "") && !["206", "304"].includes(keys.at(-1) ?? "");
  if (property === "default") return true;
  // Even a narrower type is breaking, because typed clients may not compile. Null is rated by its direction.
  if (typeName === "Schema" && property === "type" && typeBesideNull(base?.value) !== typeBesideNull(revision?.value))
    return true;
  if (typeName === "Header" && property === "required") return base?.value === true && revision?.value !== true;
  if (typeName === "Parameter" && property === "name") return true;
  if ((typeName === "PathItem" || typeName === "Schema") && property === "key") return true;
  // The first tag of an operation names the class that its method is in.
  if (typeName === "Operation" && property === "tags") return true;
  if (typeName === "Link") return property !== "description";
  // A field that can no longer be sent, or is no longer returned.
  if (property === "readOnly" || property === "writeOnly")
    return revision?.value === true && sides(base?.pointer ?? path, property === "readOnly" ? "request" : "response");
  return property === "additionalProperties" && revision?.value === false;
}

const typeBesideNull = (type: unknown): string =>
  [type]
    .flat()
    .filter((it) => it !== "null")
    .join();
