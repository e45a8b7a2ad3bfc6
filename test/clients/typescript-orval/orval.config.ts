import { defineConfig } from "orval";

export default defineConfig({
  plumbline: {
    input: `${process.env["API_URL"]}/openapi.json`,
    output: {
      target: "build/client.ts",
      client: "fetch",
      headers: true,
      override: { mutator: { path: "./authorized-fetch.ts", name: "authorizedFetch", extension: ".ts" } },
    },
  },
});
