/** A change to a file of openapi/. Spaces separate the keys, because no key contains one. */
export type Edit = {
  readonly file: string;
  readonly at: string;
  readonly change: "set" | "remove" | "append" | "rename" | "last";
  readonly to?: unknown;
};

/** Sets the value of a key, whether it exists or not. */
export const set = (file: string, at: string, to: unknown): Edit => ({ file, at, change: "set", to });
/** Removes a key, which must exist. */
export const remove = (file: string, at: string): Edit => ({ file, at, change: "remove" });
/** Adds an entry to a list, which must exist. */
export const append = (file: string, at: string, to: unknown): Edit => ({ file, at, change: "append", to });
/** Renames a key without moving it. The key must exist. */
export const rename = (file: string, at: string, to: string): Edit => ({ file, at, change: "rename", to });
/** Moves a key, which must exist, to the end. */
export const last = (file: string, at: string): Edit => ({ file, at, change: "last" });

export type Node = { [key: string]: unknown };

/**
 * Applies an edit to the content of a file. If the node doesn't exist, this throws, because the edit would change nothing and its
 * test would pass.
 */
export function applyEdit(content: Node, { file, at, change, to }: Edit): void {
  const keys = at.split(" ");
  const key = keys.pop()!;
  const owner = keys.reduce<Node | undefined>((it, name) => it?.[name] as Node | undefined, content);
  if (owner === undefined || (change !== "set" && !(key in owner)))
    throw new Error(`${file} no longer has "${at}": correct the mutant.`);
  const value = owner[key];
  if (change === "set") owner[key] = to;
  if (change === "append") (value as unknown[]).push(to);
  if (change === "remove" || change === "last") delete owner[key];
  if (change === "last") owner[key] = value;
  if (change === "rename") {
    const entries = Object.entries(owner).map(([name, it]) => [name === key ? (to as string) : name, it] as const);
    for (const name of Object.keys(owner)) delete owner[name];
    Object.assign(owner, Object.fromEntries(entries));
  }
}
