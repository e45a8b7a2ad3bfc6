import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";

export default defineConfig({
  input: { path: `${process.env["API_URL"]}/openapi.json` },
  output: { path: "build/client", clean: true, extension: { ".ts": ".ts" } },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: "types" } }),
    pluginZod({ output: { path: "zod" }, version: "4" }),
    pluginClient({ output: { path: "calls" }, importPath: "../../../authorized-fetch.ts", parser: "zod", dataReturnType: "full" }),
  ],
});
