import type { NotificationKind } from "#generated/operations.ts";
import type { Schemas } from "../contract/contract.ts";
import { DELETED_TEXT, DELETED_USER_NAME, DELETED_USER_ID, toUserSummary } from "../auth/wire.ts";
import type { NotificationRow } from "./store.ts";

/** A notification without the current name of the actor, so that a rename doesn't change the `ETag`. */
export type NotificationVersion = Omit<Schemas["Notification"], "actor">;

/** The values in a text: the name of the actor, and the title or name of the subject, both at the time of the event. */
type Facts = {
  readonly name: string;
  readonly subject: string | null;
  readonly body: string | null;
  readonly detail: { readonly scopes?: readonly string[]; readonly reason?: string };
};
type Text = readonly [title: string, body: string | null];

const ADVICE = "If this wasn't you, delete it and ask the operator to revoke the key.";
const whatItGets = (scopes: readonly string[] = []) => (scopes.length === 0 ? "ids only" : `what ${scopes.join(", ")} can read`);

/** Why an endpoint is disabled, by reason. */
const WHY_DISABLED: Readonly<Record<string, (host: string) => string>> = {
  failing: () => "It has not accepted an event for 5 days. Enable it again when your receiver works.",
  gone: () => "Your receiver has answered with 410 Gone. Enable it again if you want further events.",
  operator: (host) => `The operator has disabled it. It sent events to ${host}. Ask the operator if you need it.`,
  credential_revoked: (host) =>
    `The API key that created or changed it was revoked. It sent events to ${host}. Enable it again if it is yours; otherwise, delete it.`,
};

/** The texts of each kind of notification. */
const TEXTS: Readonly<Record<NotificationKind, (facts: Facts) => Text>> = {
  "message.created": ({ name, subject, body }) => [
    subject === null ? `${name} wrote to you` : `${name} wrote in ${subject}`,
    body,
  ],
  "conversation.member_added": ({ name, subject }) => [`${name} added you to ${subject ?? "a conversation"}`, null],
  "video_upload.succeeded": ({ subject }) => [`Your video ${subject ?? "without a name"} is ready`, null],
  "video_upload.failed": ({ subject, body }) => [`Your video ${subject ?? "without a name"} could not be processed`, body],
  "webhook_endpoint.created": ({ subject, detail: { scopes } }) => [
    "A webhook endpoint of yours was created",
    `It sends events with ${whatItGets(scopes)} to ${subject}. ${ADVICE}`,
  ],
  "webhook_endpoint.changed": ({ subject, detail: { scopes } }) => [
    "A webhook endpoint of yours was changed",
    `It now sends events with ${whatItGets(scopes)} to ${subject}. ${ADVICE}`,
  ],
  "webhook_endpoint.disabled": ({ subject, detail: { reason = "" } }) => [
    "A webhook endpoint of yours was disabled",
    WHY_DISABLED[reason]?.(subject ?? "") ?? null,
  ],
};

/** Undefined for kinds of a later version. */
const TEXT_OF: Readonly<Record<string, ((facts: Facts) => Text) | undefined>> = TEXTS;

/** Cuts a text at the maximum of the contract, which counts characters, not code units. */
function atMost(length: number, text: string): string {
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

/**
 * The texts of a notification, without the name and texts of a deleted user, which a job removes later. A row without facts has a title of the
 * previous release.
 */
function textsOf(row: NotificationRow): Pick<Schemas["Notification"], "title" | "body"> {
  const { actorId, actorName, nameThen, subjectTitle: subject, title, detail } = row;
  // The job sets this actor when it rewrites the notification.
  const isDeleted = actorId !== null && actorId !== DELETED_USER_ID && actorName === null;
  const body = isDeleted && row.body !== null ? DELETED_TEXT : row.body;
  const textOf = TEXT_OF[row.kind];
  const hasFacts = nameThen !== null || subject !== null || detail !== null;
  if (textOf === undefined || (!hasFacts && !isDeleted)) return { title, body };
  const name = isDeleted || nameThen === null ? DELETED_USER_NAME : nameThen;
  const [text, bodyText] = textOf({ name, subject, body, detail: detail ?? {} });
  return { title: atMost(200, text), body: bodyText === null ? null : atMost(500, bodyText) };
}

export function toNotificationVersion(row: NotificationRow): NotificationVersion {
  return {
    id: row.id,
    kind: row.kind,
    status: row.readAt === null ? "unread" : "read",
    ...textsOf(row),
    resource: { type: row.resourceType, id: row.resourceId, href: row.resourceHref },
    event_count: row.eventCount,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    read_at: row.readAt,
    archived_at: row.archivedAt,
  };
}

export const withActor = (version: NotificationVersion, { actorId, actorName }: NotificationRow): Schemas["Notification"] => ({
  ...version,
  actor: actorId === null ? null : toUserSummary(actorId, actorName),
});

export const toNotification = (row: NotificationRow): Schemas["Notification"] => withActor(toNotificationVersion(row), row);
