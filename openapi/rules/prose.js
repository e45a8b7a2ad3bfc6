// Descriptions and examples.
import { plainWordFlaws } from "./plain-words.js";
import { flaw } from "./schemas.js";
import { everyOperation, follow } from "./walk.js";

const fillers = new Set("a an the of this that is are its it to in on for and or one".split(" "));

/** Whether a text says more than the name. */
function tells(text, name) {
  if (typeof text !== "string" || text.trim().length < 10) return false;
  const words = (it) => it.toLowerCase().match(/\p{L}+/gu) ?? [];
  const known = new Set(words(String(name).replace(/(?=[A-Z])/g, " ")));
  return words(text).some((it) => !known.has(it) && !fillers.has(it));
}

/** Operations, parameters, headers, responses, schemas and their properties are described in words. */
export function Described() {
  const check =
    (what) =>
    (node, { report, location, key, resolve }) => {
      const name = node.name ?? node.summary ?? key;
      const description = follow(node.description, location.child("description"), resolve).node;
      if (!tells(description, name))
        report({ message: `The ${what} ${name} needs a description that says more than its name.`, location });
    };
  return {
    Info: check("API"),
    Tag: check("tag"),
    Operation: check("operation"),
    Parameter: check("parameter"),
    Header: check("header"),
    RequestBody: check("request body"),
    Response: check("response"),
    Link: check("link"),
    Schema(schema, { report, location }) {
      if (schema.properties && !tells(schema.description, "")) report({ message: "The object needs a description.", location });
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const at = location.child(["properties", name]);
        if (!tells(property.description, name)) {
          report({ message: `The property ${name} needs a description that says more than its name.`, location: at });
        }
      }
    },
  };
}

/** About four sentences: what somebody in a hurry reads before the parameters. */
const WORDS_MAX = 60;

/**
 * A description is short. The guide, for those who want more, is the description of the tag. Only a set of values can have a
 * longer one, which says what each value means.
 */
export function ShortDescriptions() {
  const check = (node, { report, location, resolve }) => {
    const { node: text, location: at } = follow(node.description, location.child("description"), resolve);
    const words = String(text ?? "").split(/\s+/).length;
    if (words > WORDS_MAX && node["x-extensible-enum"] === undefined && node.enum === undefined)
      report({
        message: `The description has ${words} words, and ${WORDS_MAX} are enough. Move details to the description of the tag.`,
        location: at,
      });
  };
  return Object.fromEntries(
    ["Operation", "Parameter", "Header", "RequestBody", "Response", "Link", "Schema"].map((it) => [it, check]),
  );
}

/** Every JSON body has examples with summaries, and the examples of headers are valid. */
export function Examples() {
  const shown = (content, location, report) => {
    const media = content?.["application/json"];
    if (!media) return;
    const examples = Object.entries(media.examples ?? {});
    if (examples.length === 0) report({ message: "A JSON body needs at least one named example.", location });
    for (const [name, example] of examples) {
      if (!example.summary) report({ message: `The example ${name} needs a summary.`, location });
    }
  };
  return {
    ...everyOperation(({ responses }, { report }) => {
      for (const { response, location } of responses) shown(response.content, location, report);
    }),
    RequestBody: (body, { report, location }) => shown(body.content, location, report),
    Header(header, { report, location, resolve }) {
      if (header.example === undefined) report({ message: "A header needs an example.", location });
      else if (header.schema) {
        const wrong = flaw(header.schema, header.example, location.child("schema"), resolve);
        if (wrong) report({ message: `The example is not valid: ${wrong}.`, location: location.child("example") });
      }
    },
  };
}

/** Texts use none of the words that plain-words.js lists. */
export function PlainWords() {
  const check = (text, location, report) => {
    if (typeof text !== "string") return;
    for (const message of plainWordFlaws(text)) report({ message, location });
  };
  return {
    any: {
      enter(node, { report, location, resolve }) {
        if (node === null || typeof node !== "object") return;
        for (const key of ["summary", "description"]) {
          const { node: text, location: at } = follow(node[key], location.child(key), resolve);
          check(text, at, report);
        }
      },
    },
    Schema(schema, { report, location }) {
      for (const [code, { title, meaning, remedy }] of Object.entries(schema["x-problems"] ?? {})) {
        for (const text of [title, meaning, remedy]) check(text, location.child(["x-problems", code]), report);
      }
    },
    Example({ value }, { report, location }) {
      if (typeof value?.type !== "string" || !value.type.startsWith("/problems/")) return;
      for (const text of [value.detail, ...(value.errors ?? []).map((it) => it.detail)]) check(text, location, report);
    },
  };
}
