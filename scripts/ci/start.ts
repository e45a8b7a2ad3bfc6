import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runCommand } from "../../src/util/command.ts";

const USAGE = `Runs \`npm start\` as in README, and waits until the service is ready and prints its request to paste.

Usage: node scripts/ci/start.ts [--production]

  --production   in a copy of this commit with only the production dependencies, whose pages must be available too`;

const ROOT = resolve(import.meta.dirname, "../..");
const READY_WITHIN_MS = 120_000;
/** The reference page, with its script, and the contract. */
const PAGES = ["/docs", "/docs/redoc.standalone.js", "/openapi.json"];

await runCommand({ usage: USAGE, options: { production: { type: "boolean" } } }, async ({ values: { production = false } }) => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-start-"));
  chmodSync(folder, 0o755);
  try {
    const checkout = production ? copyForProduction(folder) : ROOT;
    return (await startsIn(checkout, folder, production ? PAGES : [])) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function copyForProduction(folder: string): string {
  const copy = join(folder, "plumbline");
  execFileSync("git", ["clone", "--quiet", ROOT, copy], { stdio: "inherit" });
  execFileSync("npm", ["ci", "--omit=dev"], { cwd: copy, stdio: "inherit" });
  return copy;
}

/** Starts the service on a free port, asks for pages, and stops it. If that fails, prints its log. */
async function startsIn(checkout: string, folder: string, pages: readonly string[]): Promise<boolean> {
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const env = { ...process.env, PORT: "0", DATA_DIR: join(folder, "data") };
  const started = performance.now();
  const service = spawn("npm", ["start"], { cwd: checkout, env, stdio: ["ignore", output, output] });
  const ended = once(service, "exit");
  try {
    const url = await readyUrl(log, () => service.exitCode === null && performance.now() - started < READY_WITHIN_MS);
    console.log(`ready after ${(performance.now() - started).toFixed(0)} ms`);
    for (const page of ["/health", ...pages]) {
      const { status } = await fetch(url + page);
      if (status !== 200) throw new Error(`${page} returned ${status}`);
    }
    return true;
  } catch (error) {
    console.error(`${String(error)}\n${readFileSync(log, "utf8")}`);
    return false;
  } finally {
    service.kill("SIGTERM");
    await ended;
  }
}

/** The URL in the example request that the service prints when it is ready. */
async function readyUrl(log: string, mayCome: () => boolean): Promise<string> {
  while (mayCome()) {
    const [, url] = /curl -H.*?(http:\/\/[^\s"'\\/]+)/.exec(readFileSync(log, "utf8")) ?? [];
    if (url !== undefined) return url;
    await setTimeout(100);
  }
  throw new Error("npm start has printed no request to paste");
}
