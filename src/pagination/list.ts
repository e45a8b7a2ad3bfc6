import type { Routed } from "../contract/contract.ts";
import type { Order, Position, PageRequest } from "./keyset.ts";
import { Failure } from "../failure.ts";
import { invalidCursor, type CursorContext, type Cursors } from "./cursor.ts";

/** The input of an operation that returns a list, with the fields that the context of its cursors needs. */
type ListRequest = {
  readonly operation: Routed;
  readonly path: object;
  readonly query: { readonly [P in Start]?: number | string | undefined } & { readonly limit: number; readonly sort?: string };
};
/** The parameters that set the start of a page. A request can have only one. */
const STARTS = ["offset", "before", "after"] as const;
type Start = (typeof STARTS)[number];

/** Values of a cursor in addition to the position. */
type Extra = readonly (string | number)[];
type SortKeys<Field extends string> = Readonly<Record<Field, Date | string | number>>;

/** The rows to read for one page: one more than the page has, which shows whether there is another page. */
export type ListPageRequest<Field extends string> = PageRequest<Field> & {
  readonly limit: number;
  /** From the cursor of the request. */
  readonly extra: Extra;
  /** Makes a cursor for the position of a row in this list. */
  cursorOf(row: SortKeys<Field>, extra?: Extra): string;
};

/**
 * Parses the parameters of a list. Without `direction` and `sort` in the query, the list is ascending. A cursor contains a position, so it
 * outlives its row. Throws `Failure(conflicting_parameters)`, and `Failure(invalid_cursor)` for a cursor of another list.
 */
export function parsePage<Field extends string>(
  cursors: Cursors,
  { operation, path, query }: ListRequest,
  order: Order<Field>,
  direction?: PageRequest["direction"],
): ListPageRequest<Field> {
  const [start, other] = STARTS.filter((it) => query[it] !== undefined);
  if (start !== undefined && other !== undefined) throw conflictingParameters(start, other);
  const { limit, sort = "created_at" } = query;
  const ofList = cursors.of(contextOf({ operation, path, query: direction === undefined ? { ...query, sort } : query }));
  const values = start === undefined || start === "offset" ? null : ofList.decode(start, String(query[start]));
  const fields = Object.entries(order) as [Field, Order<Field>[Field]][];
  return {
    order,
    direction: direction ?? (sort.startsWith("-") ? "desc" : "asc"),
    position: values === null ? undefined : fields.map(([, type], index) => valueIn(type, values[index], start!)),
    take: limit + 1,
    limit,
    extra: values?.slice(fields.length) ?? [],
    cursorOf: (row, extra = []) => ofList.encode([...fields.map(([field, type]) => valueOf(type, row[field])), ...extra]),
  };
}

/** The body of a response with the rows of a page, in order. `fields` are further fields of `page`. */
export function page<Field extends string, Row extends SortKeys<Field>, Item, Fields extends object = object>(
  { limit, cursorOf }: ListPageRequest<Field>,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
  fields?: Fields,
) {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const cursor = last === undefined ? null : cursorOf(last);
  return { data: shown.map(toItem), page: { limit, next_cursor: cursor, ...(fields as Fields) } };
}

type FieldType = Order<string>[string];

function valueOf(type: FieldType, value: Date | string | number): string | number {
  if (type === "id") return String(value);
  return type === "instant" ? new Date(value).getTime() : Number(value);
}

function valueIn(type: FieldType, value: string | number | undefined, parameter: string): Position[number] {
  if (typeof value !== (type === "id" ? "string" : "number")) throw invalidCursor(parameter);
  return type === "instant" ? new Date(value!) : value!;
}

/**
 * The context of the cursors of a list: the operation, the resource in its path (`conversationId` as `conversation`), the
 * filters and the order. Clients have cursors made with these names, so a changed name makes those cursors invalid.
 */
function contextOf({ operation, path, query }: ListRequest): CursorContext {
  const context: Record<string, string> = { operation };
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && !POSITIONAL.includes(name)) context[name] = String(value);
  for (const [name, id] of Object.entries(path)) context[name.replace(/_?id$/i, "")] = String(id);
  return context;
}

/** Parameters for the start and length of a page, and for long polling. All others are filters or the order. */
const POSITIONAL: readonly string[] = ["limit", "wait", ...STARTS];

/** The failure for two parameters that each set the start of a page. */
function conflictingParameters(one: Start, other: Start): Failure {
  const code = "conflicting_parameters";
  const error = (name: string, rival: string) =>
    ({ in: "query", pointer: `/${name}`, code, detail: `${name} cannot be combined with ${rival}.` }) as const;
  return new Failure(code, `Send either ${one} or ${other}, not both.`, { errors: [error(one, other), error(other, one)] });
}
