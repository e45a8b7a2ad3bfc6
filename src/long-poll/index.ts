import type { Logger } from "pino";
import { Channel } from "../database/channel.ts";
import { conversationIn, type Publish, type Topic } from "./topics.ts";
import { Subscriptions } from "./subscriptions.ts";

type Options = {
  /** Without a pooler. */
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly max: number;
  readonly maxPerCaller: number;
  /** Finds the members of conversations who get a notification of a new message. */
  readonly findUnmutedMembers: (conversationIds: readonly string[]) => Promise<readonly { readonly userId: string }[]>;
};

export type LongPolling = {
  readonly subscriptions: Subscriptions;
  readonly publish: Publish;
  /** Closes the connection to the other processes. */
  close(): Promise<void>;
};

/** Opens the subscriptions of this process, and the channel for topics to and from other processes. */
export function openLongPolling({ databaseUrl, log, max, maxPerCaller, findUnmutedMembers }: Options): LongPolling {
  const subscriptions = new Subscriptions({ max, maxPerCaller });
  const changed = new Set<string>();
  let isFinding = false;
  const onTopic = (topic: Topic): void => {
    subscriptions.wake(topic);
    const conversationId = conversationIn(topic);
    if (conversationId === null || !subscriptions.hasUserTopics) return;
    changed.add(conversationId);
    void wakeMembers();
  };
  const channel = new Channel({
    databaseUrl,
    log,
    onTopic: (topic) => onTopic(topic as Topic),
    onGap: () => subscriptions.wakeAll(),
  });
  return {
    subscriptions,
    publish(...topics) {
      for (const topic of topics) {
        onTopic(topic);
        channel.publish(topic);
      }
    },
    close: () => channel.close(),
  };

  /** Wakes the requests for notifications of members. Runs one query at a time, for all conversations that have changed until then. */
  async function wakeMembers(): Promise<void> {
    if (isFinding) return;
    isFinding = true;
    while (changed.size > 0) {
      const ids = [...changed];
      changed.clear();
      // If the query fails, the next request of each member reads the notification.
      for (const { userId } of await findUnmutedMembers(ids).catch(() => [])) subscriptions.wake(`user:${userId}`);
    }
    isFinding = false;
  }
}
