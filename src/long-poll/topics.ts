/** What has changed: the messages of a conversation, the notifications of a user, or a video upload. */
export type Topic = `${"conversation" | "user" | "video_upload"}:${string}`;

/** Tells that something has changed. Call it after the commit of the change. */
export type Announce = (topic: Topic) => void;

/** The id of the conversation whose messages have changed; null for any other topic. */
export const conversationIn = (topic: Topic): string | null =>
  topic.startsWith("conversation:") ? topic.slice("conversation:".length) : null;

/** Whether it is about the notifications of a user. */
export const isOfUser = (topic: Topic): boolean => topic.startsWith("user:");
