import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Difference = { readonly path: string; readonly kind: "missing" | "stale" | "extra" };

/** How `actual` differs from `expected`, file by file. */
export function compareFolders(expected: string, actual: string): Difference[] {
  const wanted = filesIn(expected);
  const present = new Set(filesIn(actual));
  const extra = [...present].filter((path) => !wanted.includes(path)).map((path): Difference => ({ path, kind: "extra" }));
  const wrong = wanted.flatMap((path): Difference[] => {
    if (!present.has(path)) return [{ path, kind: "missing" }];
    return readFileSync(join(expected, path)).equals(readFileSync(join(actual, path))) ? [] : [{ path, kind: "stale" }];
  });
  return [...wrong, ...extra];
}

function filesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name).slice(dir.length + 1))
    .sort();
}
