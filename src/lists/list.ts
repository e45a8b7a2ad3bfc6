import type { Routed } from "../contract/contract.ts";
import type { Order, Position, Window } from "../database/keyset.ts";
import { Failure } from "../failure.ts";
import { invalidCursor, type CursorContext, type Cursors } from "./cursor.ts";

/** The input of an operation that returns a list, with everything that the context of its cursors needs. */
type ListRequest = {
  readonly operation: Routed;
  readonly path: object;
  readonly query: { readonly limit: number; readonly sort?: string };
};
type PageRequest = ListRequest & { readonly query: { readonly after?: string | undefined } };

/** How to read a list. `find` returns the rows of a window, in order. */
type List<Field extends string, Row, Item> = {
  readonly order: Order<Field>;
  find(window: Window<Field>): Promise<readonly Row[]>;
  toWire(row: Row): Item;
};

/**
 * Reads one page of a list, and returns the response. `sort` in the query sets the direction; without it, the list is
 * ascending, unless `find` sets another `direction` in its window. A cursor has a position, so it outlives its row.
 */
export async function list<Field extends string, Row extends Readonly<Record<Field, Date | string | number>>, Item>(
  cursors: Cursors,
  input: PageRequest,
  { order, find, toWire }: List<Field, Row, Item>,
) {
  const request = { ...input, query: { sort: "created_at", ...input.query } };
  const { limit, sort } = request.query;
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const rows = await find({ order, direction, position: positionIn(cursors, request, "after", order), take: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isLastPage = rows.length <= limit || last === undefined;
  return {
    status: 200 as const,
    body: {
      data: shown.map(toWire),
      page: { limit, next_cursor: isLastPage ? null : cursorTo(cursors, request, order, last) },
    },
  };
}

/** The cursor of the position of a row in this list. */
export function cursorTo<Field extends string>(
  cursors: Cursors,
  input: ListRequest,
  order: Order<Field>,
  row: Readonly<Record<Field, Date | string | number>>,
): string {
  const fields = Object.keys(order) as Field[];
  const position = fields.map((field) => {
    if (order[field] === "id") return String(row[field]);
    return order[field] === "instant" ? new Date(row[field]).getTime() : Number(row[field]);
  });
  return cursors.encode(contextOf(input), position);
}

/** The position of the cursor in a query parameter, if there is one. Throws `Failure(invalid_cursor)` for one of another list. */
export function positionIn<Parameter extends "after" | "before">(
  cursors: Cursors,
  input: ListRequest & { readonly query: { readonly [P in Parameter]?: string | undefined } },
  parameter: Parameter,
  order: Order<string>,
): Position | undefined {
  const token = input.query[parameter];
  if (token === undefined) return undefined;
  const values = cursors.decode(contextOf(input), parameter, token);
  return Object.values(order).map((type, index) => {
    const value = values[index];
    if (typeof value !== (type === "id" ? "string" : "number")) throw invalidCursor(parameter);
    return type === "instant" ? new Date(value!) : value!;
  });
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

/** The parameters for the start and the length of a page. All others are filters or the order. */
const POSITIONAL: readonly string[] = ["limit", "after", "before", "offset"];

/** The failure for two parameters that each set the start of a page. A request can have only one. */
export function conflictingParameters(one: string, other: string): Failure {
  const code = "conflicting_parameters";
  const error = (name: string, rival: string) =>
    ({ in: "query", pointer: `/${name}`, code, detail: `${name} cannot be combined with ${rival}.` }) as const;
  return new Failure(code, `Send either ${one} or ${other}, not both.`, { errors: [error(one, other), error(other, one)] });
}
