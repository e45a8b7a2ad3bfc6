import type { Operation } from "../contract/operations.ts";

type Route<T> = { readonly target: T; readonly path: Record<string, string> };
type Targets<T> = Readonly<Record<string, T>>;

/**
 * Creates a lookup of operations by method and path. It knows only paths without percent-encoding and methods that a path
 * supports, and returns null for all others, which Express decides about.
 */
export function createRouteTable<T>(operations: readonly Operation[], targetOf: (operation: Operation) => T) {
  const fixed = new Map<string, Targets<T>>();
  /** By the number of segments. */
  const patterns: { readonly pattern: RegExp; readonly targets: Targets<T> }[][] = [];
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const targets = Object.fromEntries(group.map((it) => [it.method.toUpperCase(), targetOf(it)]));
    if (targets["GET"] !== undefined) targets["HEAD"] = targets["GET"];
    if (!path.includes("{")) fixed.set(path, targets);
    else {
      const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[\\w.~-]+)")}$`);
      (patterns[segmentsOf(path)] ??= []).push({ pattern, targets });
    }
  }
  return (method: string, path: string): Route<T> | null => {
    const known = fixed.get(path);
    if (known !== undefined) return Object.hasOwn(known, method) ? { target: known[method]!, path: {} } : null;
    for (const { pattern, targets } of patterns[segmentsOf(path)] ?? []) {
      const match = pattern.exec(path);
      if (match !== null) return Object.hasOwn(targets, method) ? { target: targets[method]!, path: match.groups! } : null;
    }
    return null;
  };
}

function segmentsOf(path: string): number {
  let count = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) count++;
  return count;
}
