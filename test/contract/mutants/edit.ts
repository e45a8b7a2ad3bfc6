/** One change of one file of openapi/. Keys are separated by blanks: none of them holds one. */
export type Edit = {
  readonly file: string;
  readonly at: string;
  readonly change: "set" | "remove" | "append" | "rename" | "last";
  readonly to?: unknown;
};

/** Gives a key a value, whether it was there or not. */
export const set = (file: string, at: string, to: unknown): Edit => ({ file, at, change: "set", to });
/** Takes a key away; it has to be there. */
export const remove = (file: string, at: string): Edit => ({ file, at, change: "remove" });
/** Adds an entry to a list; the list has to be there. */
export const append = (file: string, at: string, to: unknown): Edit => ({ file, at, change: "append", to });
/** Gives a key another name in the same place; it has to be there. */
export const rename = (file: string, at: string, to: string): Edit => ({ file, at, change: "rename", to });
/** Moves a key behind the others; it has to be there. */
export const last = (file: string, at: string): Edit => ({ file, at, change: "last" });

export type Node = { [key: string]: unknown };

/** Carries out an edit on what a file holds. An edit that has lost its place is an error: it would change nothing and pass. */
export function applyEdit(content: Node, { file, at, change, to }: Edit): void {
  const keys = at.split(" ");
  const key = keys.pop()!;
  const owner = keys.reduce<Node | undefined>((it, name) => it?.[name] as Node | undefined, content);
  if (owner === undefined || (change !== "set" && !(key in owner)))
    throw new Error(`${file} has no "${at}" any more: correct the mutant.`);
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
