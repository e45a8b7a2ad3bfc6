import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../support/client.ts";
import { openConversation, type Conversation } from "../support/conversations.ts";
import { smallClip } from "../support/videos.ts";
import { createCaller, type Ask, type Caller } from "./connection.ts";
import type { Read, Write } from "./history.ts";
import { acknowledgedWrites, createRecorder, type Kind, type Recorder } from "./recorder.ts";
import type { Site } from "./site.ts";

/** What the clients use: users, of which one marks notifications as read and one only watches, and their conversations. */
export type Cast = {
  readonly users: readonly Client[];
  readonly marker: Client;
  readonly watcher: Client;
  readonly conversations: readonly Conversation[];
};

export type Load = {
  readonly recorder: Recorder;
  readonly cast: Cast;
  /** Uploads a clip at once, in addition to those of the load. Returns when it is accepted. */
  upload(): Promise<void>;
  /** Sends until this many writes are acknowledged, and then waits until each client has ended its last write, and each job. */
  finish(acknowledgedMin: number): Promise<void>;
  /** Stops at once, whatever is acknowledged. */
  stop(): Promise<void>;
};

const [AUTHORS, POSTERS, SHORTENERS, READERS, UPLOADERS] = [10, 4, 4, 4, 2];
const CONVERSATIONS = 4;
const PAUSE_MS = 12;
const UPLOAD_PAUSE_MS = 4_000;
const POLL_MS = 200;
const PAGE = 50;
/** How many of a hundred writes are sent again after their acknowledgement, to the other process. */
const REPEATED = 5;

/** Starts clients that retry each write with its idempotency key until it is acknowledged. */
export async function startLoad(site: Site, random: (below: number) => number): Promise<Load> {
  const { deployment, apis } = site;
  const users = await Promise.all(Array.from({ length: 6 }, () => deployment.as()));
  const [marker, watcher] = [users[4]!, users[5]!];
  const conversations: Conversation[] = [];
  for (let n = 0; n < CONVERSATIONS; n++) conversations.push(await openConversation(users[0]!, users.slice(1)));
  const cast = { users, marker, watcher, conversations };
  const recorder = createRecorder(conversations.map((it) => it.id));
  const clip = await smallClip();
  let isStopped = false;
  let isOver = false;
  const urls = apis.map((it) => it.url);
  let callers = 0;
  const callerOf = ({ authorization }: Client): Caller =>
    createCaller({ urls, authorization: authorization!, recorder, random, isStopped: () => isOver }, callers++);

  let marks = 0;
  async function write(caller: Caller, kind: Kind, requestOf: (mark: string) => Ask, list?: Write[]): Promise<string | null> {
    const mark = `${kind}-${String(++marks).padStart(6, "0")}`;
    const it: Write = { mark, startedMs: performance.now(), acknowledgedMs: null, acknowledgements: [] };
    recorder.writes[kind].push(it);
    list?.push(it);
    const ask = requestOf(mark);
    for (let times = random(100) < REPEATED ? 2 : 1; times > 0; times--) {
      const answer = await caller.untilDone(ask);
      if (answer === null) break;
      it.acknowledgedMs ??= performance.now();
      const { id } = JSON.parse(answer.text) as { id: string };
      it.acknowledgements.push({ id, status: answer.status, text: answer.text });
      if (times > 1) caller.change();
    }
    return it.acknowledgements[0]?.id ?? null;
  }

  /** Repeats a step until the clients stop. */
  async function repeat(user: Client, pauseMs: number, step: (caller: Caller) => Promise<unknown>): Promise<void> {
    const caller = callerOf(user);
    while (!isStopped) {
      await step(caller);
      await delay(pauseMs);
    }
    caller.close();
  }

  const post = (mark: string): Ask => ({ line: "POST /posts", key: mark, body: { title: mark, body: "Still here." } });
  const url = (mark: string): Ask => ({
    line: "POST /urls",
    key: mark,
    body: { target_url: `https://www.example.com/${mark}` },
  });
  const messageIn =
    ({ messages }: Conversation) =>
    (mark: string): Ask => ({
      line: `POST ${messages}`,
      key: mark,
      body: { body: mark },
    });

  async function readPage(caller: Caller, { id, messages }: Conversation, cursor: Cursor | null): Promise<Cursor | null> {
    const startedMs = performance.now();
    const answer = await caller.once({ line: `GET ${messages}?limit=${PAGE}${cursor === null ? "" : `&after=${cursor.text}`}` });
    if (answer === null) return cursor;
    const { data, page } = JSON.parse(answer.text) as MessagePage;
    const items = data.map(({ sequence, id: message }) => ({ sequence, id: message })).reverse();
    const after = cursor?.sequence ?? null;
    const read: Read = { startedMs, endedMs: performance.now(), after, reachesEnd: !page.has_newer, items };
    recorder.reads.get(id)!.push(read);
    return { text: page.prev_cursor, sequence: items.at(-1)?.sequence ?? cursor?.sequence ?? 0 };
  }

  /** Reads the newest page of a conversation, and follows it page by page from its beginning. */
  async function readAll(conversation: Conversation): Promise<void> {
    let cursor: Cursor | null = null;
    await repeat(watcher, PAUSE_MS * 2, async (caller) => {
      await readPage(caller, conversation, null);
      cursor = await readPage(caller, conversation, cursor);
    });
  }

  async function markAsRead(caller: Caller): Promise<void> {
    const page = await caller.once({ line: "GET /notifications?limit=20" });
    if (page === null) return;
    const { seen } = JSON.parse(page.text) as { seen: string };
    await caller.once({ line: "PATCH /notifications", body: { status: "read", seen } });
  }

  async function uploadOne(user: Client): Promise<string | null> {
    // Every other upload is not a video: its job fails, which is also an end.
    const isVideo = random(2) === 0;
    const caller = callerOf(user);
    const id = await write(caller, "upload", (mark) => ({
      line: `POST /video-uploads?name=${mark}`,
      key: mark,
      body: isVideo ? clip : Buffer.from(`not a video, but ${mark}`),
    }));
    caller.close();
    return id;
  }

  async function uploadAndWatch(user: Client): Promise<void> {
    const watching: Promise<void>[] = [];
    while (!isStopped) {
      const id = await uploadOne(user);
      if (id !== null) watching.push(watch(user, id));
      await delay(UPLOAD_PAUSE_MS);
    }
    await Promise.all(watching);
  }

  async function watch(user: Client, id: string): Promise<void> {
    const caller = callerOf(user);
    for (let isEnded = false; !isEnded && !isOver; await delay(POLL_MS)) {
      const answer = await caller.once({ line: `GET /video-uploads/${id}` });
      if (answer === null) continue;
      const { status, attempt, progress } = JSON.parse(answer.text) as Job;
      recorder.observations.push({ id, status, attempt, percent: progress.percent });
      isEnded = status === "succeeded" || status === "failed";
    }
    caller.close();
  }

  const times = (count: number, start: (index: number) => Promise<void>) => Array.from({ length: count }, (_, n) => start(n));
  const clients = [
    ...times(AUTHORS, (n) => {
      const conversation = conversations[n % CONVERSATIONS]!;
      const list = recorder.messages.get(conversation.id)!;
      return repeat(users[n % 5]!, PAUSE_MS, (caller) => write(caller, "message", messageIn(conversation), list));
    }),
    ...times(POSTERS, (n) => repeat(users[n % 5]!, PAUSE_MS, (caller) => write(caller, "post", post))),
    ...times(SHORTENERS, (n) => repeat(users[n % 5]!, PAUSE_MS, (caller) => write(caller, "url", url))),
    ...times(READERS, (n) => readAll(conversations[n % CONVERSATIONS]!)),
    repeat(marker, PAUSE_MS * 10, markAsRead),
    ...times(UPLOADERS, (n) => uploadAndWatch(users[n]!)),
  ];
  return {
    recorder,
    cast,
    upload: async () => void (await uploadOne(users[0]!)),
    async finish(acknowledgedMin) {
      while (acknowledgedWrites(recorder) < acknowledgedMin) await delay(POLL_MS);
      isStopped = true;
      await Promise.all(clients);
    },
    async stop() {
      [isStopped, isOver] = [true, true];
      await Promise.all(clients);
    },
  };
}

type Cursor = { readonly text: string; readonly sequence: number };
type MessagePage = {
  readonly data: readonly { readonly id: string; readonly sequence: number }[];
  readonly page: { readonly prev_cursor: string; readonly has_newer: boolean };
};
type Job = { readonly status: string; readonly attempt: number; readonly progress: { readonly percent: number } };
