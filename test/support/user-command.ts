import { readFileSync } from "node:fs";
import { run } from "./running.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: { user: string };
};
/** The command line of `npm run user`, without `node`. */
const COMMAND = scripts.user.split(" ").slice(1);

export type Settings = Readonly<Record<string, string>>;
type Outcome = { readonly exit: number | string; readonly stdout: string; readonly stderr: string };

/** Runs the user command with these settings, and waits until it ends. */
export async function command(settings: Settings, ...args: readonly string[]): Promise<Outcome> {
  await using process = run(settings, [...COMMAND, ...args]);
  return { exit: await process.exited, stdout: process.stdout(), stderr: process.stderr() };
}

/** What the command prints. Throws if it fails. */
export async function output(settings: Settings, ...args: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await command(settings, ...args);
  if (exit !== 0 || stderr !== "") throw new Error(`The user command ended with ${exit}: ${stderr}`);
  return stdout.trim();
}
