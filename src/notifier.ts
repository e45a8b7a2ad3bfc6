import type { NotificationKind } from "#generated/operations.ts";
import type { Tx } from "./database/client.ts";

/** Something that has happened, as its audience is told of it. */
export type Notice = {
  readonly kind: NotificationKind;
  readonly title: string;
  readonly body: string | null;
  /** What it has happened to; events of one kind about one subject share an entry. */
  readonly subjectId: string;
  readonly resource: { readonly type: "message" | "conversation" | "video_upload"; readonly id: string; readonly href: string };
};

/** Tells users of an event in the transaction of that event: both are there, or neither. How areas reach notifications. */
export type Notify = (tx: Tx, userIds: readonly string[], notice: Notice) => Promise<void>;

/** The same for an event that is one statement: what users are told by it. All but `kind` and `type` is SQL over `rows`. */
export type NoticeInSql = {
  /** What follows FROM: a row for each user. */
  readonly rows: string;
  readonly userId: string;
  /** A UUID of version 7 with the instant of the event; each entry gets one like it. */
  readonly idLike: string;
  readonly kind: Notice["kind"];
  readonly title: string;
  /** No longer than `cutBody` makes it. */
  readonly body: string;
  readonly subjectId: string;
  readonly resource: { readonly type: Notice["resource"]["type"]; readonly id: string; readonly href: string };
  readonly at: string;
  /** The value of `keptSince`. */
  readonly keptSince: string;
};

/** Tells users in the statement of the event itself, as a part of its WITH. */
export type NotifyInStatement = {
  /** The INSERT, in the order of the users, so that two tellings of one subject cannot block each other. */
  insert(notice: NoticeInSql): string;
  cutBody(this: void, body: string): string;
  /** The instant from which on entries are kept, when the statement runs. */
  keptSince(this: void): Date;
};
