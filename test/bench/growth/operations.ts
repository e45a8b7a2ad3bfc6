import { createCursors, type CursorContext } from "../../../src/lists/cursor.ts";
import { idOf } from "../fixture.ts";
import type { Request } from "../loads.ts";
import { CURSOR_SECRET } from "../subjects.ts";
import { conversationsOf, HEAVY, keyOf, memberOf, newcomerOf, RARE, videoOf, type Data } from "./data.ts";

/** An operation of the contract in one situation. */
export type Operation = {
  readonly area: string;
  readonly name: string;
  /** The request number `i`. Those that change a row have a row of their own for each `i`. */
  readonly request: (i: number) => Request;
  /** A number in the database that each request changes by `by`: the proof that it has done its work. */
  readonly effect?: { readonly sql: string; readonly by: number };
  /** Statements that restore what the requests have changed. */
  readonly restore?: readonly string[];
  /** Whether a read costs more the first time, so that none may be repeated. */
  readonly isNewEachTime?: true;
  /** The most requests of one measurement. */
  readonly countMax?: number;
  /** How long the service takes to write what it has only counted. */
  readonly settleMs?: number;
  /** Why its cost is not judged. */
  readonly exception?: string;
};

/** The rows of a table are dealt out in eight classes, so that no operation changes the rows of another one. */
const CLASSES = 8;
const TEXT = "The slates come on Thursday, early in the morning.";
const BY_OFFSET = "offset pages read what they skip, and count up to 10,000";
const countOf = (table: string, where = "true") => `SELECT count(*)::int AS n FROM ${table} WHERE ${where}`;

/** The same numbers in every database, over the whole range, and none twice. */
function spread(i: number, count: number): number {
  if (i >= count) throw new Error(`There are only ${count} rows for this operation. Take fewer requests or rounds.`);
  return (i * 7919) % count;
}

export const AREAS = ["posts", "short URLs", "notifications", "conversations", "messages", "videos", "system"] as const;
export type Area = (typeof AREAS)[number];

/** All operations of some areas, for one database. `seen` is the token of a list of notifications. */
export function operationsOf(data: Data, chosen: readonly Area[], seen: string): readonly Operation[] {
  const { rows, messages, instantOf } = data;
  const conversations = conversationsOf(data);
  const largest = `/conversations/${idOf(conversations)}`;
  const one = (i: number, kind: number, count = rows) => CLASSES * spread(i, Math.floor(count / CLASSES) - 1) + kind;
  const ofConversations = (i: number, kind: number) => CLASSES * spread(i, Math.floor(conversations / CLASSES) - 1) + kind;
  const of = (user: number) => ({ key: keyOf(user) });
  const get = (path: string, user = HEAVY): Request => ({ method: "GET", path, ...of(user) });
  const send = (method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: Request["body"], user = HEAVY): Request => ({ method, path, ...of(user), ...(body === undefined ? {} : { body }) }); // prettier-ignore
  const keyed = (path: string, body: object): Request => ({ ...send("POST", path, body), isKeyed: true });
  const cursors = createCursors([CURSOR_SECRET]);
  const after = (path: string, context: CursorContext, i: number, count = rows) => {
    const n = Math.floor(count / 4) + (i % Math.floor(count / 2));
    return get(`${path}${path.includes("?") ? "&" : "?"}after=${cursors.encode(context, [instantOf(n), idOf(n)])}`);
  };
  const message = (i: number, parameter: string) => {
    const n = Math.floor(messages / 4) + (i % Math.floor(messages / 2));
    return get(
      `${largest}/messages?${parameter}=${cursors.encode({ operation: "listMessages", conversation: idOf(conversations) }, [n])}`,
    );
  };
  const bytes = (type: string, headers: object = {}) => ({ body: "not a video", headers: { "content-type": type, ...headers } });
  const upload = (user: number, headers: object = {}) => ({ ...send("POST", "/video-uploads", "", user), ...bytes("application/octet-stream", headers) }); // prettier-ignore

  const areas: Readonly<Record<Area, Readonly<Record<string, Omit<Operation, "area" | "name">>>>> = {
    posts: {
      "list, newest": { request: () => get("/posts") },
      "list, oldest": { request: () => get("/posts?sort=created_at") },
      "list, from the middle": { request: (i) => after("/posts", { operation: "listPosts", sort: "-created_at" }, i) },
      "list, of an author of half": { request: () => get(`/posts?author=${idOf(HEAVY)}`) },
      "list, of an author of one": { request: () => get(`/posts?author=${idOf(RARE)}`) },
      "list, offset 0": { request: () => get("/posts?offset=0"), exception: BY_OFFSET },
      "list, offset 9,980": { request: () => get(`/posts?offset=${Math.min(9_980, rows - 20)}`), exception: BY_OFFSET },
      create: { request: () => keyed("/posts", { title: "A plumb line", body: TEXT }), effect: { sql: countOf("posts"), by: 1 } },
      get: { request: (i) => get(`/posts/${idOf(one(i, 1))}`) },
      update: { request: (i) => send("PATCH", `/posts/${idOf(one(i, 2))}`, { title: "Changed" }), effect: { sql: countOf("posts", "title = 'Changed'"), by: 1 } },
      delete: { request: (i) => send("DELETE", `/posts/${idOf(one(i, 8))}`), effect: { sql: countOf("posts"), by: -1 } },
    },
    "short URLs": {
      "list, newest deleted": { request: () => get("/urls") },
      "list, from the middle": { request: (i) => after("/urls", { operation: "listUrls", sort: "-created_at" }, i, rows / 2) },
      "list, of an owner of one": { request: () => get("/urls", RARE) },
      create: { request: () => keyed("/urls", { target_url: "https://www.example.com/" }), effect: { sql: countOf("short_urls"), by: 1 } },
      get: { request: (i) => get(`/urls/grow-${one(i, 4, rows / 2)}`) },
      delete: { request: (i) => send("DELETE", `/urls/grow-${one(i, 8, rows / 2)}`), effect: { sql: countOf("short_urls", "deleted_at IS NULL"), by: -1 } },
      follow: { request: (i) => ({ method: "GET", path: `/u/grow-${one(i, 1)}` }), effect: { sql: "SELECT sum(click_count)::int AS n FROM short_urls", by: 1 }, settleMs: 1_500 },
    },
    notifications: {
      "list, all": { request: () => get("/notifications") },
      "list, unread": { request: () => get("/notifications?status=unread") },
      "list, read": { request: () => get("/notifications?status=read") },
      "list, a kind of nearly all": { request: () => get("/notifications?kind=conversation.member_added") },
      "list, a kind of three": { request: () => get("/notifications?kind=video_upload.failed") },
      "list, a kind of none": { request: () => get("/notifications?kind=video_upload.succeeded") },
      "list, from the middle": { request: (i) => after("/notifications", { operation: "listNotifications", sort: "-created_at" }, i) },
      "list, of a user with one": { request: () => get("/notifications", RARE) },
      get: { request: (i) => get(`/notifications/${idOf(one(i, 8))}`) },
      "mark one as read": { request: (i) => send("PATCH", `/notifications/${idOf(one(i, 2))}`, { status: "read" }), effect: { sql: countOf("notifications", "read_at IS NULL"), by: -1 } },
      "mark one as unread": { request: (i) => send("PATCH", `/notifications/${idOf(one(i, 4))}`, { status: "unread" }), effect: { sql: countOf("notifications", "read_at IS NULL"), by: 1 } },
      "mark those of a conversation": { request: (i) => send("PATCH", "/notifications", { status: "read", seen, conversation_id: idOf(one(i, 3)) }), effect: { sql: countOf("notifications", "read_at IS NULL"), by: -1 } },
      "mark everything as read": {
        request: () => send("PATCH", "/notifications", { status: "read", seen }),
        countMax: 4,
        ...(rows < 10_000 ? {} : { effect: { sql: countOf("notifications", "read_at IS NULL"), by: -1_000 } }),
        restore: ["UPDATE notifications SET read_at = NULL WHERE read_at > created_at", "VACUUM notifications"],
      },
    },
    conversations: {
      "list, of a member of all": { request: () => get("/conversations") },
      "list, oldest": { request: () => get("/conversations?sort=created_at") },
      "list, from the middle": { request: (i) => after("/conversations", { operation: "listConversations", sort: "-created_at" }, i, conversations) },
      "list, of a member of none": { request: () => get("/conversations", 50) },
      "create, with one other": { request: () => keyed("/conversations", { member_ids: [idOf(50)] }), effect: { sql: countOf("conversations"), by: 1 } },
      "create, with 99 others": { request: () => keyed("/conversations", { member_ids: Array.from({ length: 99 }, (_, n) => idOf(200 + n)) }), effect: { sql: countOf("members"), by: 100 } },
      get: { request: (i) => get(`/conversations/${idOf(ofConversations(i, 1))}`) },
      "list members, of the largest": { request: () => get(`${largest}/members`) },
      "add a member": { request: (i) => send("PUT", `/conversations/${idOf(ofConversations(i, 2))}/members/${idOf(newcomerOf(data))}`), effect: { sql: countOf("members"), by: 1 } },
      "remove a member": { request: (i) => { const n = ofConversations(i, 3); return send("DELETE", `/conversations/${idOf(n)}/members/${idOf(memberOf(data, n, 1))}`); }, effect: { sql: countOf("members"), by: -1 } },
      "leave, as the owner": { request: (i) => send("DELETE", `/conversations/${idOf(ofConversations(i, 4))}/members/${idOf(HEAVY)}`), effect: { sql: countOf("members"), by: -1 } },
    },
    messages: {
      "list, newest": { request: () => get(`${largest}/messages`) },
      "list, before the middle": { request: (i) => message(i, "before") },
      "list, after the middle": { request: (i) => message(i, "after") },
      get: { request: (i) => get(`${largest}/messages/${idOf(one(i, 1, messages))}`) },
      "send, to 98 others": { request: () => keyed(`${largest}/messages`, { body: TEXT }), effect: { sql: countOf("messages"), by: 1 } },
      "send, to three others": { request: (i) => keyed(`/conversations/${idOf(ofConversations(i, 5))}/messages`, { body: TEXT }), effect: { sql: countOf("messages"), by: 1 } },
      "send again, an old key": { request: (i) => { const n = one(i, 2, messages); return { ...send("POST", `${largest}/messages`, { body: `The slates come on Thursday, and they are number ${n}` }), headers: { "idempotency-key": `old-key-${n}` } }; }, effect: { sql: countOf("messages"), by: 0 } },
    },
    videos: {
      "list, newest": { request: () => get("/video-uploads") },
      "list, queued": { request: () => get("/video-uploads?status=queued") },
      "list, failed": { request: () => get("/video-uploads?status=failed") },
      "list, of an owner of one": { request: () => get("/video-uploads", RARE) },
      upload: { request: () => upload(HEAVY), effect: { sql: countOf("video_uploads"), by: 1 } },
      "begin an upload": { request: (i) => upload(20 + one(i, 0, rows - 40), { "upload-complete": "?0" }), effect: { sql: countOf("partial_uploads"), by: 1 } },
      append: { request: (i) => { const n = one(i, 5); return { ...send("PATCH", `/video-uploads/${idOf(n)}/transfer`, "", n), ...bytes("application/partial-upload", { "upload-complete": "?0", "upload-offset": "0" }) }; }, effect: { sql: countOf("partial_pieces"), by: 1 } },
      "get a transfer": { request: (i) => { const n = one(i, 1); return get(`/video-uploads/${idOf(n)}/transfer`, n); } },
      "delete a transfer": { request: (i) => { const n = one(i, 7); return send("DELETE", `/video-uploads/${idOf(n)}/transfer`, undefined, n); }, effect: { sql: countOf("partial_uploads"), by: -1 } },
      get: { request: (i) => get(`/video-uploads/${idOf(one(i, 2))}`) },
      delete: { request: (i) => send("DELETE", `/video-uploads/${idOf(one(i, 4))}`), effect: { sql: countOf("video_uploads"), by: -1 } },
      poster: { request: () => get(`/video-uploads/${idOf(videoOf(data))}/poster`) },
      rendition: { request: () => get(`/video-uploads/${idOf(videoOf(data))}/renditions/480p`) },
    },
    system: {
      "account, with a new key": { isNewEachTime: true, request: (i) => get("/account", one(i, 1)) },
      health: { request: () => ({ method: "GET", path: "/health" }) },
    },
  }; // prettier-ignore
  return chosen.flatMap((area) => Object.entries(areas[area]).map(([name, it]) => ({ ...it, area, name })));
}

/** Asks a service for the `seen` of everything that the heavy user has. */
export async function askForSeen(origin: string): Promise<string> {
  const response = await fetch(`${origin}/notifications?limit=1`, { headers: { authorization: `Bearer ${keyOf(HEAVY)}` } });
  if (!response.ok) throw new Error(`/notifications: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { seen: string }).seen;
}
