import { readFileSync } from "node:fs";

/** The version of the service, from package.json. The contract has a version of its own: `info.version`. */
export const serviceVersion: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string }
).version;
