import {
  countRowsWithId,
  findColumnsForIds,
  findForeignKeysTo,
  rowsAsJson,
  type Mention,
  type Reference,
} from "../database/references.ts";
import type { Snapshot } from "../database/snapshot.ts";

export type { Mention, Reference };

/**
 * Columns without a foreign key, which would cost each request with a key a lookup, and each event a lookup and new entries in all
 * indexes, and what can outlive its user. A test finds a column that is missing here.
 */
const WITHOUT_FOREIGN_KEY: readonly Reference[] = [
  { table: "audit_entries", column: "user_id" },
  { table: "idempotency_keys", column: "user_id" },
  { table: "kept_objects", column: "owner_id" },
  { table: "notifications", column: "actor_id" },
];

/** Every column of the live schema that refers to users, so that a new table cannot be forgotten. */
export async function findReferences({ query }: Pick<Snapshot, "query">): Promise<readonly Reference[]> {
  const keyed = await findForeignKeysTo(query, "users");
  return [{ table: "users", column: "id" }, ...keyed, ...WITHOUT_FOREIGN_KEY].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

export const nameOf = ({ table, column }: Reference) => `${table}.${column}`;

/** What users write themselves. If another user's text contains the id of a user, that is not a row of the user. */
export const WRITTEN_BY_USERS: readonly string[] = [
  "public.conversations.title",
  "public.messages.body",
  "public.notifications.body",
  "public.notifications.title",
  "public.partial_uploads.name",
  "public.posts.body",
  "public.posts.title",
  "public.short_urls.target_url",
  "public.users.display_name",
  "public.video_uploads.name",
];

/**
 * Counts, for every column of every table that can contain an id, the rows with the id of a user: columns of UUIDs, and texts
 * and JSON that contain it. It reads all tables, and derives them from the live schema.
 */
export async function countMentions({ query }: Pick<Snapshot, "query">, userId: string): Promise<readonly Mention[]> {
  const columns = await findColumnsForIds(query);
  const checked = columns.filter((it) => !WRITTEN_BY_USERS.includes(`${it.schema}.${it.table}.${it.column}`));
  return countRowsWithId(query, checked, userId);
}

/** Columns that no copy of a user's data contains, with the reasons. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "notifications.actor_id": "in notifications of other users, about what this user did; the messages themselves are copied",
  "audit_entries.host": "about an operator",
  "audit_entries.operator": "about an operator",
  "api_keys.secret_hash": "a secret of the service: the hash of an API key",
  "idempotency_keys.fingerprint": "a hash of a request, which tells nothing about the user",
};

/** The rows that refer to a user by one column, as JSON. */
export function rowsOf({ rows }: Pick<Snapshot, "rows">, { table, column }: Reference, userId: string) {
  const omitted = Object.keys(LEFT_OUT).filter((it) => it.startsWith(`${table}.`));
  const names = omitted.map((it) => it.slice(table.length + 1));
  return rows<{ row: string }>(rowsAsJson(table, column, names), [userId]);
}
