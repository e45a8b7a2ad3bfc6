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
  const rows = await find({ order, direction, position: cursorIn(cursors, request, "after", order)?.position, take: limit + 1 });
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

/** The cursor of the position of a row in this list. `mark` is what a list wants to know again when the cursor comes back. */
export function cursorTo<Field extends string>(
  cursors: Cursors,
  input: ListRequest,
  order: Order<Field>,
  row: Readonly<Record<Field, Date | string | number>>,
  mark: Mark = [],
): string {
  const fields = Object.keys(order) as Field[];
  const position = fields.map((field) => {
    if (order[field] === "id") return String(row[field]);
    return order[field] === "instant" ? new Date(row[field]).getTime() : Number(row[field]);
  });
  return cursors.encode(contextOf(input), [...position, ...mark]);
}

type Mark = readonly (string | number)[];
type Requesting<Parameter extends string> = ListRequest & { readonly query: { readonly [P in Parameter]?: string | undefined } };

/** What the cursor in a query parameter says, if there is one. Throws `Failure(invalid_cursor)` for one of another list. */
export function cursorIn<Parameter extends "after" | "before">(
  cursors: Cursors,
  input: Requesting<Parameter>,
  parameter: Parameter,
  order: Order<string>,
): { readonly position: Position; readonly mark: Mark } | undefined {
  const token = input.query[parameter];
  if (token === undefined) return undefined;
  const values = cursors.decode(contextOf(input), parameter, token);
  const types = Object.values(order);
  const position = types.map((type, index) => {
    const value = values[index];
    if (typeof value !== (type === "id" ? "string" : "number")) throw invalidCursor(parameter);
    return type === "instant" ? new Date(value!) : value!;
  });
  return { position, mark: values.slice(types.length) };
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
