import type pg from "pg";
import { readGroups } from "./one-group.ts";

/** A column of a result. It comes from the column `columnID` of the table `tableID`; both are 0 for an expression. */
type Field = { readonly name: string; readonly dataTypeID: number; readonly tableID: number; readonly columnID: number };
export type Described = { readonly parameterTypes: readonly number[]; readonly fields: readonly Field[] };
type Protocol = pg.Connection & { parse(query: object, more: boolean): void; describe(what: object, more: boolean): void };

/** Describes a statement with the Parse and Describe messages of PostgreSQL, which run nothing. Rejects if it is invalid. */
export function describeStatement(client: pg.Client, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    let parameterTypes: readonly number[] = [];
    let fields: readonly Field[] = [];
    client.query({
      submit(connection: Protocol) {
        connection.once("parameterDescription", (it: { dataTypeIDs: readonly number[] }) => (parameterTypes = it.dataTypeIDs));
        connection.parse({ name: "", text, types: [] }, true);
        connection.describe({ type: "S", name: "" }, true);
        connection.sync();
      },
      handleRowDescription: (it: { fields: readonly Field[] }) => void (fields = it.fields),
      handleError: reject,
      handleReadyForQuery: () => resolve({ parameterTypes, fields }),
    } as unknown as pg.Submittable);
  });
}

/** The names of all types, the columns that cannot be null, as `table.column` in numbers, and the groups of the tables. */
export async function readCatalogue(client: pg.Client) {
  const types = await client.query<{ oid: number; name: string }>("SELECT oid::int, typname AS name FROM pg_type");
  const columns = await client.query<{ column: string }>(
    "SELECT attrelid::text || '.' || attnum AS column FROM pg_attribute WHERE attnotnull AND attnum > 0",
  );
  return {
    types: new Map(types.rows.map((it) => [it.oid, it.name])),
    notNull: new Set(columns.rows.map((it) => it.column)),
    groupsOf: await readGroups(client),
  };
}
export type Catalogue = Awaited<ReturnType<typeof readCatalogue>>;
