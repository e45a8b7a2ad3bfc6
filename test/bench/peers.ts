import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { installPackage } from "../../scripts/install-package.ts";
import { StartupError } from "../../src/util/startup-error.ts";

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/** Installs the frameworks if they are missing, and checks the types of their peers, which `npm run typecheck` can't without them. */
export async function preparePeers(): Promise<void> {
  installPackage("test/bench");
  try {
    await promisify(execFile)(process.execPath, [TSC, "-p", join(import.meta.dirname, "peers/fastify")]);
  } catch (error) {
    throw new StartupError((error as { stdout: string }).stdout, { cause: error });
  }
}
