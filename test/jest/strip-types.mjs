import { stripTypeScriptTypes } from "node:module";

/** The transform of Jest. Node's type stripper keeps lines and columns, so no source map is needed. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: "strip" }) }),
};
