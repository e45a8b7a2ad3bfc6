import { expect, it } from "@jest/globals";
import type { Answer, Body, Client } from "../support/client.ts";
import { walk, withKey } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { erased } from "../support/jobs.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";
import { plumblineJson } from "../support/processes.ts";
import * as model from "./model/model.ts";
import type { Talk } from "./model/model.ts";

const STEPS = sized(250, 20_000);
const USERS = 6;
const TALKS_MAX = 12;
const DELETIONS = sized(2, 3);

/** A user, whose requests go to both processes. */
type Person = { readonly id: string; readonly at: readonly [Client, Client] };
type Random = ReturnType<typeof seededRandom>;

/** What the service must agree with: `talks` by id, and the names of the users who are not deleted. */
type World = {
  readonly random: Random;
  people: Person[];
  readonly talks: Map<string, Talk>;
  readonly names: Map<string, string>;
};

const any = <T>({ random }: World, from: readonly T[]): T => from[random(from.length)]!;
/** One of the two processes, by chance. */
const through = (world: World, person: Person): Client => any(world, person.at);

/** Keeps what `change` makes of a conversation, or forgets it if its last member has left. */
function keep({ talks }: World, id: string, talk: Talk | null): void {
  if (talk === null) talks.delete(id);
  else talks.set(id, talk);
}

async function open(world: World): Promise<void> {
  if (world.talks.size >= TALKS_MAX) return;
  const owner = any(world, world.people);
  const others = world.people.filter((it) => it !== owner && world.random(2) === 0);
  const member_ids = (others.length > 0 ? others : [owner]).map((it) => it.id);
  const { status, body } = await through(world, owner)("POST", "/conversations", { member_ids }, withKey());
  expect(status).toBe(201);
  const { data } = (await through(world, owner)("GET", `/conversations/${body.id}/members`)).body;
  const empty: Talk = { id: body.id, createdAt: body.created_at, title: null, owner: owner.id, last: null, members: [] };
  keep(world, body.id, (data as Body[]).reduce(model.joined, empty));
}

type Step = (world: World, talk: Talk, person: Person) => Promise<void>;
const isMember = (talk: Talk, { id }: Person) => model.memberOf(talk, id) !== undefined;
const isOwner = (talk: Talk, { id }: Person) => talk.owner === id;

/** Sends a request. If it succeeds, the model changes; `expected` says with which status the service must answer. */
async function attempt(
  world: World,
  talk: Talk,
  expected: number,
  send: () => Promise<Answer>,
  change: (body: Body) => Talk | null,
): Promise<void> {
  const { status, body } = await send();
  expect(status).toBe(expected);
  if (expected < 300) keep(world, talk.id, change(body));
}

const send: Step = (world, talk, person) =>
  attempt(
    world,
    talk,
    isMember(talk, person) ? 201 : 403,
    () => through(world, person)("POST", `/conversations/${talk.id}/messages`, { body: "x" }, withKey()),
    (body) => model.sent(talk, body),
  );

const read: Step = (world, talk, person) => {
  const sequence = world.random(model.lastOf(talk) + 2);
  const possible = sequence > model.lastOf(talk) ? 422 : 200;
  return attempt(
    world,
    talk,
    isMember(talk, person) ? possible : 403,
    () => through(world, person)("PUT", `/conversations/${talk.id}/read-position`, { sequence }),
    () => model.read(talk, person.id, sequence),
  );
};

const mute: Step = (world, talk, person) => {
  const isMuted = world.random(2) === 0;
  return attempt(
    world,
    talk,
    isMember(talk, person) ? 204 : 403,
    () => through(world, person)(isMuted ? "PUT" : "DELETE", `/conversations/${talk.id}/mute`),
    () => model.muted(talk, person.id, isMuted),
  );
};

const join: Step = (world, talk, person) => {
  const other = any(world, world.people);
  const success = isMember(talk, other) ? 200 : 201;
  return attempt(
    world,
    talk,
    isOwner(talk, person) ? success : 403,
    () => through(world, person)("PUT", `/conversations/${talk.id}/members/${other.id}`),
    (body) => model.joined(talk, body),
  );
};

const leave: Step = (world, talk, person) => {
  const other = world.random(3) === 0 ? any(world, world.people) : person;
  const success = isMember(talk, other) ? 204 : 404;
  const mayRemove = isMember(talk, person) && (other === person || isOwner(talk, person));
  return attempt(
    world,
    talk,
    mayRemove ? success : 403,
    () => through(world, person)("DELETE", `/conversations/${talk.id}/members/${other.id}`),
    () => model.left(talk, other.id),
  );
};

const handOver: Step = (world, talk, person) => {
  const other = any(world, world.people);
  const success = isMember(talk, other) ? 200 : 404;
  return attempt(
    world,
    talk,
    isOwner(talk, person) ? success : 403,
    () => through(world, person)("PATCH", `/conversations/${talk.id}/members/${other.id}`, { role: "owner" }),
    () => ({ ...talk, owner: other.id }),
  );
};

const retitle: Step = (world, talk, person) => {
  const title = `Title ${world.random(1_000)}`;
  return attempt(
    world,
    talk,
    isOwner(talk, person) ? 200 : 403,
    () => through(world, person)("PATCH", `/conversations/${talk.id}`, { title }),
    () => ({ ...talk, title }),
  );
};

/** Several messages at once, which the service can send in one statement. */
const sendTogether: Step = async (world, talk) => {
  const senders = Array.from({ length: 4 }, () => any(world, talk.members).userId);
  const clients = senders.map((id) =>
    through(
      world,
      world.people.find((it) => it.id === id)!,
    ),
  );
  const post = (it: Client) => it("POST", `/conversations/${talk.id}/messages`, { body: "x" }, withKey());
  const sent = (await Promise.all(clients.map(post))).map((it) => it.body);
  keep(world, talk.id, sent.toSorted((one, other) => one.sequence - other.sequence).reduce(model.sent, talk));
};

/** Marks the notifications of a user: all, those of one conversation, or one; and can archive them. */
const mark: Step = async (world, talk, person) => {
  const client = through(world, person);
  const { data, seen } = (await client("GET", "/notifications?status=unread&limit=100")).body;
  const [status, archived, way] = ["read", world.random(2) === 0, world.random(3)];
  const one = (data as Body[]).find((it) => it.resource.href.startsWith(`/conversations/${talk.id}`));
  if (way === 0 && one === undefined) return;
  const { status: code } =
    way === 0
      ? await client("PATCH", `/notifications/${one!.id}`, { status, archived })
      : await client("PATCH", "/notifications", { status, archived, seen, ...(way === 1 ? { conversation_id: talk.id } : {}) });
  expect(code).toBe(200);
  for (const it of way === 2 ? [...world.talks.values()] : [talk])
    keep(world, it.id, model.marked(it, person.id, way === 0 ? one!.kind : undefined));
};

const rename: Step = async (world, _talk, person) => {
  const display_name = `Name ${world.random(1_000)}`;
  expect((await through(world, person)("PATCH", "/account", { display_name })).status).toBe(200);
  world.names.set(person.id, display_name);
};

/** Each is chosen as often as it is listed. */
const STEPS_BY_WEIGHT: readonly Step[] = [
  ...Array<Step>(10).fill(send),
  ...Array<Step>(5).fill(read),
  ...[join, join, leave, mute, handOver, retitle, rename, sendTogether, mark, mark, mark],
];

/** What the service shows of a conversation, as far as the model has it. */
const shown = ({ id, title, member_count, last_message_at, last_message: newest, ...its }: Body): Body => ({
  ...{ id, title, member_count, last_message_at, last_read_sequence: its["last_read_sequence"] },
  ...{ unread_count: its["unread_count"], muted: its["muted"] },
  last_message:
    newest === null
      ? null
      : {
          ...{ sequence: newest.sequence, created_at: newest.created_at },
          sender: newest.sender.deleted ? { display_name: newest.sender.display_name, deleted: true } : newest.sender,
        },
});

/** Compares a conversation, as one user sees it, with its owner. */
async function compareOne(world: World, talk: Talk, person: Person): Promise<void> {
  const client = through(world, person);
  const one = await client("GET", `/conversations/${talk.id}`);
  if (!isMember(talk, person)) return expect(one.status).toBe(403);
  expect(shown(one.body)).toEqual(model.seenBy(talk, person.id, world.names));
  if (world.random(4) > 0) return;
  const { data } = (await client("GET", `/conversations/${talk.id}/members`)).body;
  expect((data as Body[]).filter((it) => it.role === "owner").map((it) => it.user_id)).toEqual([talk.owner]);
}

/** Compares what is unread in the notifications of a user with the conversations. */
async function compareUnread(world: World, person: Person): Promise<void> {
  const { body } = await through(world, person)("GET", "/notifications?status=unread&limit=100");
  const shownOf = (body.data as Body[]).map((it) => [it.resource.href.split("/")[2], it.kind, it.event_count]);
  const expected = [...world.talks.values()].flatMap((talk) => {
    const { added = false, notified = 0 } = model.memberOf(talk, person.id) ?? {};
    return [
      ...(added ? [[talk.id, "conversation.member_added", 1]] : []),
      ...(notified > 0 ? [[talk.id, "message.created", notified]] : []),
    ];
  });
  expect([body.unread_count, shownOf.toSorted()]).toEqual([expected.length, expected.toSorted()]);
}

/** Compares a whole list of one user, by pages, in one of its orders. */
async function compareList(world: World, person: Person): Promise<void> {
  const sort = any(world, ["-created_at", "-last_message_at"] as const);
  const listed = await walk(through(world, person), `/conversations?sort=${sort}&limit=${1 + world.random(8)}`);
  const order = model.orderFor([...world.talks.values()], person.id, sort);
  const views = new Map(order.map((id) => [id, model.seenBy(world.talks.get(id)!, person.id, world.names)]));
  expect(listed.map(shown)).toEqual([...views.values()]);
}

it(`agrees with a model after each of ${STEPS} random steps of six users, also in what is unread in notifications, through two processes, while users are deleted`, async () => {
  await using deployment = await createDeployment();
  const settings = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
  await deployment.start("worker");
  await deployment.start("api", { RATE_LIMITS: "off" });
  const first: Client[] = [];
  for (let n = 0; n < USERS + DELETIONS; n++) first.push(await deployment.as(`User ${n}`));
  await deployment.start("api", { RATE_LIMITS: "off" });
  const everybody = first.map((it): Person => ({ id: it.userId, at: [it, deployment.asAgain(it)] }));

  const world: World = {
    random: seededRandom("conversations"),
    people: everybody.splice(0, USERS),
    talks: new Map(),
    names: new Map(first.map((it) => [it.userId, it.userName])),
  };

  /** Deletes a user, and waits until nothing of them is left. Another user replaces them. */
  const replace = async ({ id }: Person) => {
    await plumblineJson(settings, "user", "delete", id, "--yes");
    await erased(deployment);
    world.names.delete(id);
    for (const talk of world.talks.values()) if (model.memberOf(talk, id)) keep(world, talk.id, model.left(talk, id));
    world.people = [...world.people.filter((it) => it.id !== id), everybody.pop()!];
  };

  const counts = new Map<string, number>();
  for (let step = 1; step <= STEPS; step++) {
    if (step % Math.floor(STEPS / (DELETIONS + 1)) === 0 && everybody.length > 0) await replace(any(world, world.people));
    if (world.talks.size < 4 || world.random(25) === 0) await open(world);
    const [talk, person, take] = [any(world, [...world.talks.values()]), any(world, world.people), any(world, STEPS_BY_WEIGHT)];
    await take(world, talk, person);
    counts.set(take.name, (counts.get(take.name) ?? 0) + 1);
    const now = world.talks.get(talk.id);
    if (now !== undefined) await compareOne(world, now, any(world, world.people));
    for (const it of [person, any(world, world.people)]) if (world.people.includes(it)) await compareUnread(world, it);
    if (step % 10 === 0) await compareList(world, any(world, world.people));
  }
  process.stderr.write(`${STEPS} steps: ${JSON.stringify(Object.fromEntries(counts))}\n`);
}, 1_800_000);
