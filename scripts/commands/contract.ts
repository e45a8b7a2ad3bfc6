import { aText } from "./arguments.ts";
import { noun, verb } from "./define.ts";

const compare = verb(
  "compare [revision]",
  "check that info.version is high enough for the changes since the last release; the exit code is 1 if it is not",
  { args: { revision: { describe: "also check that the releases of this git revision have not changed", type: "string" } } },
  async ({ revision }) => (await import("../contract/report.ts")).compare(revision),
);
const changes = verb(
  "changes [revision]",
  "print the changes to the contract as Markdown",
  { args: { revision: { describe: "since this git revision; by default, since the last release", type: "string" } } },
  async ({ revision }) => (await import("../contract/report.ts")).printChanges(revision),
);
const release = verb(
  "release <version>",
  "freeze the contract under a version",
  { args: { version: aText("the version, such as 1.4.0") } },
  async ({ version }) => (await import("../contract/report.ts")).freeze(version),
);

export const contract = noun("contract", "the versions of the contract", [compare, changes, release]);
