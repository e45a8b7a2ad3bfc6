import { expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";

const STEPS = sized(500, 10_000);
const MESSAGE = "message.created";
const ADDED = "conversation.member_added";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** What a member has read, and what is unread in the notifications of a user: how many messages, and which one is the newest. */
type Member = { read: number; isMuted: boolean };
type Unread = { added: boolean; messages: number; newest: number };

/** What the contract says of one conversation. `members` are in the order in which they joined: the first one succeeds an owner who leaves. */
class Model {
  last = 0;
  owner: string;
  readonly members = new Map<string, Member>();
  readonly #unread = new Map<string, Unread>();

  constructor(owner: string, others: readonly string[]) {
    this.owner = owner;
    for (const it of [owner, ...others.toSorted()]) this.members.set(it, { read: 0, isMuted: false });
    for (const it of others) this.unread(it).added = true;
  }
  unread(user: string): Unread {
    const known = this.#unread.get(user) ?? { added: false, messages: 0, newest: 0 };
    this.#unread.set(user, known);
    return known;
  }
  /** Nothing of this conversation is unread in the notifications of the user. */
  clear(user: string): void {
    this.#unread.delete(user);
  }
  send(sender: string): void {
    this.last++;
    this.clear(sender);
    for (const [user, member] of this.members) {
      if (user === sender) member.read = this.last;
      else if (!member.isMuted) Object.assign(this.unread(user), { messages: this.unread(user).messages + 1, newest: this.last });
    }
  }
  read(user: string, sequence: number): void {
    const member = this.members.get(user)!;
    member.read = Math.max(member.read, sequence);
    const unread = this.unread(user);
    unread.added = false;
    unread.messages = Math.max(0, Math.min(unread.messages, unread.newest - member.read));
  }
  leave(user: string): void {
    this.members.delete(user);
    this.clear(user);
    if (this.owner === user) [this.owner = user] = this.members.keys();
  }
  join(user: string): void {
    if (this.members.has(user)) return;
    this.members.set(user, { read: this.last, isMuted: false });
    this.clear(user);
    this.unread(user).added = true;
  }
}

type Talk = { readonly conversation: Conversation; readonly model: Model };

/** What a user sees: the conversations and their unread notifications, and how many notifications are unread. */
async function seen(user: Client, talks: readonly Talk[]): Promise<unknown> {
  const listed = await user("GET", "/notifications?limit=100&status=unread");
  const notices = listed.body.data as Body[];
  const shown = await Promise.all(
    talks.map(async ({ conversation: { id, path, messages } }) => {
      const { status, body } = await user("GET", path);
      const countOf = (kind: string, start: string) =>
        notices.find((it) => it.kind === kind && it.resource.href.startsWith(start))?.event_count ?? 0;
      const [added, notified] = [countOf(ADDED, path), countOf(MESSAGE, messages)];
      // Whatever the model says: no notification counts more than what is unread.
      expect([id, notified]).toEqual([id, Math.min(notified, status === 200 ? body.unread_count : 0)]);
      return status === 200
        ? [status, body.unread_count, body.last_read_sequence, body.muted, added, notified]
        : [status, added, notified];
    }),
  );
  return [listed.body.unread_count, ...shown];
}

function expected(user: string, talks: readonly Talk[]): unknown {
  const shown = talks.map(({ model }) => {
    const member = model.members.get(user);
    const { added, messages } = model.unread(user);
    const counts = [Number(added), messages];
    return member === undefined ? [403, ...counts] : [200, model.last - member.read, member.read, member.isMuted, ...counts];
  });
  const unread = talks.flatMap(({ model }) => [model.unread(user).added, model.unread(user).messages > 0]);
  return [unread.filter(Boolean).length, ...shown];
}

it(`conversations and notifications agree on what is unread after each of ${STEPS} random steps of three users`, async () => {
  const random = seededRandom("read and unread");
  const any = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const users = [await service.as(), await service.as(), await service.as()];
  const clientOf = (id: string) => users.find((it) => it.userId === id)!;
  const open = async (owner: Client): Promise<Talk> => {
    const others = users.filter((it) => it !== owner);
    return {
      conversation: await openConversation(owner, others),
      model: new Model(
        owner.userId,
        others.map((it) => it.userId),
      ),
    };
  };
  const talks = [await open(users[0]!), await open(users[1]!)];

  type Step = (talk: Talk, user: Client) => Promise<unknown>;
  /** Marks all or one of the notifications of a user, of all conversations or of one, and can archive them. */
  const mark = async (user: Client, cleared: readonly Talk[], body: Body) => {
    const { seen: token } = (await user("GET", "/notifications?limit=1")).body;
    const archived = random(2) === 0;
    const marked = await user("PATCH", "/notifications", { status: "read", seen: token, archived, ...body });
    expect(marked.status).toBe(200);
    for (const { model } of cleared) model.clear(user.userId);
  };
  const steps: Readonly<Record<string, Step>> = {
    async send({ conversation, model }, user) {
      expect(await send(user, conversation, "x")).toMatchObject({ status: 201, body: { sequence: model.last + 1 } });
      model.send(user.userId);
    },
    /** Some messages of all members at once, which the service can send in one statement. */
    async sendTogether({ conversation, model }) {
      const senders = Array.from({ length: 4 }, () => clientOf(any([...model.members.keys()])));
      const sent = (await Promise.all(senders.map((it) => send(it, conversation, "x")))).map((it) => it.body);
      for (const it of sent.toSorted((one, other) => one.sequence - other.sequence)) model.send(it.sender_id);
    },
    async read({ conversation, model }, user) {
      const sequence = Math.max(0, model.last - random(4));
      expect(await user("PUT", `${conversation.path}/read-position`, { sequence })).toMatchObject({ status: 200 });
      model.read(user.userId, sequence);
    },
    async markOne({ conversation, model }, user) {
      const { data } = (await user("GET", "/notifications?status=unread&limit=100")).body as { data: Body[] };
      const found = data.find((it) => it.resource.href.startsWith(conversation.path));
      if (found === undefined) return;
      const marked = await user("PATCH", `/notifications/${found.id}`, { status: "read", archived: random(2) === 0 });
      expect(marked.status).toBe(200);
      Object.assign(model.unread(user.userId), found.kind === ADDED ? { added: false } : { messages: 0 });
    },
    markAll: (_talk, user) => mark(user, talks, {}),
    markConversation: (talk, user) => mark(user, [talk], { conversation_id: talk.conversation.id }),
    async mute({ conversation, model }, user) {
      const isMuted = random(2) === 0;
      expect((await user(isMuted ? "PUT" : "DELETE", `${conversation.path}/mute`)).status).toBe(204);
      model.members.get(user.userId)!.isMuted = isMuted;
    },
    async leave({ conversation, model }, user) {
      if (model.members.size === 1) return;
      expect((await user("DELETE", `${conversation.members}/${user.userId}`)).status).toBe(204);
      model.leave(user.userId);
    },
    async remove({ conversation, model }) {
      const other = any([...model.members.keys()]);
      if (other === model.owner) return;
      expect((await clientOf(model.owner)("DELETE", `${conversation.members}/${other}`)).status).toBe(204);
      model.leave(other);
    },
    async join({ conversation, model }) {
      const other = any(users).userId;
      const added = await clientOf(model.owner)("PUT", `${conversation.members}/${other}`);
      expect(added.status).toBe(model.members.has(other) ? 200 : 201);
      model.join(other);
    },
  };
  const often = ["send", "send", "send", "send", "sendTogether", "read", "read", "join", "join", ...Object.keys(steps)];

  const counts = new Map<string, number>();
  for (let step = 1; step <= STEPS; step++) {
    const [talk, name] = [any(talks), any(often)];
    await steps[name]!(talk, clientOf(any([...talk.model.members.keys()])));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const user of users) expect([step, name, await seen(user, talks)]).toEqual([step, name, expected(user.userId, talks)]);
  }
  process.stderr.write(`${STEPS} steps: ${JSON.stringify(Object.fromEntries(counts))}\n`);
}, 1_800_000);
