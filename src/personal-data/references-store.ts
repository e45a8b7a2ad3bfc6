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

/** The tables of all areas. */
export const declared: readonly (readonly [name: string, table: Table<never>])[] = Object.entries(tables);

/** The declared columns with user ids. `onErase` is what happens to their rows when the user is erased. */
export const userColumns = declared.flatMap(([table, { users = {} }]) =>
  Object.entries(users).map(([column, onErase]) => ({ table, column, onErase })),
);

/** Every column that refers to users: the foreign keys of the live schema, so that no table is forgotten, and the declared columns. */
export async function findReferences({ query }: Pick<Snapshot, "query">): Promise<readonly Reference[]> {
  const all = [...(await findForeignKeysTo(query, "users")), ...userColumns.map(({ table, column }) => ({ table, column }))];
  return [...new Map(all.map((it) => [nameOf(it), it])).values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

export const nameOf = ({ table, column }: Reference) => `${table}.${column}`;

/** Texts of users. The id of a user in another user's text does not make it a row of the user. */
const USER_CONTENT = new Set(
  declared.flatMap(([table, { userContent = [] }]) => userContent.map((it) => `public.${table}.${it}`)),
);

/** Counts the rows with the id of a user, by column: UUIDs, and texts and JSON that contain it. Reads all tables of the live schema. */
export async function countMentions({ query }: Pick<Snapshot, "query">, userId: string): Promise<readonly Mention[]> {
  const columns = await findColumnsForIds(query);
  const checked = columns.filter((it) => !USER_CONTENT.has(`${it.schema}.${it.table}.${it.column}`));
  return countRowsWithId(query, checked, userId);
}

/** Columns that are excluded from an export of a user's data, with the reasons. */
export const EXCLUDED_COLUMNS: Readonly<Record<string, string>> = Object.fromEntries(
  declared.flatMap(([table, { excluded = {} }]) => Object.entries(excluded).map(([column, why]) => [`${table}.${column}`, why])),
);

/** The rows that refer to a user by one column, as JSON. */
export function rowsOf({ rows }: Pick<Snapshot, "rows">, { table, column }: Reference, userId: string) {
  const omitted = Object.keys((tables as Readonly<Record<string, Table<never>>>)[table]?.excluded ?? {});
  return rows<{ row: string }>(rowsAsJson(table, column, omitted), [userId]);
}
