import type { Routed } from "../contract/contract.ts";
import type { Order, Position, Window } from "./keyset.ts";
import { Failure } from "../failure.ts";
import { invalidCursor, type CursorContext, type Cursors } from "./cursor.ts";

/** The input of an operation that returns a list, with everything that the context of its cursors needs. */
type ListRequest = {
  readonly operation: Routed;
  readonly path: object;
  readonly query: { readonly [P in Start]?: number | string | undefined } & { readonly limit: number; readonly sort?: string };
};
/** The parameters that set the start of a page. A request can have only one. */
const STARTS = ["offset", "before", "after"] as const;
type Start = (typeof STARTS)[number];

/** What a list wants to know again when a cursor comes back, besides the position. */
type Mark = readonly (string | number)[];
type Placed<Field extends string> = Readonly<Record<Field, Date | string | number>>;

/** The rows to read for one page: one more than it shows, so that you know whether there is another page. */
export type ListWindow<Field extends string> = Window<Field> & {
  readonly limit: number;
  /** That of the cursor of the request. */
  readonly mark: Mark;
  /** Makes the cursor of the position of a row in this list. */
  cursorOf(row: Placed<Field>, mark?: Mark): string;
};

/**
 * Opens the window of a request for a list. `sort` in the query sets the direction; without it, the list is ascending, unless
 * you give a `direction`. A cursor has a position, so it outlives its row. Throws `Failure(conflicting_parameters)`, and
 * `Failure(invalid_cursor)` for a cursor of another list.
 */
export function openWindow<Field extends string>(
  cursors: Cursors,
  { operation, path, query }: ListRequest,
  order: Order<Field>,
  direction?: Window["direction"],
): ListWindow<Field> {
  const [start, other] = STARTS.filter((it) => query[it] !== undefined);
  if (start !== undefined && other !== undefined) throw conflictingParameters(start, other);
  const { limit, sort = "created_at" } = query;
  const context = contextOf({ operation, path, query: direction === undefined ? { ...query, sort } : query });
  const values = start === undefined || start === "offset" ? null : cursors.decode(context, start, String(query[start]));
  const fields = Object.entries(order) as [Field, Order<Field>[Field]][];
  return {
    order,
    direction: direction ?? (sort.startsWith("-") ? "desc" : "asc"),
    position: values === null ? undefined : fields.map(([, type], index) => valueIn(type, values[index], start!)),
    take: limit + 1,
    limit,
    mark: values?.slice(fields.length) ?? [],
    cursorOf: (row, mark = []) => cursors.encode(context, [...fields.map(([field, type]) => valueOf(type, row[field])), ...mark]),
  };
}

/** The body of a response with the rows of a window, in order. `extra` has further fields of `page`. */
export function page<Field extends string, Row extends Placed<Field>, Item, Extra extends object = object>(
  { limit, cursorOf }: ListWindow<Field>,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
  extra?: Extra,
) {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const cursor = last === undefined ? null : cursorOf(last);
  return { data: shown.map(toItem), page: { limit, next_cursor: cursor, ...(extra as Extra) } };
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

/** The parameters for the start and the length of a page, and for when it comes. All others are filters or the order. */
const POSITIONAL: readonly string[] = ["limit", "wait", ...STARTS];

/** The failure for two parameters that each set the start of a page. */
function conflictingParameters(one: Start, other: Start): Failure {
  const code = "conflicting_parameters";
  const error = (name: string, rival: string) =>
    ({ in: "query", pointer: `/${name}`, code, detail: `${name} cannot be combined with ${rival}.` }) as const;
  return new Failure(code, `Send either ${one} or ${other}, not both.`, { errors: [error(one, other), error(other, one)] });
}
