import { stripTypeScriptTypes } from "node:module";

/** Jest's transform: Node's own type stripper, which keeps lines and columns, so no source map is needed. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: "strip" }) }),
};
