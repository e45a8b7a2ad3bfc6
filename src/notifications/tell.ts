const TITLE_MAX = 200;
const BODY_MAX = 500;

/** The columns that a telling writes, in the order of its SELECT; `created_at` is the default, `updated_at` the same instant. */
export const TOLD_COLUMNS =
  "(id, user_id, subject_id, kind, title, body, resource_type, resource_id, resource_href, created_at, updated_at)";

/**
 * How a telling goes on where the user has an entry for the subject already. An unread one counts on and keeps its place,
 * so that no page loses it; whatever was read, or is kept no longer, gives way to a new one. `since` is the SQL of the
 * instant from which on entries are kept. Nothing that is indexed changes while an entry counts on: PostgreSQL then
 * writes the row alone (HOT), and none of its indices.
 */
export function countOn(since: string): string {
  const goesOn = `(n.read_at IS NULL AND n.created_at > ${since})`;
  const kept = (column: string) => `${column} = CASE WHEN ${goesOn} THEN n.${column} ELSE excluded.${column} END`;
  return `ON CONFLICT (user_id, subject_id, kind) DO UPDATE SET ${kept("id")}, ${kept("created_at")},
    event_count = CASE WHEN ${goesOn} THEN n.event_count + 1 ELSE 1 END, read_at = NULL, updated_at = excluded.updated_at,
    title = excluded.title, body = excluded.body, resource_type = excluded.resource_type, resource_id = excluded.resource_id,
    resource_href = excluded.resource_href, xact_id = pg_current_xact_id()`;
}

/** Another UUID of version 7 with the instant of the given one, for each row: one statement does not know how many it writes. */
export const uuidLike = (uuid: string): string => `(left(${uuid}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid`;

export const cutTitle = (text: string) => cut(text, TITLE_MAX);
/** Texts are cut to what the contract allows, by characters, not bytes. */
export const cutBody = (text: string) => cut(text, BODY_MAX);

function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}
