import type { Body } from "../../support/client.ts";

export type Membership = {
  readonly userId: string;
  readonly joinedAt: string;
  readonly read: number;
  readonly isMuted: boolean;
  /** What is unread in their notifications: that they were added, how many messages, and the newest of these. */
  readonly added: boolean;
  readonly notified: number;
  readonly newest: number;
};
/** What the contract says of a conversation. `members` are in no order. */
export type Talk = {
  readonly id: string;
  readonly createdAt: string;
  readonly title: string | null;
  readonly owner: string;
  readonly last: { readonly sequence: number; readonly at: string; readonly sender: string } | null;
  readonly members: readonly Membership[];
};

export const lastOf = (talk: Talk): number => talk.last?.sequence ?? 0;
export const memberOf = (talk: Talk, userId: string): Membership | undefined => talk.members.find((it) => it.userId === userId);

const changed = (talk: Talk, userId: string, change: Partial<Membership>): Talk => ({
  ...talk,
  members: talk.members.map((it) => (it.userId === userId ? { ...it, ...change } : it)),
});

const NONE = { added: false, notified: 0, newest: 0 };

/** Sending moves the position of the sender to the message, and notifies the others. */
export function sent(talk: Talk, { sequence, created_at: at, sender_id: sender }: Body): Talk {
  const members = talk.members.map((it) => (it.isMuted ? it : { ...it, notified: it.notified + 1, newest: sequence }));
  return changed({ ...talk, members, last: { sequence, at, sender } }, sender, { read: sequence, ...NONE });
}

/** A position never goes back. What is up to it is read in the notifications, too. */
export function read(talk: Talk, userId: string, sequence: number): Talk {
  const before = memberOf(talk, userId)!;
  const position = Math.max(before.read, sequence);
  const notified = Math.max(0, Math.min(before.notified, before.newest - position));
  return changed(talk, userId, { read: position, added: false, notified });
}

/** The notifications about a conversation are marked as read: all, or those of one kind. */
export const marked = (talk: Talk, userId: string, kind?: string): Talk =>
  changed(talk, userId, kind === undefined ? NONE : kind === "message.created" ? { notified: 0 } : { added: false });

export const muted = (talk: Talk, userId: string, isMuted: boolean): Talk => changed(talk, userId, { isMuted });

/** A new member has read everything. For a user who is a member already, nothing changes. */
export function joined(talk: Talk, { user_id: userId, joined_at: joinedAt }: Body): Talk {
  if (memberOf(talk, userId) !== undefined) return talk;
  const member = { userId, joinedAt, read: lastOf(talk), isMuted: false, ...NONE, added: userId !== talk.owner };
  return { ...talk, members: [...talk.members, member] };
}

/** When the owner leaves, the member who joined first becomes the owner. Without a member, there is no conversation: null. */
export function left(talk: Talk, userId: string): Talk | null {
  const members = talk.members.filter((it) => it.userId !== userId);
  const [first] = members.toSorted((a, b) => (a.joinedAt + a.userId < b.joinedAt + b.userId ? -1 : 1));
  if (first === undefined) return null;
  return { ...talk, members, owner: talk.owner === userId ? first.userId : talk.owner };
}

/** What a member sees. `names` has the users who are not deleted. */
export function seenBy(talk: Talk, userId: string, names: ReadonlyMap<string, string>): Body {
  const { read: position, isMuted } = memberOf(talk, userId)!;
  const { last } = talk;
  const name = last === null ? undefined : names.get(last.sender);
  const sender =
    name === undefined ? { display_name: null, deleted: true } : { id: last!.sender, display_name: name, deleted: false };
  return {
    id: talk.id,
    title: talk.title,
    member_count: talk.members.length,
    last_message_at: last?.at ?? null,
    last_message: last === null ? null : { sequence: last.sequence, created_at: last.at, sender },
    last_read_sequence: position,
    unread_count: lastOf(talk) - position,
    muted: isMuted,
  };
}

/** The ids of a user's conversations, in the two orders of the list. */
export function orderFor(talks: readonly Talk[], userId: string, sort: "-created_at" | "-last_message_at"): readonly string[] {
  const timeOf = (it: Talk) => (sort === "-created_at" ? it.createdAt : (it.last?.at ?? it.createdAt));
  return talks
    .filter((it) => memberOf(it, userId) !== undefined)
    .toSorted((a, b) => (timeOf(a) + a.id > timeOf(b) + b.id ? -1 : 1))
    .map((it) => it.id);
}
