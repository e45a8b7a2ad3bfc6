import type { Operation } from "../contract/operations.ts";
import { Failure } from "../failure.ts";

/** What is at a path of the contract, and the decoded parameters of the path. */
type Route<T> = { readonly resource: T; readonly path: Record<string, string> };

/**
 * Creates the lookup of the contract's paths, the only place where a request is matched to operations. A parameter is one
 * segment that is not empty. Everything else must be equal: case, slashes and percent-encoding are not normalized.
 */
export function createRouteTable<T>(operations: readonly Operation[], resourceOf: (group: readonly Operation[]) => T) {
  const fixed = new Map<string, T>();
  /** By the number of segments. */
  const patterns: { readonly pattern: RegExp; readonly resource: T }[][] = [];
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const resource = resourceOf(group);
    if (!path.includes("{")) fixed.set(path, resource);
    else {
      const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
      (patterns[segmentsOf(path)] ??= []).push({ pattern, resource });
    }
  }
  /** Null if the contract has nothing at the path. Throws a failure if a parameter cannot be decoded. */
  return (path: string): Route<T> | null => {
    const known = fixed.get(path);
    if (known !== undefined) return { resource: known, path: {} };
    for (const { pattern, resource } of patterns[segmentsOf(path)] ?? []) {
      const match = pattern.exec(path);
      if (match !== null) return { resource, path: path.includes("%") ? decoded(match.groups!) : match.groups! };
    }
    return null;
  };
}

function decoded(path: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(path).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause });
  }
}

function segmentsOf(path: string): number {
  let count = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) count++;
  return count;
}
