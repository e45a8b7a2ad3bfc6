import { many, type Generated, type Runner, type Statement } from "../database/statement.ts";

/**
 * The order of a list: the fields to sort by, the most significant first. Together they are unique, so that each row has
 * one position. A number that counts the children of a parent is unique by itself.
 */
export type Order<Field extends string> = Readonly<Record<Field, "instant" | "id" | "number">>;
/** The values of a row in the fields of its order. */
export type Position = readonly (Date | string | number)[];

/** The rows of a page: the first `take` rows after `position`, or the first rows of the list if there is no position. */
export type PageRequest<Field extends string = string> = {
  readonly order: Order<Field>;
  readonly direction: "asc" | "desc";
  readonly position: Position | undefined;
  readonly take: number;
};

/** Oldest first. Rows created at the same instant are in the order of their ids. */
export const BY_CREATION = { createdAt: "instant", id: "id" } as const satisfies Order<string>;
export type CreationPageRequest = PageRequest<keyof typeof BY_CREATION>;

/** The position before the first row of a list, as the values of a field. No row is created at an infinite time. */
const BEFORE_ALL = {
  asc: { instant: "-infinity", id: "00000000-0000-0000-0000-000000000000", number: -1 },
  desc: { instant: "infinity", id: "ffffffff-ffff-ffff-ffff-ffffffffffff", number: 2_147_483_647 },
} as const;

/** The parameters of a statement: the fields of the position, and `limit`. */
function boundsOf({ order, direction, position, take }: PageRequest): object {
  const bounds: Record<string, unknown> = { limit: take };
  Object.entries(order).forEach(([field, type], index) => {
    const value = position?.[index] ?? BEFORE_ALL[direction][type];
    bounds[field] = value instanceof Date ? value.toISOString() : value;
  });
  return bounds;
}

/** Further parameters of a list, if there are any. */
type Others<P> = keyof P extends never ? [] : [others: P];

/** The rows to read for the default page size of 20: one more, which shows whether there is another page. */
export const DEFAULT_PAGE_LIMIT = 21;

/** Declares the statement of a list, in each direction. The statement also reads the first page. */
export function page<P extends { readonly limit: number }, Row>({
  name,
  text,
  limit,
  ...rest
}: Generated<P, Row, Readonly<Record<PageRequest["direction"], string>>> & { readonly limit: number }) {
  const declare = (it: PageRequest["direction"]): Statement<P, Row[]> => {
    const whole = { ...rest, name: `${name}_${it}`, text: text[it] };
    const [general, fixed] = [many(whole), fixedLimitVariant(whole, limit)];
    return (runner, parameters) => (parameters.limit === DEFAULT_PAGE_LIMIT ? fixed : general)(runner, parameters);
  };
  const run = { asc: declare("asc"), desc: declare("desc") };
  return <Field extends string>(
    runner: Runner,
    pageRequest: PageRequest<Field>,
    ...[others]: Others<Omit<P, Field | "limit">>
  ): Promise<Row[]> => run[pageRequest.direction](runner, { ...others, ...boundsOf(pageRequest) } as unknown as P);
}

/**
 * The statement with the default page size as a constant. PostgreSQL plans a statement with a parameter as `LIMIT` at each execution.
 * `LIMIT (SELECT $1)` would be planned once, but Citus refuses it in a query to several nodes.
 */
function fixedLimitVariant<P, Row>(statement: Generated<P, Row>, limit: number): Statement<P, Row[]> {
  const { name, text, values } = statement;
  if (!new RegExp(`LIMIT \\$${limit}\\b`).test(text)) return many(statement);
  const renumbered = (all: string, digits: string) => {
    const n = Number(digits);
    return n === limit ? String(DEFAULT_PAGE_LIMIT) : n > limit ? `$${n - 1}` : all;
  };
  return many({
    ...statement,
    name: `${name}_default`,
    text: text.replaceAll(/\$(\d+)/g, renumbered),
    values: (it) => values(it).toSpliced(limit - 1, 1),
  });
}
