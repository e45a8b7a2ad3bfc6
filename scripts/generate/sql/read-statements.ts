import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartupError } from "../../../src/util/startup-error.ts";

const KINDS = ["one", "one!", "many", "page", "execrows"] as const;
export type Parameter = { readonly name: string; readonly isNullable: boolean };
/** A statement of a `.sql` file. `text` has its parameters as $1, $2 and so on, in the order of `parameters`. */
export type Statement = {
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
  readonly doc: string;
  readonly text: string;
  readonly parameters: readonly Parameter[];
};
/** The statements of one file, and the path of the module that is generated from it, such as `posts.ts`. */
export type StatementFile = { readonly source: string; readonly module: string; readonly statements: readonly Statement[] };

export const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
export const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

/** Reads all `.sql` files of a folder but those of functions. `posts/store.sql` becomes the module `posts.ts`, and `users/keys.sql` `users/keys.ts`. */
export function readStatementFiles(folder: string): readonly StatementFile[] {
  const files = globSync("**/*.sql", { cwd: folder, exclude: ["**/*.function.sql"] }).sort();
  const read = files.map((source) => {
    const path = basename(source) === "store.sql" ? dirname(source) : source.slice(0, -".sql".length);
    return { source, module: `${path}.ts`, statements: parseStatements(readFileSync(join(folder, source), "utf8"), source) };
  });
  const names = read.flatMap(({ source, statements }) => statements.map(({ name }) => ({ name, source })));
  for (const [name, [one, other]] of Map.groupBy(names, (it) => it.name))
    if (other !== undefined)
      throw new StartupError(
        `${one!.source} and ${other.source} both have a statement ${name}. A name is unique in the whole service, because PostgreSQL logs it.`,
      );
  return read;
}

const HEAD = /^-- name: (\w+)(?:, (\w+))? :(\S+)\n/;
/** What only the second statement of two has. */
const ONLY_SECOND = /\[\[([^\]]*)\]\]/g;
/** The definition of a part, with its comment. It ends at an empty line. */
const PART = /^-- part: (\w+)\n(?:--.*\n)*([^]*?)\n\n/gm;

/** Replaces each `{{name}}` by the part with this name, which can have earlier parts of the file. */
function withParts(sql: string, source: string): string {
  const parts = new Map<string, string>();
  const filled = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => {
      const part = parts.get(name);
      if (part === undefined) throw new StartupError(`${source} has ${all}, but no "-- part: ${name}" before it.`);
      return part;
    });
  for (const [, name, text] of sql.matchAll(PART)) parts.set(name!, filled(text!));
  return filled(sql.replaceAll(PART, ""));
}

/**
 * Splits a file at its `-- name: findPost :one` lines. Comments below such a line describe the statement. With two names, it is two
 * statements: the first one without what is in `[[ ]]`. So both have a plan of their own, and none is composed when it runs.
 */
export function parseStatements(sql: string, source: string): readonly Statement[] {
  const pieces = withParts(sql, source).split(/^(?=-- name: )/m);
  // A comment on the file.
  if (/^(--.*\n|\n)*$/.test(pieces[0]!) && !HEAD.test(pieces[0]!)) pieces.shift();
  return pieces.flatMap((piece) => {
    const [head, name, second, kind] = HEAD.exec(piece) ?? [];
    if (!KINDS.includes(kind as Statement["kind"]))
      throw new StartupError(
        `${source}: "${piece.split("\n")[0]}" must be "-- name: findPost" and one of ${KINDS.map((it) => `:${it}`).join(", ")}.`,
      );
    const [, comment, body] = /^((?:--.*\n)*)([^]*)$/.exec(piece.slice(head!.length))!;
    const doc = comment!.replaceAll(/^-- ?/gm, "").trim();
    if ((second === undefined) === body!.includes("[["))
      throw new StartupError(`${source}: ${name} must have two names and a part in [[ ]], or neither.`);
    const statement = (its: string, text: string): Statement => ({
      ...{ name: its, kind: kind as Statement["kind"], doc },
      ...numbered(text, `${source}: ${its}`),
    });
    const first = statement(name!, body!.replaceAll(ONLY_SECOND, ""));
    return second === undefined ? [first] : [first, statement(second, body!.replaceAll(ONLY_SECOND, "$1"))];
  });
}

/** Comments, texts, quoted names and casts, none of which can have a parameter; and parameters such as `:id` and `:title?`. */
const TOKENS = /--[^\n]*\n?|'(?:[^']|'')*'|"[^"]*"|::|:([a-z][a-z0-9_]*)(\?)?/g;

function numbered(body: string, where: string): Pick<Statement, "text" | "parameters"> {
  const parameters: Parameter[] = [];
  const text = body.replaceAll(TOKENS, (all: string, id?: string, mark?: string) => {
    if (all.startsWith("--")) return "";
    if (id === undefined) return all;
    const [name, isNullable] = [camelCase(id), mark !== undefined];
    const known = parameters.findIndex((it) => it.name === name);
    if (known === -1) return `$${parameters.push({ name, isNullable })}`;
    if (parameters[known]!.isNullable !== isNullable) throw new StartupError(`${where}: :${id} has a ? in one place only.`);
    return `$${known + 1}`;
  });
  if (text.includes(";") && text.trim().indexOf(";") < text.trim().length - 1)
    throw new StartupError(`${where} has more than one statement.`);
  return { text: text.trim().replace(/;$/, ""), parameters };
}
