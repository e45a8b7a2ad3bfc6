import { many, type Generated, type Runner, type Statement } from "../database/statement.ts";

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

/** The position before the first row of a list, as the values of a field. No row is created at an infinite time. */
const BEFORE_ALL = {
  asc: { instant: "-infinity", id: "00000000-0000-0000-0000-000000000000", number: -1 },
  desc: { instant: "infinity", id: "ffffffff-ffff-ffff-ffff-ffffffffffff", number: 2_147_483_647 },
} as const;

/** The parameters of a window: the fields of its position, and `limit`. */
function boundsOf({ order, direction, position, take }: Window): object {
  const bounds: Record<string, unknown> = { limit: take };
  Object.entries(order).forEach(([field, type], index) => {
    const value = position?.[index] ?? BEFORE_ALL[direction][type];
    bounds[field] = value instanceof Date ? value.toISOString() : value;
  });
  return bounds;
}

/** The parameters of a list that are not those of the window, if there are any. */
type Others<P> = keyof P extends never ? [] : [others: P];

/** The rows of a page without the parameter `limit`, and one more, which says whether there is another page. */
export const USUAL_TAKE = 21;

/** What `npm run generate` writes for a list: one statement for each direction, which also reads the first page. */
export function page<P extends { readonly limit: number }, Row>({
  name,
  text,
  limit,
  ...rest
}: Generated<P, Row, Readonly<Record<Window["direction"], string>>> & { readonly limit: number }) {
  const declare = (it: Window["direction"]): Statement<P, Row[]> => {
    const whole = { ...rest, name: `${name}_${it}`, text: text[it] };
    const [any, usual] = [many(whole), usualOf(whole, limit)];
    return (runner, parameters) => (parameters.limit === USUAL_TAKE ? usual : any)(runner, parameters);
  };
  const run = { asc: declare("asc"), desc: declare("desc") };
  return <Field extends string>(
    runner: Runner,
    window: Window<Field>,
    ...[others]: Others<Omit<P, Field | "limit">>
  ): Promise<Row[]> => run[window.direction](runner, { ...others, ...boundsOf(window) } as unknown as P);
}

/**
 * The statement for pages of the usual size. PostgreSQL plans a statement each time if its `LIMIT` is a parameter, because the plan for
 * any number of rows would be a worse one. `LIMIT (SELECT $1)` is planned once, but a list that asks all nodes of a cluster can't have it.
 */
function usualOf<P, Row>({ name, text, values, row }: Generated<P, Row>, limit: number): Statement<P, Row[]> {
  if (!new RegExp(`LIMIT \\$${limit}\\b`).test(text)) return many({ name, text, values, row });
  const written = (all: string, digits: string) => {
    const n = Number(digits);
    return n === limit ? String(USUAL_TAKE) : n > limit ? `$${n - 1}` : all;
  };
  return many({
    name: `${name}_usual`,
    text: text.replaceAll(/\$(\d+)/g, written),
    values: (it) => values(it).toSpliced(limit - 1, 1),
    row,
  });
}
