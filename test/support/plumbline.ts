import { readFileSync } from "node:fs";
import type { Body } from "./client.ts";
import { run } from "./running.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: { plumbline: string };
};

/** The command line of `npm run plumbline --`, without `node`. */
export const PLUMBLINE: readonly string[] = scripts.plumbline.split(" ").slice(1);

export type Settings = Readonly<Record<string, string>>;
type CommandResult = { readonly exit: number | string; readonly stdout: string; readonly stderr: string };

/** Starts a command with these settings. */
export const startPlumbline = (settings: Settings, ...args: readonly string[]) => run(settings, [...PLUMBLINE, ...args]);

/** Runs a command with these settings, and waits until it ends. */
export async function plumbline(settings: Settings, ...args: readonly string[]): Promise<CommandResult> {
  await using process = startPlumbline(settings, ...args);
  return { exit: await process.exited, stdout: process.stdout(), stderr: process.stderr() };
}

/** The objects that a command prints with `--json`, and its exit code. Throws if it prints an error. */
export async function plumblineJson(settings: Settings, ...args: readonly string[]) {
  const { exit, stdout, stderr } = await plumbline(settings, ...args, "--json");
  if (stderr !== "") throw new Error(`The command ${args.join(" ")} ended with ${exit}: ${stderr}`);
  return { exit, lines: linesOf(stdout) };
}

/** The objects of JSON lines. */
export const linesOf = (text: string): Body[] =>
  text
    .split("\n")
    .filter((it) => it !== "")
    .map((it) => JSON.parse(it));

/** Runs a verb of `plumbline user` with these settings, and waits until it ends. */
export const userCommand = (settings: Settings, ...args: readonly string[]) => plumbline(settings, "user", ...args);

/** What a verb of `plumbline user` prints. Throws if it fails. */
export async function output(settings: Settings, ...args: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await userCommand(settings, ...args);
  if (exit !== 0 || stderr !== "") throw new Error(`The command user ended with ${exit}: ${stderr}`);
  return stdout.trim();
}
