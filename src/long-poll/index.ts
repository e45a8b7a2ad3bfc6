import type { Logger } from "pino";
import { Channel } from "../database/channel.ts";
import { conversationIn, type Announce, type Topic } from "./topics.ts";
import { WaitingRoom } from "./waiting-room.ts";

type Options = {
  /** Without a pooler. */
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly max: number;
  readonly maxPerCaller: number;
  /** The members of conversations that a message notifies. */
  readonly findHearers: (conversationIds: readonly string[]) => Promise<readonly { readonly userId: string }[]>;
};

export type Waiting = {
  readonly room: WaitingRoom;
  readonly announce: Announce;
  /** Closes the connection to the other processes. */
  close(): Promise<void>;
};

/** Opens what requests wait in, and what wakes them, also from other processes. */
export function openWaiting({ databaseUrl, log, max, maxPerCaller, findHearers }: Options): Waiting {
  const room = new WaitingRoom({ max, maxPerCaller });
  const changed = new Set<string>();
  let isFinding = false;
  const heard = (topic: Topic): void => {
    room.wake(topic);
    const conversationId = conversationIn(topic);
    if (conversationId === null || !room.hasUsers) return;
    changed.add(conversationId);
    void wakeHearers();
  };
  const channel = new Channel({ databaseUrl, log, heard: (word) => heard(word as Topic), missed: () => room.wakeAll() });
  return {
    room,
    announce(topic) {
      heard(topic);
      channel.tell(topic);
    },
    close: () => channel.close(),
  };

  /** Wakes those that wait for notifications. One look-up at a time: what changes meanwhile is in the next one. */
  async function wakeHearers(): Promise<void> {
    if (isFinding) return;
    isFinding = true;
    while (changed.size > 0) {
      const ids = [...changed];
      changed.clear();
      // If it fails, they see it with their next request.
      for (const { userId } of await findHearers(ids).catch(() => [])) room.wake(`user:${userId}`);
    }
    isFinding = false;
  }
}
