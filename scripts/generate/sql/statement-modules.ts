import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { isColumnType } from "../../../src/database/column-types.ts";
import { StartupError } from "../../../src/util/startup-error.ts";
import { describeStatement, readCatalogue, type Catalogue, type Described } from "./describe-statement.ts";
import { requireOneGroup } from "./one-group.ts";
import { camelCase, readStatementFiles, snakeCase, type Statement, type StatementFile } from "./read-statements.ts";

const SRC = join(import.meta.dirname, "../../../src");

/** PostgreSQL's types and their values. An instant is an RFC 3339 string in UTC; others need a cast. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ uuid: "string", text: "string", varchar: "string", bpchar: "string", timestamptz: "string", bool: "boolean" },
  ...{ int2: "number", int4: "number", int8: "number", float8: "number", bytea: "Uint8Array", jsonb: "unknown", json: "unknown" },
  ...{ _uuid: "readonly string[]", _text: "readonly string[]", _varchar: "readonly string[]", _timestamptz: "readonly string[]" },
  ...{ _int4: "readonly number[]", _int8: "readonly number[]" },
};
/** A parameter of these types is a text. */
const WRITTEN_AS_TEXT: readonly string[] = ["jsonb", "json", "pg_snapshot", "xid8"];

/** Writes a module with typed functions for each `.sql` file in src/, as `readStatementFiles` names it, into a folder. */
export async function writeStatementModules(databaseUrl: string, folder: string, marker: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const catalogue = await readCatalogue(client);
    for (const file of readStatementFiles(SRC)) {
      const path = join(folder, file.module);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `// ${marker} From src/${file.source}.\n\n${await moduleOf(client, catalogue, file)}`);
    }
  } finally {
    await client.end();
  }
}

/** The functions of a file. Throws a StartupError that names the statement if PostgreSQL or Citus refuses it, or if it needs a mark. */
export async function moduleOf(client: pg.Client, catalogue: Catalogue, file: StatementFile): Promise<string> {
  const functions: string[] = [];
  for (const it of file.statements) functions.push(await functionOf(client, catalogue, `src/${file.source}: ${it.name}`, it));
  return [importsOf(file), ...functions].join("\n");
}

const RUNNERS = { one: "one", "one!": "exactlyOne", many: "many", page: "page", execrows: "affectedRows" } as const;

function importsOf({ module, statements }: StatementFile): string {
  const up = "../".repeat(module.split("/").length + 1);
  const runners = [...new Set(statements.map((it) => RUNNERS[it.kind]))].sort();
  const from = (names: readonly string[], file: string) =>
    names.length === 0 ? [] : [`import { ${names.join(", ")} } from "${up}src/${file}";`];
  const isPage = (it: string) => it === "page";
  return [
    ...from(runners.filter(isPage), "pagination/keyset.ts"),
    ...from(
      runners.filter((it) => !isPage(it)),
      "database/statement.ts",
    ),
    "",
  ].join("\n");
}

async function functionOf(client: pg.Client, catalogue: Catalogue, where: string, it: Statement): Promise<string> {
  const described = await describeStatement(client, it.text).catch((error: Error) => {
    throw new StartupError(`${where}: ${error.message}\n${it.text}`, { cause: error });
  });
  requireOneGroup(where, it.text, catalogue.groupsOf);
  const typeOf = (oid: number, name: string, isParameter: boolean) => {
    const typeName = catalogue.types.get(oid)!;
    const type = isParameter && WRITTEN_AS_TEXT.includes(typeName) ? "string" : TYPES[typeName];
    if (type === undefined) throw new StartupError(`${where}: cast ${name}, which is of type ${typeName}.`);
    return type;
  };
  const parameters = it.parameters.map(({ name, isNullable }, index) => {
    return `readonly ${name}: ${typeOf(described.parameterTypes[index]!, name, true)}${isNullable ? " | null" : ""}`;
  });
  const columns = columnsOf(described, catalogue, it.text, where);
  const row = columns.map(
    ({ name, oid, isNullable }) => `readonly ${name}: ${typeOf(oid, name, false)}${isNullable ? " | null" : ""}`,
  );
  const Name = `${it.name[0]!.toUpperCase()}${it.name.slice(1)}`;
  const type = (name: string, fields: readonly string[]) =>
    fields.length === 0 ? "" : `export type ${name} = {\n${fields.map((field) => `  ${field};\n`).join("")}};\n`;
  const types = [parameters.length === 0 ? "void" : `${Name}Parameters`, ...(columns.length === 0 ? [] : [`${Name}Row`])];
  const text =
    it.kind === "page"
      ? `{\n    asc: ${quoted(ascending(it.text, where))},\n    desc: ${quoted(it.text)},\n  }`
      : quoted(it.text);
  const values = it.parameters.map(({ name }) => `it.${name}`).join(", ");
  const columnTypes = columns.map(({ name, oid }) => columnTypeOf(catalogue.types.get(oid)!, name, where));
  const cells = columns.map(({ name }, index) => `${name}: it[${index}]`).join(", ");
  return `${type(`${Name}Parameters`, parameters)}${type(`${Name}Row`, row)}${it.doc === "" ? "" : `/** ${it.doc.replaceAll("\n", "\n * ")} */\n`}export const ${it.name} = ${RUNNERS[it.kind]}<${types.join(", ")}>({
  name: "${snakeCase(it.name)}",
  text: ${text},
  ${it.kind === "page" ? `limit: ${limitOf(it, where)},\n  ` : ""}values: (${values === "" ? "" : "it"}) => [${values}],
${columns.length === 0 ? "" : `  columns: [${columnTypes.join(", ")}],\n  row: (it) => ({ ${cells} }) as ${Name}Row,\n`}});
`;
}

/** The service reads a column without asking PostgreSQL for its type. */
function columnTypeOf(type: string, name: string, where: string): string {
  if (!isColumnType(type)) throw new StartupError(`${where}: cast ${name}, which is of type ${type}.`);
  return `"${type}"`;
}

const quoted = (text: string) => `\`${text.replaceAll(/[\\`]|\$\{/g, "\\$&")}\``;

/** A page in the other direction: both the order and the comparison are reversed. */
function ascending(text: string, where: string): string {
  if (!/\bOFFSET\b/.test(text) && !text.includes(") < ("))
    throw new StartupError(`${where}: compare the position as "(created_at, id) < (:created_at, :id)".`);
  return text.replaceAll(/\bDESC\b/g, "ASC").replaceAll(") < (", ") > (");
}

/** The number of the LIMIT parameter of a page. */
function limitOf({ parameters }: Statement, where: string): number {
  const index = parameters.findIndex(({ name }) => name === "limit");
  if (index === -1) throw new StartupError(`${where}: a page needs :limit.`);
  return index + 1;
}

/**
 * The columns of a result. A column is nullable if its table allows it; expressions and outer joins always are. `"total!"` and
 * `"id?"` override that.
 */
function columnsOf({ fields }: Described, { notNull }: Catalogue, text: string, where: string) {
  const hasOuterJoin = /\b(LEFT|RIGHT|FULL)\s+(OUTER\s+)?JOIN\b/.test(text);
  const columns = fields.map(({ name: alias, dataTypeID: oid, tableID, columnID }) => {
    const [, name, mark] = /^(.*?)([!?])?$/.exec(alias)!;
    const isStored = notNull.has(`${tableID}.${columnID}`);
    return { name: camelCase(name!), oid, isNullable: mark === undefined ? !isStored || hasOuterJoin : mark === "?" };
  });
  const names = columns.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new StartupError(`${where} has two columns with the name ${twice}.`);
  return columns;
}
