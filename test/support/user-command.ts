import { readFileSync } from "node:fs";
import type { Body } from "./client.ts";
import { run } from "./running.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: Record<Name, string>;
};
/** The commands of operators. */
type Name = "user" | "audit-log" | "video" | "job" | "store" | "recount";

export type Settings = Readonly<Record<string, string>>;
type CommandResult = { readonly exit: number | string; readonly stdout: string; readonly stderr: string };

/** Starts a command of operators with these settings. */
export const start = (settings: Settings, name: Name, ...args: readonly string[]) =>
  run(settings, [...scripts[name].split(" ").slice(1), ...args]);

/** Runs a command of operators with these settings, and waits until it ends. */
export async function operate(settings: Settings, name: Name, ...args: readonly string[]): Promise<CommandResult> {
  await using process = start(settings, name, ...args);
  return { exit: await process.exited, stdout: process.stdout(), stderr: process.stderr() };
}

/** The objects that a command prints with `--json`, and its exit code. Throws if it prints an error. */
export async function operateInJson(settings: Settings, name: Name, ...args: readonly string[]) {
  const { exit, stdout, stderr } = await operate(settings, name, ...args, "--json");
  if (stderr !== "") throw new Error(`The command ${name} ended with ${exit}: ${stderr}`);
  return { exit, lines: linesOf(stdout) };
}

/** The objects of JSON lines. */
export const linesOf = (text: string): Body[] =>
  text
    .split("\n")
    .filter((it) => it !== "")
    .map((it) => JSON.parse(it));

/** Runs the user command with these settings, and waits until it ends. */
export const command = (settings: Settings, ...args: readonly string[]) => operate(settings, "user", ...args);

/** What the user command prints. Throws if it fails. */
export async function output(settings: Settings, ...args: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await command(settings, ...args);
  if (exit !== 0 || stderr !== "") throw new Error(`The user command ended with ${exit}: ${stderr}`);
  return stdout.trim();
}
