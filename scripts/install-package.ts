import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../src/util/startup-error.ts";

type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: true }>> };

const ROOT = join(import.meta.dirname, "..");

/** Installs the dependencies of a package below this one, such as `test/bench`, if some are missing or have other versions. */
export function installPackage(folder: string): void {
  const path = join(ROOT, folder);
  if (isInstalled(path)) return;
  const command = ["ci", "--prefix", folder];
  console.error(`npm ${command.join(" ")}`);
  const { status } = spawnSync("npm", [...command, "--loglevel=error", "--no-audit", "--no-fund"], {
    cwd: ROOT,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new StartupError(`The dependencies of ${folder} are not installed. Run: npm ${command.join(" ")}`);
}

function isInstalled(path: string): boolean {
  // npm writes there what it has installed.
  const installed = join(path, "node_modules/.package-lock.json");
  if (!existsSync(installed)) return false;
  const { packages } = JSON.parse(readFileSync(installed, "utf8")) as Lock;
  const locked = JSON.parse(readFileSync(join(path, "package-lock.json"), "utf8")) as Lock;
  return Object.entries(locked.packages).every(
    ([name, { version, optional }]) => name === "" || optional === true || packages[name]?.version === version,
  );
}
