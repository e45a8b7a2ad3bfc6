import type { Tx } from "./db/client.ts";

/** Something that has happened, as its audience is told of it. */
export type Notice = {
  readonly kind: "message.created" | "conversation.member_added" | "video_upload.succeeded" | "video_upload.failed";
  readonly title: string;
  readonly body: string | null;
  /** What it has happened to; events of one kind about one subject share an entry. */
  readonly subjectId: string;
  readonly resource: { readonly type: "message" | "conversation" | "video_upload"; readonly id: string; readonly href: string };
};

/** Tells users of an event in the transaction of that event: both are there, or neither. How areas reach notifications. */
export type Notify = (tx: Tx, userIds: readonly string[], notice: Notice) => Promise<void>;
