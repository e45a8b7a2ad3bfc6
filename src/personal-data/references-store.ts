import { tables } from "#generated/tables.ts";
import {
  countRowsWithId,
  findColumnsForIds,
  findForeignKeysTo,
  rowsAsJson,
  type Mention,
  type Reference,
} from "../database/references.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Table } from "../database/table.ts";

export type { Mention, Reference };

/** What the `tables.ts` of all areas declare. */
export const declared: readonly (readonly [name: string, table: Table<never>])[] = Object.entries(tables);

/** The declared columns with ids of users, each with what happens to its rows at an erasure. */
export const userColumns = declared.flatMap(([table, { users = {} }]) =>
  Object.entries(users).map(([column, fate]) => ({ table, column, fate })),
);

/** Every column that refers to users: those of the live schema, so that a new table cannot be forgotten, and the declared ones. */
export async function findReferences({ query }: Pick<Snapshot, "query">): Promise<readonly Reference[]> {
  const all = [...(await findForeignKeysTo(query, "users")), ...userColumns.map(({ table, column }) => ({ table, column }))];
  return [...new Map(all.map((it) => [nameOf(it), it])).values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

export const nameOf = ({ table, column }: Reference) => `${table}.${column}`;

/** What users write themselves. If another user's text contains the id of a user, that is not a row of the user. */
const WRITTEN_BY_USERS = new Set(declared.flatMap(([table, { written = [] }]) => written.map((it) => `public.${table}.${it}`)));

/**
 * Counts, for every column of every table that can contain an id, the rows with the id of a user: columns of UUIDs, and texts
 * and JSON that contain it. It reads all tables, and derives them from the live schema.
 */
export async function countMentions({ query }: Pick<Snapshot, "query">, userId: string): Promise<readonly Mention[]> {
  const columns = await findColumnsForIds(query);
  const checked = columns.filter((it) => !WRITTEN_BY_USERS.has(`${it.schema}.${it.table}.${it.column}`));
  return countRowsWithId(query, checked, userId);
}

/** Columns that no copy of a user's data contains, with the reasons. */
export const LEFT_OUT: Readonly<Record<string, string>> = Object.fromEntries(
  declared.flatMap(([table, { leftOut = {} }]) => Object.entries(leftOut).map(([column, why]) => [`${table}.${column}`, why])),
);

/** The rows that refer to a user by one column, as JSON. */
export function rowsOf({ rows }: Pick<Snapshot, "rows">, { table, column }: Reference, userId: string) {
  const omitted = Object.keys((tables as Readonly<Record<string, Table<never>>>)[table]?.leftOut ?? {});
  return rows<{ row: string }>(rowsAsJson(table, column, omitted), [userId]);
}
