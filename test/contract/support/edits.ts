import { readFileSync } from "node:fs";
import { parse } from "yaml";

export type Node = { [key: string]: unknown };
/** One edit without a value, or edits with their values: lint.yaml explains them. */
export type Edits = string | Readonly<Record<string, unknown>>;

/** A table of edits beside the tests. */
export function readTable<T>(name: string): T {
  const { values: _, ...table } = parse(readFileSync(new URL(`../${name}.yaml`, import.meta.url), "utf8"), {
    merge: true,
  }) as Node;
  return table as T;
}

export const listOf = (edits: Edits): (readonly [edit: string, value: unknown])[] =>
  typeof edits === "string" ? [[edits, null]] : Object.entries(edits);

/** Applies an edit. If its node doesn't exist, this throws, because the edit would change nothing and its test would pass. */
export function applyEdit(content: Node, edit: string, value: unknown): void {
  const [, change, at = "", other = ""] = /^(\w+) (.+?)(?: > (.+))?$/.exec(edit)!;
  const keys = at.split(" ");
  const key = keys.pop()!;
  const owner = nodeAt(content, keys);
  if (owner === undefined || (change !== "set" && change !== "copy" && !(key in owner)))
    throw new Error(`There is no longer a node for "${edit}": correct the edit.`);
  const before = owner[key];
  if (change === "set") owner[key] = value;
  if (change === "copy") owner[key] = structuredClone(nodeAt(content, other.split(" ")));
  if (change === "append") (before as unknown[]).push(value);
  if (change === "remove" || change === "last") delete owner[key];
  if (change === "last") owner[key] = before;
  if (change === "rename") {
    const entries = Object.entries(owner);
    for (const name of Object.keys(owner)) delete owner[name];
    for (const [name, it] of entries) owner[name === key ? other : name] = it;
  }
}

const nodeAt = (content: Node, keys: readonly string[]) =>
  keys.reduce<Node | undefined>((it, key) => it?.[key] as Node | undefined, content);
