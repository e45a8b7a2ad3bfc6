import { noun, verb } from "./define.ts";

const run = verb("run", "start a service, and run the workflows in openapi/workflows/ against it", {}, async () =>
  (await import("../workflows/run.ts")).checkWorkflows(),
);

export const workflows = noun("workflows", "the workflows of the API", [run]);
