import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAVICON } from "../../../src/http/documents/favicon.ts";
import { runTool } from "../run-tool.ts";
import { readersEdition } from "./readers-edition.ts";

const REDOCLY_CONFIG = join(import.meta.dirname, "../../../openapi/redocly.yaml");

/** The path of Redoc's script, which the service reads from the installed package. */
const REDOC_SCRIPT = "/docs/redoc.standalone.js";

/** The reference page, without resources from other hosts. `scratch` is a folder for temporary files. */
export async function referencePage(bundle: object, marker: string, scratch: string): Promise<string> {
  mkdirSync(scratch, { recursive: true });
  const [edition, built] = [join(scratch, "readers-edition.json"), join(scratch, "index.html")];
  writeFileSync(edition, JSON.stringify(readersEdition(bundle)));
  await runTool("@redocly/cli", "redocly", ["build-docs", edition, "--config", REDOCLY_CONFIG, "--output", built]);
  const page = ours(readFileSync(built, "utf8"), marker);
  const remote = /<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*"/i.exec(page);
  if (remote !== null) throw new Error(`The documentation page loads something from another host: ${remote[0]}`);
  return page;
}

/** Redoc's page with our colors and corrections, and with its script from the service instead of a CDN. */
function ours(page: string, marker: string): string {
  const asset = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8").trim();
  const head = [
    '<meta name="color-scheme" content="light dark">',
    `<link rel="icon" href="${FAVICON}">`,
    `<style>\n${asset("page.css")}\n</style>`,
  ];
  return replaced(page, [
    [/https:\/\/cdn\.redocly\.com\/redoc\/v[\d.]+\/bundles\/redoc\.standalone\.js/g, REDOC_SCRIPT],
    // This digest is of the CDN's file. Ours differs by a logo, and comes from the same origin as the page.
    [/ integrity="[^"]*" crossorigin="anonymous"/g, ""],
    // Redoc takes a while to start, so the prerendered page is painted first.
    [/\s*<link rel="modulepreload"[^>]*>/, ""],
    [
      /import \{ hydrate \} from ("[^"]+");/,
      (_all, script) =>
        `await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));\n      const { hydrate } = await import(${script});`,
    ],
    [/^<!DOCTYPE html>/, `<!DOCTYPE html>\n<!-- ${marker} -->`],
    [/<meta charset="utf8" \/>/, '<meta charset="utf-8">'],
    // Redoc prerenders links as paths on a server; here they are anchors in the page.
    [/ href="\/([^"]*)" data-discover="true"/g, (_all, path) => ` href="#/${path}" data-discover="true"`],
    [/<\/title>/, ": reference</title>"],
    [/<\/head>/, `${head.join("\n")}\n</head>`],
    [/<\/body>/, `<script>\n${asset("page.mjs")}\n</script>\n</body>`],
  ]);
}

/** Applies each change. Fails if a text to replace is missing, so that the change is reviewed. */
function replaced(
  page: string,
  changes: readonly (readonly [RegExp, string | ((all: string, group: string) => string)])[],
): string {
  return changes.reduce((text, [pattern, replacement]) => {
    if (text.search(pattern) === -1) throw new Error(`Redoc's page no longer contains ${pattern.source}.`);
    return text.replace(pattern, typeof replacement === "string" ? () => replacement : replacement);
  }, page);
}
