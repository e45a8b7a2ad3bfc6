import {
  snakeCase,
  SQL_TYPES,
  statement,
  unplanned,
  type Columns,
  type Nullable,
  type RowOf,
  type Runner,
  type SqlType,
  type Statement,
  type ValuesOf,
} from "./statement.ts";

/**
 * The order of a list: the fields to sort by, the most significant first. Together they are unique, so that each row has
 * one position. A number that counts the children of a parent is unique by itself.
 */
export type Order<Field extends string> = Readonly<Record<Field, "instant" | "id" | "number">>;
/** The values of a row in the fields of the order. */
export type Position = readonly (Date | string | number)[];

/** The rows of a page: the first `take` rows after `position`, or the first rows of the list if there is no position. */
export type Window<Field extends string = string> = {
  readonly order: Order<Field>;
  readonly direction: "asc" | "desc";
  readonly position: Position | undefined;
  readonly take: number;
};

/** Oldest first. Rows created at the same instant are in the order of their ids. */
export const BY_CREATION = { createdAt: "instant", id: "id" } as const satisfies Order<string>;
export type CreationWindow = Window<keyof typeof BY_CREATION>;

/** The arguments of `findMany` for the rows of `where` in a window. The fields of the order are fields of the model. */
export function keyset<Field extends string, Where extends object>(window: Window<Field>, where: Where) {
  const { order, direction, position, take } = window;
  const fields = Object.keys(order) as Field[];
  return {
    where: position === undefined ? where : ({ AND: [where, after(fields, position, direction)] } as unknown as Where),
    orderBy: fields.map((field) => ({ [field]: direction }) as { readonly [F in Field]?: "asc" | "desc" }),
    take,
  };
}

/** The `gte` condition lets PostgreSQL start an index scan at the position. The OR alone would read every row before it. */
function after([field, ...fields]: readonly string[], [value, ...values]: Position, direction: "asc" | "desc"): object {
  const [beyond, from] = direction === "asc" ? (["gt", "gte"] as const) : (["lt", "lte"] as const);
  if (fields.length === 0) return { [field!]: { [beyond]: value } };
  return { [field!]: { [from]: value }, OR: [{ [field!]: { [beyond]: value } }, after(fields, values, direction)] };
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
