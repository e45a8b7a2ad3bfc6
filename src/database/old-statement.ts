import type pg from "pg";
import type { Order, Window } from "./keyset.ts";
import { fromPrisma, PARSERS, type Runner } from "./statement.ts";

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

type ListDeclaration<Takes, Gives> = {
  readonly name: string;
  /** The types of the parameters before those of the window. */
  readonly takes: Takes;
  /** The columns of the result, with the fields of the order. */
  readonly gives: Gives;
  readonly order: Order<string>;
  /** The columns of the order, if they have other names than its fields. */
  readonly columns?: readonly string[];
  /** The statement, with a condition that begins with AND, and the end of the query. */
  text(keyset: { readonly andAfter: string; readonly orderAndLimit: string }): string;
};

/** Declares a list in SQL: a statement for each direction, with and without a position. */
export function listStatement<const Takes extends readonly Nullable[], const Gives extends Columns>({
  name,
  takes,
  gives,
  order,
  columns = Object.keys(order).map(snakeCase),
  text,
}: ListDeclaration<Takes, Gives>): (runner: Runner, window: Window, ...values: ValuesOf<Takes>) => Promise<RowOf<Gives>[]> {
  const types = Object.keys(order).map((field) => gives[field]!.replace("?", "") as SqlType);
  const declare = (direction: "asc" | "desc", isAfter: boolean) => {
    const placed = isAfter ? types : [];
    const place = types.map((it, index) => `$${takes.length + index + 1}::${SQL_TYPES[it]}`);
    const limit = unplanned(`$${takes.length + placed.length + 1}`, "int");
    return statement({
      name: `${name}_${direction}${isAfter ? "_after" : ""}`,
      takes: [...takes, ...placed, "int"],
      gives,
      text: text({
        andAfter: isAfter ? `AND (${columns.join(", ")}) ${direction === "asc" ? ">" : "<"} (${place.join(", ")})` : "",
        orderAndLimit: `ORDER BY ${columns.map((it) => `${it} ${direction}`).join(", ")} LIMIT ${limit}`,
      }),
    }) as unknown as Statement<readonly Nullable[], Gives>;
  };
  const both = (isAfter: boolean) => ({ asc: declare("asc", isAfter), desc: declare("desc", isAfter) });
  const [first, next] = [both(false), both(true)];
  return (runner, { direction, position, take }, ...values) => {
    const place = (position ?? []).map((it) => (it instanceof Date ? it.toISOString() : it));
    return (position === undefined ? first : next)[direction](runner, ...values, ...place, take);
  };
}
