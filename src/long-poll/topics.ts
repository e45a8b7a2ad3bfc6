/** What has changed: the messages of a conversation, the notifications of a user, or a video upload. */
export type Topic = `${"conversation" | "user" | "video_upload"}:${string}`;

/** Publishes a change to the requests that wait for its topic. Call it after the commit of the change. */
export type Publish = (...topics: readonly Topic[]) => void;

/** The id of the conversation whose messages have changed; null for any other topic. */
export const conversationIn = (topic: Topic): string | null =>
  topic.startsWith("conversation:") ? topic.slice("conversation:".length) : null;

/** Whether the topic is the notifications of a user. */
export const isUserTopic = (topic: Topic): boolean => topic.startsWith("user:");
