import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../../src/util/startup-error.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(import.meta.dirname, "peers/fastify");
const STAMP = join(FOLDER, "node_modules/.bench-stamp");

/** Installs Fastify if its version has changed, and checks the types of its peers, which `npm run typecheck` can't without it. */
export async function preparePeers(log: (line: string) => void): Promise<void> {
  const lock = createHash("sha256")
    .update(readFileSync(join(FOLDER, "package-lock.json")))
    .digest("hex");
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== lock) {
    log("Installing Fastify.");
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], FOLDER);
    writeFileSync(STAMP, lock);
  }
  await run("tsc", ["-p", FOLDER], ROOT);
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const folders = [dirname(process.execPath), join(ROOT, "node_modules/.bin"), process.env["PATH"] ?? ""];
  const env = { ...process.env, PATH: folders.join(delimiter), NODE_ENV: "development" };
  try {
    await promisify(execFile)(command, args, { cwd, env });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new StartupError(`${command} ${args[0]} has failed in ${cwd}.\n${stdout}${stderr}`, { cause: error });
  }
}
