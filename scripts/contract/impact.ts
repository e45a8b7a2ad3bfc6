import { keysOf, nodeAt, type Contract, type Json } from "./document.ts";
import type { RawChange } from "./redocly-diff.ts";
import type { IsUsedIn } from "./direction.ts";
import type { Impact } from "./versions.ts";

/** Keywords that don't affect programs. */
const PROSE = new Set(["description", "summary", "title", "example", "examples", "externalDocs", "termsOfService"]);
const PROSE_NODES = new Set(["Info", "Contact", "License", "Tag", "Example", "ExamplesMap", "ExternalDocs"]);
const ANNOUNCEMENTS = new Set(["Deprecation", "Sunset", "Link"]);
const UPPER_LIMITS = ["maxLength", "maxItems", "maximum"];

/**
 * The impact of a change from `redocly diff` (COMPATIBILITY.md); null if another change reports it. The tool ignores defaults,
 * names, required headers and links.
 */
export function impactOf(change: RawChange, isUsedIn: IsUsedIn, base: Contract, revision: Contract): Impact | null {
  if (isReportedElsewhere(change, base, revision)) return null;
  if (isAnnouncedGrowth(change, base)) return "minor";
  if (change.impact === "major" || isBreaking(change, isUsedIn)) return "major";
  return PROSE.has(change.property ?? "") || PROSE_NODES.has(change.typeName) ? "patch" : "minor";
}

function isReportedElsewhere({ path, typeName, kind, property = "" }: RawChange, base: Contract, revision: Contract): boolean {
  const keys = keysOf(path);
  if ((typeName === "Info" && property === "version") || (typeName === "Operation" && property === "deprecated")) return true;
  if (typeName === "Tag" && (kind !== "modified" || property === "name")) return true;
  // Added, removed and renamed components are reported where they are used. Only names of schemas matter to clients.
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

/** Whether it is a deprecation header. It changes with `x-deprecation` of the operation, which is a change of its own. */
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

/** Whether a limit rises that the old contract has announced to grow (COMPATIBILITY.md, 2.11). */
function isAnnouncedGrowth({ property = "", base, revision }: RawChange, contract: Contract): boolean {
  if (!UPPER_LIMITS.includes(property) || base === undefined || revision === undefined) return false;
  const owner = nodeAt(contract, base.pointer.replace(/\/[^/]*$/, "")) as Json | undefined;
  return owner?.["x-may-grow"] === true && Number(revision.value) > Number(base.value);
}

function isBreaking({ path, typeName, kind, property, base, revision }: RawChange, isUsedIn: IsUsedIn): boolean {
  const keys = keysOf(path);
  if (kind === "removed")
    return (
      typeName === "LinksMap" || typeName === "Link" || (keys[0] === "components" && keys[1] === "schemas" && keys.length === 3)
    );
  if (kind === "added" && typeName === "RequestBody") return (revision?.value as Json)["required"] === true;
  // A new success status, unless the client asks for it with a condition or a range.
  if (kind === "added")
    return typeName === "Response" && /^[23]/.test(keys.at(-1) ?? "") && !["206", "304"].includes(keys.at(-1) ?? "");
  if (property === "default") return true;
  // Even a narrower type is breaking, because typed clients may not compile. Null depends on the direction.
  if (typeName === "Schema" && property === "type" && typeBesideNull(base?.value) !== typeBesideNull(revision?.value))
    return true;
  if (typeName === "Header" && property === "required") return base?.value === true && revision?.value !== true;
  if (typeName === "Parameter" && property === "name") return true;
  if ((typeName === "PathItem" || typeName === "Schema") && property === "key") return true;
  // In generated clients, the first tag of an operation names its class.
  if (typeName === "Operation" && property === "tags") return true;
  if (typeName === "Link") return property !== "description";
  // A field that can no longer be sent, or is no longer returned.
  if (property === "readOnly" || property === "writeOnly")
    return revision?.value === true && isUsedIn(base?.pointer ?? path, property === "readOnly" ? "request" : "response");
  return property === "additionalProperties" && revision?.value === false;
}

const typeBesideNull = (type: unknown): string =>
  [type]
    .flat()
    .filter((it) => it !== "null")
    .join();
