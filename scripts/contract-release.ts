import { join } from "node:path";
import { runCommand, UsageError } from "../src/util/command.ts";
import { release } from "./contract/release.ts";

const USAGE = `Freezes the contract under a version.

Usage: npm run contract:release -- 1.1.0`;

await runCommand({ usage: USAGE, arguments: 1 }, async ({ positionals: [version] }) => {
  if (version === undefined) throw new UsageError();
  await release(join(import.meta.dirname, ".."), version);
  console.log(`${version} is frozen in openapi/released/. Now run npm run generate, and commit openapi/ and generated/.`);
});
