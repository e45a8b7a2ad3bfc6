import type { NotificationKind } from "#generated/operations.ts";
import type { Tx } from "./database/client.ts";

type ResourceType = "message" | "conversation" | "video_upload";

/** The content of a notification of an event. */
export type Notice = {
  readonly kind: NotificationKind;
  readonly title: string;
  readonly body: string | null;
  /** The user who caused the event, and whose name or words the notice has; null if no user did. */
  readonly actorId: string | null;
  /** The resource that has changed. Events of the same kind and subject share a notification. */
  readonly subjectId: string;
  readonly resource: { readonly type: ResourceType; readonly id: string; readonly href: string };
};

/**
 * Notifies users of an event in the transaction of the event, so that both are committed or neither is. The areas get this
 * function as a parameter, because areas never import each other.
 */
export type Notify = (tx: Tx, userIds: readonly string[], notice: Notice) => Promise<void>;

/** Removes at most one batch of the notifications about a resource that is being removed, and returns their number. */
export type RemoveNotices = (tx: Tx, subjectId: string) => Promise<number>;

type Parameter = `$${number}`;

/** A notice for an event that is a single SQL statement. Each value is an SQL expression over `rows`. */
export type NoticeInSql = {
  /** The content of the FROM clause, with one row for each user. */
  readonly rows: string;
  readonly userId: string;
  /** As in `Notice`. */
  readonly actorId: string;
  /** A UUIDv7 with the timestamp of the event. Each notification gets its own id with the same timestamp. */
  readonly idLike: string;
  readonly kind: `'${NotificationKind}'` | Parameter;
  readonly title: string;
  readonly body: string;
  readonly subjectId: string;
  readonly resourceType: `'${ResourceType}'` | Parameter;
  readonly resourceId: string;
  readonly resourceHref: string;
  readonly at: string;
  /** How many events the notice is about; one by default. Its texts are those of the last one. */
  readonly events?: string;
};

/**
 * Returns the INSERT of the notifications, for the WITH clause of the event's own statement. It inserts in the order of the
 * user ids, so that two events of one subject cannot deadlock.
 */
export type NotifyInStatement = (notice: NoticeInSql) => string;
