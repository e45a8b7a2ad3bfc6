import type { NotifyInStatement } from "../notifier.ts";
import { keptSince } from "./rows.ts";

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
const uuidLike = (uuid: string): string => `(left(${uuid}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid`;

/** Texts are cut to what the contract allows, by characters, not bytes. */
export const cutTitle = (text: string) => cut(text, TITLE_MAX);
export const cutBody = (text: string) => cut(text, BODY_MAX);
const cutTitleInSql = (title: string) =>
  `CASE WHEN length(${title}) > ${TITLE_MAX} THEN left(${title}, ${TITLE_MAX - 1}) || '…' ELSE ${title} END`;

function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/** Tells users in the statement of another area. */
export const notifyInStatement: NotifyInStatement = {
  insert: ({ rows, userId, idLike, kind, title, body, subjectId, resource, at, keptSince: since }) => `
    INSERT INTO notifications AS n ${TOLD_COLUMNS}
    SELECT ${uuidLike(idLike)}, ${userId}, ${subjectId}, '${kind}', ${cutTitleInSql(title)}, ${body},
      '${resource.type}', ${resource.id}, ${resource.href}, ${at}, ${at}
    FROM ${rows} ORDER BY ${userId}
    ${countOn(since)}`,
  cutBody,
  keptSince,
};
