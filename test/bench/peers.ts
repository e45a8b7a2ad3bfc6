import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../../src/util/startup-error.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(import.meta.dirname, "peers");
const STAMP = join(FOLDER, "node_modules/.bench-stamp");

/** Installs the packages of the peers if they have changed, checks the types of the peers, and compiles them. */
export async function preparePeers(log: (line: string) => void): Promise<void> {
  const lock = createHash("sha256").update(readFileSync(join(FOLDER, "package-lock.json"))).digest("hex"); // prettier-ignore
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== lock) {
    log("Installing the peers.");
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], FOLDER);
    writeFileSync(STAMP, lock);
  }
  log("Compiling the peers.");
  const info = join(FOLDER, "build/.tsbuildinfo");
  await run("tsc", ["-p", FOLDER, "--incremental", "--tsBuildInfoFile", info], ROOT);
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
