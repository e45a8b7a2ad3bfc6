import type { NotificationKind } from "#generated/operations.ts";
import type { Tx } from "./database/client.ts";

type ResourceType = "message" | "conversation" | "video_upload";

/** An event as its audience is notified of it. */
export type Notice = {
  readonly kind: NotificationKind;
  readonly title: string;
  readonly body: string | null;
  /** What has changed; events of one kind about one subject share a notification. */
  readonly subjectId: string;
  readonly resource: { readonly type: ResourceType; readonly id: string; readonly href: string };
};

/** Notifies users of an event in the transaction of that event: both are there, or neither. How areas reach notifications. */
export type Notify = (tx: Tx, userIds: readonly string[], notice: Notice) => Promise<void>;

type Parameter = `$${number}`;

/** The same for an event that is one statement. Every value is SQL over `rows`. */
export type NoticeInSql = {
  /** What follows FROM: a row for each user. */
  readonly rows: string;
  readonly userId: string;
  /** A UUID of version 7 with the instant of the event; each notification gets another one with that instant. */
  readonly idLike: string;
  readonly kind: `'${NotificationKind}'` | Parameter;
  readonly title: string;
  readonly body: string;
  readonly subjectId: string;
  readonly resourceType: `'${ResourceType}'` | Parameter;
  readonly resourceId: string;
  readonly resourceHref: string;
  readonly at: string;
};

/**
 * Notifies users in the statement of the event itself: the INSERT as a part of its WITH, in the order of the users, so that
 * two events of one subject cannot block each other.
 */
export type NotifyInStatement = (notice: NoticeInSql) => string;
