// Texts that people write: what a pattern can't say of them in version 1.
import { propertiesOf } from "./schemas.js";
import { everyOperation, schemasUnder } from "./walk.js";

/** The service refuses it with a code of its own, and by the same rule for what is visible. */
const REFUSED_BY_ITS_SERVICE = ["display_name"];

/** `line` or `text` for a pattern that takes any letters, but no blank text. */
function kindOf(pattern = "^$") {
  const takes = (text) => new RegExp(pattern, "u").test(text);
  if (!takes("日 本") || takes(" ")) return undefined;
  return takes("a\nb") ? "text" : "line";
}

/**
 * Each text in a request has `x-text`, so that blank and line mean Unicode's. A response doesn't have it, because texts that are stored can be
 * from before: src/decisions/0098-texts-are-checked-beside-their-patterns.md.
 */
export function Texts() {
  return everyOperation(({ operation, parameters, responses }, { report, location, resolve }) => {
    const [fields] = propertiesOf(operation.requestBody, location.child("requestBody"), resolve);
    const sent = [...Object.entries(fields), ...parameters.filter((it) => it.in === "query").map((it) => [it.name, it.schema])];
    for (const [name, schema] of sent) {
      const kind = kindOf(schema?.pattern);
      if (kind !== undefined && kind !== schema["x-text"] && !REFUSED_BY_ITS_SERVICE.includes(name))
        report({ message: `The text ${name} needs x-text: ${kind}.`, location });
    }
    for (const { response, location: at } of responses)
      for (const [type, media] of Object.entries(response.content ?? {}))
        for (const found of schemasUnder(media.schema, at.child(["content", type, "schema"]), resolve))
          if ("x-text" in found.schema)
            report({ message: "A text in a response must not have x-text.", location: found.location });
  });
}
