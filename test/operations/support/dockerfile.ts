import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../support/processes.ts";

/** An instruction of a Dockerfile. `words` are the strings of the exec form, or else the arguments between spaces. */
export type Instruction = {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
  readonly words: readonly string[];
  readonly isExec: boolean;
};
export type Stage = { readonly name: string; readonly image: string; readonly instructions: readonly Instruction[] };

/** The stages of the Dockerfile of this repository. It knows only the syntax that is used there. */
export function readDockerfile(): { readonly args: readonly Instruction[]; readonly stages: readonly Stage[] } {
  const text = readFileSync(join(repository, "Dockerfile"), "utf8");
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replaceAll("\\\n", " ")
    .trim()
    .split("\n");
  const args: Instruction[] = [];
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const instruction of lines.map(parse)) {
    const [image = "", , name = ""] = instruction.words;
    if (instruction.name === "FROM") stages.push({ name, image, instructions: [] });
    else (stages.at(-1)?.instructions ?? args).push(instruction);
  }
  return { args, stages };
}

function parse(line: string): Instruction {
  const [, name = "", flagged = "", text = ""] = /^([A-Z]+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
  const flags = Object.fromEntries([...flagged.matchAll(/--(\S+?)=(\S+)/g)].map((it) => [it[1]!, it[2]!]));
  const command = text.replace(/^CMD\s+/, "");
  const isExec = command.startsWith("[");
  const words = isExec ? (JSON.parse(command) as string[]) : text.trim().split(/\s+/);
  return { name, flags, text, words, isExec };
}

/** All instructions with this name in a stage. */
export const instructionsOf = (stage: Stage, name: string): Instruction[] => stage.instructions.filter((it) => it.name === name);

/** The environment that a stage sets. */
export const environmentOf = (stage: Stage): Record<string, string> =>
  Object.fromEntries(
    instructionsOf(stage, "ENV").flatMap((it) => it.words.map((word) => word.split("=", 2) as [string, string])),
  );
