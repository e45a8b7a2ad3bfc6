import { readFileSync } from "node:fs";
import { run } from "./running.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: { user: string };
};
/** What `npm run user` runs, behind the name of node itself. */
const COMMAND = scripts.user.split(" ").slice(1);

export type Settings = Readonly<Record<string, string>>;
type Outcome = { readonly exit: number | string; readonly stdout: string; readonly stderr: string };

/** Runs the user command with these settings to its end. */
export async function command(settings: Settings, ...args: readonly string[]): Promise<Outcome> {
  await using process = run(settings, [...COMMAND, ...args]);
  return { exit: await process.exited, stdout: process.stdout(), stderr: process.stderr() };
}

/** What it prints when it succeeds; throws when it does not. */
export async function output(settings: Settings, ...args: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await command(settings, ...args);
  if (exit !== 0 || stderr !== "") throw new Error(`The user command ended with ${exit}: ${stderr}`);
  return stdout.trim();
}
