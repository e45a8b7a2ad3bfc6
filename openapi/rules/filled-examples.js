// What the examples in the bundle take from the operation and from the document.
import { inBundle } from "./walk.js";

/** A part of a text that each operation fills in. */
const BLANK = /\{(scope|parameter|resource|rate limit)\}/g;

/**
 * Fills in the blanks in the descriptions and the examples of shared responses, so that each operation shows only what it can
 * return. Operations with the same facts share a copy: `InsufficientScope` becomes `InsufficientScopePostsWrite`, and `NotFound`
 * `VideoUploadNotFound`. `rateLimits` has the numbers of each rate limit in words.
 */
export function FillExamples({ rateLimits = {} }) {
  return {
    Root: {
      leave(root) {
        const originals = new Set();
        const operations = Object.entries(root.paths).flatMap(([path, item]) => Object.values(item).map((it) => [path, it]));
        for (const [path, operation] of operations) {
          for (const [status, node] of Object.entries(operation.responses ?? {})) {
            const response = inBundle(node, root);
            const text = JSON.stringify({ description: response.description, content: response.content ?? {} });
            const blanks = [...new Set([...text.matchAll(BLANK)].map((it) => it[1]))];
            if (blanks.length === 0) continue;
            const facts = factsOf(path, operation, root, rateLimits);
            const filled = { ...response, ...JSON.parse(text.replaceAll(BLANK, (_all, blank) => inJson(facts[blank].text))) };
            if (!node.$ref) operation.responses[status] = filled;
            else {
              const original = node.$ref.split("/").at(-1);
              const name = blanks.reduce((it, blank) => {
                const fact = pascalCase(facts[blank].name);
                return blank === "resource" ? fact + it : it + fact;
              }, original);
              originals.add(original);
              root.components.responses[name] ??= filled;
              operation.responses[status] = { $ref: `#/components/responses/${name}` };
            }
          }
        }
        for (const name of originals) delete root.components.responses[name];
      },
    },
  };
}

/** What an operation fills in for each blank: the text, and a name for the copy. */
function factsOf(path, operation, root, rateLimits) {
  const [scope] = (operation.security ?? []).flatMap((it) => Object.values(it).flat());
  const parameter = (operation.parameters ?? []).map((it) => inBundle(it, root)).find((it) => it.in === "path")?.name;
  const limit = operation["x-rate-limit"];
  // `video upload` for /video-uploads/{job_id}/poster.
  const [, plural = ""] = /([a-z-]+)\/\{/.exec(path) ?? [];
  const resource = plural.replace(/ies$/, "y").replace(/s$/, "").replaceAll("-", " ");
  return {
    scope: { text: scope, name: scope },
    parameter: { text: parameter, name: parameter },
    resource: { text: resource, name: resource },
    "rate limit": { text: `"${limit}" of ${rateLimits[limit]}`, name: limit },
  };
}

const inJson = (text) => JSON.stringify(text).slice(1, -1);

const pascalCase = (name) => name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter) => letter.toUpperCase());

/** The examples of the version of the contract have the version of the document. */
export function CurrentVersion() {
  const isVersion = (value) => /^\d+\.\d+\.\d+$/.test(value);
  return {
    Root: {
      leave(root) {
        const { version } = root.info;
        for (const header of Object.values(root.components?.headers ?? {}))
          if (isVersion(header.example)) header.example = version;
        for (const operation of Object.values(root.paths).flatMap((item) => Object.values(item))) {
          for (const response of Object.values(operation.responses ?? {})) {
            for (const { examples = {} } of Object.values(inBundle(response, root).content ?? {})) {
              for (const { value } of Object.values(examples)) if (isVersion(value?.version)) value.version = version;
            }
          }
        }
      },
    },
  };
}
