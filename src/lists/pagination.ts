import { invalidCursor, type CursorContext, type Cursors } from "./cursor.ts";
import { Failure } from "../failure.ts";

export type Sort = "created_at" | "-created_at";

/** Which rows a page wants: those after `position` in the given direction, one more than the page shows. */
export type Window = {
  readonly ascending: boolean;
  readonly position: Position | undefined;
  readonly take: number;
};
/** Where a page ended: an instant, and the id that breaks ties. */
export type Position = { readonly at: Date; readonly id: string };

type PageQuery = { readonly limit: number; readonly sort: Sort; readonly after?: string | undefined };
type Page = { readonly limit: number; readonly next_cursor: string | null };

/**
 * One page of a list that is ordered by an instant and an id. `find` gets a window and returns its rows in order;
 * `positionOf` says where a row stands. The cursor is bound to `context` and to the order, and holds values instead of a
 * row's identity, so a page goes on correctly after the row it ended at has been deleted.
 */
export async function pageByTime<Row>(
  cursors: Cursors,
  context: CursorContext,
  query: PageQuery,
  find: (window: Window) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<{ readonly rows: readonly Row[]; readonly page: Page }> {
  const bound = { ...context, sort: query.sort };
  const rows = await find({
    ascending: query.sort === "created_at",
    position: query.after === undefined ? undefined : positionFrom(cursors.decode(bound, "after", query.after)),
    take: query.limit + 1,
  });
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const more = rows.length > query.limit && last !== undefined;
  return {
    rows: shown,
    page: { limit: query.limit, next_cursor: more ? cursors.encode(bound, toCursor(positionOf(last))) : null },
  };
}

const toCursor = ({ at, id }: Position) => [at.getTime(), id];

function positionFrom([ms, id]: readonly (string | number)[]): Position {
  if (typeof ms !== "number" || typeof id !== "string") throw invalidCursor("after");
  return { at: new Date(ms), id };
}

/**
 * The window as Prisma arguments for tables with `createdAt` and `id`. The form with `<=` in front lets PostgreSQL enter
 * the index at the position; the bare OR that everybody writes reads every row before it.
 */
export function byCreation({ ascending, position, take }: Window) {
  const direction = ascending ? ("asc" as const) : ("desc" as const);
  const orderBy = [{ createdAt: direction }, { id: direction }];
  if (position === undefined) return { orderBy, take, where: {} };
  const { at, id } = position;
  const where = ascending
    ? { createdAt: { gte: at }, OR: [{ createdAt: { gt: at } }, { id: { gt: id } }] }
    : { createdAt: { lte: at }, OR: [{ createdAt: { lt: at } }, { id: { lt: id } }] };
  return { orderBy, take, where };
}

/** Two ways to say where a page begins, of which a request may use one. */
export function conflictingParameters(one: string, other: string): Failure {
  const error = (name: string, rival: string) =>
    ({
      in: "query",
      pointer: `/${name}`,
      code: "conflicting_parameters",
      detail: `${name} cannot be combined with ${rival}.`,
    }) as const;
  return new Failure("conflicting_parameters", `Send either ${one} or ${other}, not both.`, {
    errors: [error(one, other), error(other, one)],
  });
}

/** Where a row of such a table stands. */
export const createdPosition = (row: { readonly createdAt: Date; readonly id: string }): Position => ({
  at: row.createdAt,
  id: row.id,
});
