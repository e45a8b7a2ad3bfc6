import pg from "pg";
import type { Tx } from "./client.ts";

/** Where a statement runs: on any connection of the pool, or, more slowly, in a transaction of Prisma. */
export type Runner = pg.Pool | Tx;

/** The types of parameters and columns, with the name that PostgreSQL gives them. An instant is an RFC 3339 string in UTC. */
export const SQL_TYPES = {
  uuid: "uuid",
  text: "text",
  int: "integer",
  bigint: "bigint",
  instant: "timestamptz",
  bytes: "bytea",
  json: "jsonb",
  "uuid[]": "uuid[]",
  "text[]": "text[]",
  "int[]": "integer[]",
} as const;
export type SqlType = keyof typeof SQL_TYPES;
type Values = {
  [T in SqlType]: T extends "int" | "bigint"
    ? number
    : T extends "bytes"
      ? Uint8Array
      : T extends "int[]"
        ? readonly number[]
        : T extends `${string}[]`
          ? readonly string[]
          : string;
};
/** A type, with `?` if the value can be null. */
export type Nullable = SqlType | `${SqlType}?`;
export type ValueOf<D extends Nullable> = D extends `${infer T extends SqlType}?`
  ? Values[T] | null
  : D extends SqlType
    ? Values[D]
    : never;
export type Columns = Readonly<Record<string, Nullable>>;
export type RowOf<C extends Columns> = { readonly [K in keyof C]: ValueOf<C[K]> };
export type ValuesOf<T extends readonly Nullable[]> = { readonly [I in keyof T]: ValueOf<T[I]> };
/** Runs a statement, and returns its rows. */
export type Statement<Takes extends readonly Nullable[], Gives extends Columns> = (
  runner: Runner,
  ...values: ValuesOf<Takes>
) => Promise<RowOf<Gives>[]>;

export type Declaration<Takes = readonly Nullable[], Gives = Columns> = {
  readonly name: string;
  /** The types of the parameters. */
  readonly takes: Takes;
  /** The columns of the result in their order, in camelCase. */
  readonly gives: Gives;
  readonly text: string;
};

const declared = new Map<string, Declaration>();
/** All statements of the modules that are loaded, for the test that compares them with the database. */
export const declaredStatements = (): readonly Declaration[] => [...declared.values()];

export const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
/** The columns of a result, for SELECT or RETURNING. */
export const columnsOf = (gives: Columns, table?: string) =>
  Object.keys(gives)
    .map((it) => `${table === undefined ? "" : `${table}.`}${snakeCase(it)}`)
    .join(", ");

/**
 * Hides the value of a parameter from the planner. If the planner sees that a LIMIT is small or an array short, it finds the
 * plan for these values cheaper than the one for any, and plans a named statement again on each execution.
 */
export const unplanned = (parameter: string, type: SqlType) => `(SELECT ${parameter}::${SQL_TYPES[type]})`;

/**
 * Declares a statement for a hot path, which runs on the pool without Prisma, under a name, so that each session plans it only
 * once. The caller states its types, and a test compares them with the database.
 */
export function statement<const Takes extends readonly Nullable[], const Gives extends Columns>(
  declaration: Declaration<Takes, Gives>,
): Statement<Takes, Gives> {
  const { name, gives, text } = declaration;
  if ((declared.get(name)?.text ?? text) !== text) throw new Error(`Two statements have the name ${name}.`);
  declared.set(name, declaration);
  const keys = Object.keys(gives);
  // pg copies the properties of a query each time, but not those that it inherits.
  const query = Object.create({ name, text, rowMode: "array", types: PARSERS }) as pg.QueryArrayConfig;
  return async (runner, ...values) => {
    const rows =
      "$queryRawUnsafe" in runner
        ? (await runner.$queryRawUnsafe<object[]>(text, ...values)).map((it) => Object.values(it).map(fromPrisma))
        : (await runner.query<unknown[]>(query, values as unknown[])).rows;
    return rows.map((row) => {
      const named: Record<string, unknown> = {};
      for (let index = 0; index < keys.length; index++) named[keys[index]!] = row[index];
      return named as RowOf<Gives>;
    });
  };
}

/** The same for at most one row: returns null if there is none. */
export function rowStatement<const Takes extends readonly Nullable[], const Gives extends Columns>(
  declaration: Declaration<Takes, Gives>,
): (runner: Runner, ...values: ValuesOf<Takes>) => Promise<RowOf<Gives> | null> {
  const run = statement(declaration);
  return async (runner, ...values) => (await run(runner, ...values))[0] ?? null;
}

const INT8: number = pg.types.builtins.INT8;
const TIMESTAMPTZ: number = pg.types.builtins.TIMESTAMPTZ;
const parserOf = pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown;
const PARSERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) =>
    oid === TIMESTAMPTZ ? toInstant : oid === INT8 ? Number : parserOf(oid, format),
};

/** Converts `2026-11-22 05:00:00.1+00`, the form in a session whose time zone is UTC, to `2026-11-22T05:00:00.100Z`. */
export function toInstant(text: string): string {
  const time = text.slice(11, -3);
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, "0")}Z`;
}

function fromPrisma(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "bigint" ? Number(value) : value;
}
