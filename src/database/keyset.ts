import { Prisma } from "#generated/prisma/client.ts";

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

const SQL_TYPES = { instant: "timestamptz", id: "uuid", number: "int" } as const;

/** The same for a query in SQL: a condition that begins with AND, and the end of the query. `columns` are those of the order. */
export function keysetInSql({ order, direction, position, take }: Window, columns: readonly string[]) {
  const values = Object.values(order).map((type, index) => Prisma.sql`${position?.[index]}::${Prisma.raw(SQL_TYPES[type])}`);
  return {
    andAfter:
      position === undefined
        ? Prisma.empty
        : Prisma.sql`AND (${Prisma.raw(columns.join(", "))}) ${Prisma.raw(direction === "asc" ? ">" : "<")} (${Prisma.join(values)})`,
    orderAndLimit: Prisma.sql`ORDER BY ${Prisma.raw(columns.map((it) => `${it} ${direction}`).join(", "))} LIMIT ${take}`,
  };
}
