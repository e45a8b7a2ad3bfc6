import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "./document.ts";
import { compareVersions } from "./versions.ts";

/** The folder of frozen contracts inside a folder of a contract. */
export const releasedDir = (openapiDir: string): string => join(openapiDir, "released");

/** The file with the commit and the last migration of each release. */
export const commitsFile = (openapiDir: string): string => join(releasedDir(openapiDir), "commits.txt");

/** The newest frozen contract, or null before the first release. */
export function newestRelease(openapiDir: string): Contract | null {
  const dir = releasedDir(openapiDir);
  if (!existsSync(dir)) return null;
  const versions = readdirSync(dir)
    .filter((it) => it.endsWith(".json"))
    .map((it) => it.slice(0, -".json".length))
    .sort(compareVersions);
  const newest = versions.at(-1);
  return newest === undefined ? null : (JSON.parse(readFileSync(join(dir, `${newest}.json`), "utf8")) as Contract);
}
