import { globSync } from "node:fs";
import { dirname } from "node:path";

/** The folders in openapi/ with a page on their area, but `health`, which has no resources. */
export const areas = globSync("*/about.md", { cwd: new URL("../../../openapi", import.meta.url) })
  .map(dirname)
  .filter((it) => it !== "health")
  .sort();
