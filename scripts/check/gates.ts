import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** A check that every change must pass, as an npm script. */
export type Gate = { readonly name: string; readonly script: readonly string[]; readonly isOfContract?: true };

/** The gates of `npm run check`, the git hook and CI, cheap ones first. */
export const GATES: readonly Gate[] = [
  { name: "contract-lint", script: ["contract:lint"], isOfContract: true },
  { name: "compatibility", script: ["plumbline", "--", "contract", "compare"], isOfContract: true },
  { name: "generated", script: ["generate", "--", "--check"], isOfContract: true },
  { name: "types", script: ["typecheck"] },
  { name: "format", script: ["lint:format"] },
  { name: "lint", script: ["lint:code"] },
  { name: "tests", script: ["test"] },
];

/** Runs every gate, even after a failure, and prints the failed ones at the end. Returns whether all passed. */
export async function passGates(gates: readonly Gate[]): Promise<boolean> {
  const failed: string[] = [];
  for (const gate of gates) {
    const started = performance.now();
    // Tests take minutes, so their output is shown while they run.
    const { isGood, output } = await run(gate.script, gate.name === "tests");
    const seconds = ((performance.now() - started) / 1_000).toFixed(1).padStart(6);
    console.log(`${gate.name.padEnd(14)} ${seconds} s  ${isGood ? "ok" : "FAILED"}`);
    if (isGood) continue;
    failed.push(gate.name);
    console.error(output);
  }
  if (failed.length > 0) console.error(`Failed: ${failed.join(", ")}. Run one of them again with: npm run check -- ${failed[0]}`);
  return failed.length === 0;
}

/** Runs an npm script. Returns its output, or with `isShown` prints it while the script runs. */
export async function run(
  script: readonly string[],
  isShown = false,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly isGood: boolean; readonly output: string }> {
  const child = spawn("npm", ["run", "-s", ...script], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject).once("close", resolve);
  return { isGood: (await promise) === 0, output: output.trim() };
}
