import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The page on clients, as a section of the reference. */
export function clientsSection(): string {
  const page = readFileSync(join(import.meta.dirname, "../../../openapi/CLIENTS.md"), "utf8");
  return page.replaceAll(/<!--.*?-->\n/gs, "").trim();
}
