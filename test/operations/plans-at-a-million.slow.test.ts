import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { createCursors, type CursorContext } from "../../src/pagination/cursor.ts";
import { findUnmutedMembers } from "../../src/conversations/index.ts";
import { purgeIdempotencyKeys } from "../../src/idempotency/idempotency.ts";
import { purgeRateLimits } from "../../src/limits/store.ts";
import { purgeClickDays } from "../../src/urls/store.ts";
import * as webhooks from "../../src/webhooks/store.ts";
import { BACKGROUND } from "../../src/jobs/queues.ts";
import { removeJobsOf } from "../../src/jobs/store.ts";
import { findOverdueUsers } from "../../src/personal-data/store.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { CONVERSATIONS, fillWithAMillion, HEAVY, idOf, instantOf, MILLION, RARE } from "../support/a-million.ts";
import { createClient, type Answer, type Client } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { linkWith } from "../support/playback.ts";
import { atService, createResources } from "../support/resources.ts";
import { successExamples } from "../support/success-examples.ts";
import { startPlannedService, type Bounds, type Cost, type PlannedService } from "../support/plans.ts";
import { createIssuer, type Issuer } from "../support/tokens.ts";
import { storeResult } from "../support/stored-result.ts";

const SECRET = "a secret of these tests";

/** A request, its expected status (200 by default), and its limits if they are above those of a page. */
type Case = {
  readonly what: string;
  readonly send: () => Promise<Answer>;
  readonly status?: number;
  readonly bounds?: Bounds;
};

let service: PlannedService;
let issuer: Issuer;
let heavy: Client;
let rare: Client;
/** A member of the conversation with a million messages, who has sent none and read none. */
let silent: Client;
/** A finished video upload whose files exist. */
let video: string;
/** An upload whose bytes exist. */
let upload: string;
const costs: string[] = [];

beforeAll(async () => {
  issuer = await createIssuer();
  service = await startPlannedService(fillWithAMillion, {
    ...issuer.settings,
    ROLE: "api",
    CURSOR_SECRETS: SECRET,
    RATE_LIMITS: "default=1000000/60,writes=1000000/60,directory=1000000/60,uploads=1000000/60,follow=1000000/60",
  });
  [heavy, rare, silent] = [await as(HEAVY), await as(RARE), await as(idOf(102))];
  video = await storeResult(service, heavy, createFileStore(join(service.dataDir, "objects")));
  upload = (await heavy("POST", "/video-uploads", BYTES)).body.id as string;
}, 400_000);
afterAll(async () => {
  process.stderr.write(`\n${costs.join("\n")}\n`);
  await service.close();
});

const as = async (userId: string) =>
  createClient(service.url, {
    userId,
    name: "",
    authorization: `Bearer ${await insertApiKey(service.db, { userId, scopes: everyScope })}`,
  });
const withJwt = async (sub: string) => service.anonymous(`Bearer ${await issuer.sign({ claims: { sub } })}`)("GET", "/account");
const key = () => ({ headers: { "Idempotency-Key": randomUUID() } });
/** A page from the middle of a list. */
const middle = (path: string, context: CursorContext, position = [instantOf(MILLION / 2), idOf(MILLION / 2)]) => {
  const cursor = createCursors([SECRET]).encode(context, position);
  return `${path}${path.includes("?") ? "&" : "?"}limit=100&after=${cursor}`;
};
const MESSAGES = `/conversations/${idOf(CONVERSATIONS)}/messages`;
const messageCursor = () =>
  createCursors([SECRET]).encode({ operation: "listMessages", conversation: idOf(CONVERSATIONS) }, [MILLION / 2]);
/** The `seen` of a list, for marking as read. The statements of the list count towards the bounds of the case. */
const seen = async () => {
  const { body } = await heavy("GET", "/notifications?limit=1");
  return body.seen as string;
};
/** The endpoint with nearly all deliveries. */
const ENDPOINT = `/webhook-endpoints/${idOf(1)}`;
const NEW_ENDPOINT = { url: "http://127.0.0.1:1024/", events: ["message.created"] };
const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const BY_ACTIVITY = "/conversations?sort=-last_message_at";
const ACTIVITY_CONTEXT = { operation: "listConversations", sort: "-last_message_at" };
const POST = { title: "A plumb line", body: "Everything else." };
const BYTES = Buffer.from("not a video");
const permission = () => ({ ownerId: HEAVY, expiresAt: new Date(Date.now() + 3_600_000) });
const RESUMABLE = { "Upload-Complete": "?0", "Content-Type": "application/octet-stream" };

/** The cases of an operation without any in CASES: the request of its example, and for a list both ends and another user. */
async function usualCases(id: string): Promise<readonly Case[]> {
  const operation = operations.find((it) => it.id === id)!;
  const [member, guest, stranger] = [await as(idOf(600)), await as(idOf(700)), await as(idOf(800))];
  const ids = await createResources(operation, atService(service, { owner: heavy, member, guest, stranger }));
  const request = exampleRequest(operation, ids);
  const declared = successExamples.filter((it) => it.operation.id === id).map((it) => it.status);
  // 201 rather than 200, because the resource of a PUT doesn't exist yet.
  const status = declared.length === 0 ? 204 : Math.max(...declared);
  if (operation.nextPageParameter === null) return [{ what: "one", send: () => ask(heavy, request), status }];
  const { body } = await heavy("GET", `${request.path}?limit=100`);
  const rows = (body.data as unknown[]).length;
  if (rows < 100) throw new Error(`${id} lists ${rows} items: fill its table with a million in test/<area>/a-million.sql.`);
  const next = `${request.path}?limit=100&${operation.nextPageParameter}=${body.page.next_cursor as string}`;
  return [
    { what: "the first page", send: () => ask(heavy, { ...request, path: `${request.path}?limit=100` }) },
    { what: "the second page", send: () => ask(heavy, { ...request, path: next }) },
    { what: "of a user with one", send: () => ask(rare, request) },
  ];
}

/** The cases of the operations that have more than the usual ones. */
const CASES: Readonly<Record<string, () => readonly Case[]>> = {
  getHealth: () => [],
  getLiveness: () => [],
  // The first request of a credential, of each kind.
  getAccount: () => [
    { what: "with an API key", send: async () => (await as(HEAVY))("GET", "/account") },
    { what: "with the JWT of a known user", send: async () => withJwt("user-500000") },
    { what: "with the JWT of a new user", send: async () => withJwt("somebody-else") },
    {
      what: "with an unknown key",
      send: () => service.anonymous(`Bearer plumb_aaaaaaaaaaaa_${"A".repeat(43)}`)("GET", "/account"),
      status: 401,
    },
  ],

  getUser: () => [
    { what: "one", send: () => heavy("GET", `/users/${idOf(500_000)}`) },
    { what: "a deleted one", send: () => heavy("GET", `/users/${idOf(MILLION)}`) },
  ],
  // All names begin with `User`. PostgreSQL makes five custom plans before it chooses the generic plan.
  findUsers: () =>
    ["user", "user 500000", "user 99999", "unknown", "us", "ze"].flatMap((name) =>
      Array.from({ length: 2 }, (_, round) => ({
        what: `${name}, ${round + 1}`,
        send: () => heavy("GET", `/users?${new URLSearchParams({ name }).toString()}`),
      })),
    ),

  listPosts: () => [
    { what: "the newest", send: () => heavy("GET", "/posts?limit=100") },
    { what: "the oldest", send: () => heavy("GET", "/posts?limit=100&sort=created_at") },
    {
      what: "from the middle",
      send: () => heavy("GET", middle("/posts", { operation: "listPosts", sort: "-created_at" })),
    },
    {
      what: "from the middle, to newer ones",
      send: () => heavy("GET", middle("/posts?sort=created_at", { operation: "listPosts", sort: "created_at" })),
    },
    { what: "of one author", send: () => heavy("GET", `/posts?limit=100&author=${HEAVY}`) },
    { what: "of a user with one", send: () => heavy("GET", `/posts?limit=100&author=${RARE}`) },
    { what: "of a user with none", send: () => heavy("GET", `/posts?limit=100&author=${idOf(3)}`) },
    // The contract limits offsets and `total` to 10,000.
    { what: "by offset", send: () => heavy("GET", "/posts?limit=100&offset=0"), bounds: TEN_THOUSAND },
    { what: "by the largest offset", send: () => heavy("GET", "/posts?limit=100&offset=10000"), bounds: TEN_THOUSAND },
    {
      what: "by offset, of one author",
      send: () => heavy("GET", `/posts?limit=100&offset=10000&author=${HEAVY}`),
      bounds: TEN_THOUSAND,
    },
    { what: "by offset, of a user with one", send: () => heavy("GET", `/posts?limit=100&offset=0&author=${RARE}`) },
  ],
  createPost: () => [
    { what: "without a key", send: () => heavy("POST", "/posts", POST), status: 201 },
    { what: "with a key", send: () => heavy("POST", "/posts", POST, key()), status: 201 },
  ],
  getPost: () => [{ what: "one", send: () => heavy("GET", `/posts/${idOf(500_000)}`) }],
  updatePost: () => [{ what: "one", send: () => heavy("PATCH", `/posts/${idOf(500_001)}`, { title: "Changed" }) }],
  deletePost: () => [{ what: "one", send: () => heavy("DELETE", `/posts/${idOf(500_002)}`), status: 204 }],

  listUrls: () => [
    { what: "a thousand after many deleted ones", send: () => heavy("GET", "/urls?limit=100") },
    { what: "the oldest", send: () => heavy("GET", "/urls?limit=100&sort=created_at") },
    { what: "from the middle", send: () => heavy("GET", middle("/urls", { operation: "listUrls", sort: "-created_at" })) },
    {
      what: "from the middle, to newer ones",
      send: () => heavy("GET", middle("/urls?sort=created_at", { operation: "listUrls", sort: "created_at" })),
    },
    { what: "of a user with one", send: () => rare("GET", "/urls?limit=100") },
  ],
  createUrl: () => [
    { what: "a random id", send: () => heavy("POST", "/urls", { target_url: "https://www.example.com/" }, key()), status: 201 },
    {
      what: "an id that is taken",
      send: () => heavy("POST", "/urls", { target_url: "https://www.example.com/", id: "url-5000" }),
      status: 409,
    },
  ],
  getUrl: () => [{ what: "one", send: () => heavy("GET", "/urls/url-500") }],
  deleteUrl: () => [{ what: "one", send: () => heavy("DELETE", "/urls/url-501"), status: 204, bounds: OF_ITS_DAYS }],
  getUrlClicks: () => [
    { what: "of 30 days", send: () => heavy("GET", "/urls/url-500/clicks") },
    { what: "of 399 days", send: () => heavy("GET", `/urls/url-500/clicks?from=${dayOf(398)}`), bounds: OF_ITS_DAYS },
    { what: "of 30 days without a click", send: () => heavy("GET", "/urls/url-1000/clicks") },
  ],
  followUrl: () => [{ what: "one", send: () => service.anonymous()("GET", "/u/url-500"), status: 302 }],

  listNotifications: () =>
    [
      ["all", ""],
      ["oldest first", "&sort=created_at"],
      ["unread ones", "&status=unread"],
      ["read ones", "&status=read"],
      ["the kind of nearly all", "&kind=conversation.member_added"],
      ["the kind of one", "&kind=video_upload.failed"],
      ["the kind of none, read ones", "&kind=video_upload.succeeded&status=read"],
      ["archived ones", "&archived=only"],
      ["archived ones, the kind of none", "&archived=only&kind=video_upload.failed"],
    ]
      .map(([what = "", query = ""]): Case => ({
        what,
        send: () => heavy("GET", `/notifications?limit=100${query}`),
        bounds: COUNTED_UNREAD,
      }))
      .concat([
        {
          what: "from the middle",
          send: () => heavy("GET", middle("/notifications", { operation: "listNotifications", sort: "-created_at" })),
          bounds: COUNTED_UNREAD,
        },
        { what: "of a user with one", send: () => rare("GET", "/notifications?limit=100") },
      ]),
  // The request marks one batch, and a job marks the rest.
  updateNotifications: () => [
    {
      what: "all seen ones",
      send: async () => heavy("PATCH", "/notifications", { status: "read", seen: await seen() }),
      bounds: { rowsMax: 3_000, buffersMax: 60_000 },
    },
    {
      what: "of one conversation",
      send: async () => heavy("PATCH", "/notifications", { status: "read", seen: await seen(), conversation_id: idOf(5_001) }),
      bounds: COUNTED_UNREAD,
    },
  ],
  getNotification: () => [{ what: "one", send: () => heavy("GET", `/notifications/${idOf(500_000)}`) }],
  updateNotification: () => [
    { what: "as read", send: () => heavy("PATCH", `/notifications/${idOf(500_001)}`, { status: "read" }) },
    { what: "as unread", send: () => heavy("PATCH", `/notifications/${idOf(500_004)}`, { status: "unread" }) },
  ],

  listConversations: () => [
    { what: "of a member of 250,000", send: () => heavy("GET", "/conversations?limit=100"), bounds: OF_FIVE_TABLES },
    { what: "the oldest", send: () => heavy("GET", "/conversations?limit=100&sort=created_at"), bounds: OF_FIVE_TABLES },
    {
      what: "from the middle",
      send: () =>
        heavy(
          "GET",
          middle("/conversations", { operation: "listConversations", sort: "-created_at" }, [instantOf(100_000), idOf(100_000)]),
        ),
      bounds: OF_FIVE_TABLES,
    },
    { what: "of a user with none", send: () => rare("GET", "/conversations?limit=100"), bounds: OF_FIVE_TABLES },
    { what: "with a million unread messages", send: () => silent("GET", "/conversations?limit=100"), bounds: OF_FIVE_TABLES },
    { what: "the most active", send: () => heavy("GET", `${BY_ACTIVITY}&limit=100`), bounds: OF_FIVE_TABLES },
    {
      what: "by activity, from the middle",
      send: () => heavy("GET", middle(BY_ACTIVITY, ACTIVITY_CONTEXT, [Date.now() - 100_000 * 60_000, idOf(100_000), Date.now()])),
      bounds: OF_FIVE_TABLES,
    },
    {
      what: "those that were active meanwhile",
      send: () =>
        heavy("GET", middle(BY_ACTIVITY, ACTIVITY_CONTEXT, [Date.now(), idOf(MILLION), Date.now() - 7_200_000, "moved"])),
      bounds: OF_FIVE_TABLES,
    },
  ],
  createConversation: () => [
    {
      what: "with one other",
      send: () => heavy("POST", "/conversations", { member_ids: [idOf(700)] }, key()),
      status: 201,
    },
    {
      what: "with 99 others",
      send: () => heavy("POST", "/conversations", { member_ids: Array.from({ length: 99 }, (_, n) => idOf(800 + n)) }, key()),
      status: 201,
      bounds: FOR_A_HUNDRED,
    },
  ],
  getConversation: () => [
    { what: "one", send: () => heavy("GET", `/conversations/${idOf(CONVERSATIONS)}`) },
    { what: "with a million unread messages", send: () => silent("GET", `/conversations/${idOf(CONVERSATIONS)}`) },
  ],
  listMembers: () => [
    { what: "of the largest", send: () => heavy("GET", `/conversations/${idOf(CONVERSATIONS)}/members?limit=100`) },
  ],
  putMember: () => [
    { what: "a new one", send: () => heavy("PUT", `/conversations/${idOf(10)}/members/${idOf(700)}`), status: 201 },
    { what: "an existing one", send: () => heavy("PUT", `/conversations/${idOf(10)}/members/${idOf(700)}`) },
  ],
  deleteMember: () => [
    {
      what: "one of many",
      send: () => heavy("DELETE", `/conversations/${idOf(CONVERSATIONS)}/members/${idOf(101)}`),
      status: 204,
    },
    {
      what: "the owner",
      send: () => heavy("DELETE", `/conversations/${idOf(20)}/members/${HEAVY}`),
      status: 204,
    },
    {
      what: "the last one, with 100,000 messages",
      send: () => heavy("DELETE", `/conversations/${idOf(CONVERSATIONS - 1)}/members/${HEAVY}`),
      status: 204,
    },
  ],
  listMessages: () => [
    { what: "the newest", send: () => heavy("GET", `${MESSAGES}?limit=100`) },
    { what: "before the middle", send: () => heavy("GET", `${MESSAGES}?limit=100&before=${messageCursor()}`) },
    { what: "after the middle", send: () => heavy("GET", `${MESSAGES}?limit=100&after=${messageCursor()}`) },
  ],
  createMessage: () => [
    {
      what: "to 97 others",
      send: () => heavy("POST", MESSAGES, { body: "Hello" }, key()),
      status: 201,
      bounds: FOR_A_HUNDRED_AND_THEIR_LISTS,
    },
    {
      what: "to the same ones again",
      send: () => heavy("POST", MESSAGES, { body: "Hello" }, key()),
      status: 201,
      bounds: FOR_A_HUNDRED,
    },
    {
      what: "to three others",
      send: () => heavy("POST", `/conversations/${idOf(30)}/messages`, { body: "Hello" }, key()),
      status: 201,
    },
    {
      what: "a retry",
      send: () => heavy("POST", MESSAGES, { body: "x" }, { headers: { "Idempotency-Key": "key-500000" } }),
      status: 201,
      bounds: FOR_A_HUNDRED,
    },
  ],
  getMessage: () => [{ what: "one", send: () => heavy("GET", `${MESSAGES}/${idOf(500_000)}`) }],

  listVideoUploads: () => [
    { what: "waiting ones", send: () => heavy("GET", "/video-uploads?limit=100&status=queued") },
    { what: "failed ones: one", send: () => heavy("GET", "/video-uploads?limit=100&status=failed") },
    { what: "ones in processing: none", send: () => heavy("GET", "/video-uploads?limit=100&status=processing") },
    {
      what: "from the middle",
      send: () =>
        heavy(
          "GET",
          middle("/video-uploads?status=failed", { operation: "listVideoUploads", status: "failed", sort: "-created_at" }),
        ),
    },
    { what: "of a user with one", send: () => rare("GET", "/video-uploads?limit=100") },
  ],
  createVideoUpload: () => [
    { what: "whole, with a key", send: () => heavy("POST", "/video-uploads", BYTES, key()), status: 202 },
    { what: "begun", send: () => heavy("POST", "/video-uploads", BYTES, { headers: RESUMABLE }), status: 204 },
  ],
  getVideoUpload: () => [{ what: "one", send: () => heavy("GET", `/video-uploads/${idOf(900_000)}`) }],
  deleteVideoUpload: () => [{ what: "one", send: () => heavy("DELETE", `/video-uploads/${idOf(500_000)}`), status: 204 }],
  getUploadTransfer: () => [{ what: "one", send: () => heavy("GET", `/video-uploads/${idOf(900_000)}/transfer`), status: 204 }],
  deleteUploadTransfer: () => [
    { what: "one", send: () => heavy("DELETE", `/video-uploads/${idOf(900_001)}/transfer`), status: 204 },
  ],
  updateUploadTransfer: () => [
    {
      what: "one",
      send: () =>
        heavy("PATCH", `/video-uploads/${idOf(900_002)}/transfer`, BYTES, {
          headers: { "Upload-Complete": "?0", "Content-Type": "application/partial-upload", "Upload-Offset": "0" },
        }),
      status: 204,
    },
  ],
  getVideoPoster: () => [{ what: "one", send: () => heavy("GET", `/video-uploads/${video}/poster`) }],
  getVideoOriginal: () => [{ what: "one", send: () => heavy("GET", `/video-uploads/${upload}/original`) }],
  createPlayback: () => [{ what: "one", send: () => heavy("POST", `/video-uploads/${video}/playback`, {}), status: 201 }],
  getPlaybackFile: () => [
    {
      what: "one",
      send: async () => service.anonymous()("GET", linkWith({ jobId: video, file: "480p.mp4" }, permission(), SECRET)),
    },
  ],
  listWebhookEndpoints: () => [
    { what: "of a user with five", send: () => heavy("GET", "/webhook-endpoints?limit=100") },
    { what: "of a user with one", send: () => rare("GET", "/webhook-endpoints?limit=100") },
  ],
  createWebhookEndpoint: () => [
    { what: "a sixth", send: () => heavy("POST", "/webhook-endpoints", NEW_ENDPOINT, key()), status: 201 },
  ],
  getWebhookEndpoint: () => [{ what: "one", send: () => heavy("GET", ENDPOINT) }],
  updateWebhookEndpoint: () => [{ what: "one", send: () => heavy("PATCH", ENDPOINT, { description: "Changed" }) }],
  deleteWebhookEndpoint: () => [
    {
      what: "without deliveries",
      send: () => heavy("DELETE", `/webhook-endpoints/${idOf(MILLION + 1)}`),
      status: 204,
    },
  ],
  createWebhookSecret: () => [{ what: "one", send: () => heavy("POST", `${ENDPOINT}/secrets`, {}, key()), status: 201 }],
  listWebhookDeliveries: () => [
    { what: "the newest", send: () => heavy("GET", `${ENDPOINT}/deliveries?limit=100`) },
    ...["pending", "succeeded", "failed", "failed", "failed", "failed", "failed", "failed", "failed"].map((status) => ({
      what: status,
      send: () => heavy("GET", `${ENDPOINT}/deliveries?limit=100&status=${status}`),
    })),
    { what: "of a user with one", send: () => rare("GET", `/webhook-endpoints/${idOf(2)}/deliveries?limit=100`) },
    { what: "of an endpoint with none", send: () => heavy("GET", `/webhook-endpoints/${idOf(MILLION + 2)}/deliveries`) },
  ],
  createWebhookDelivery: () => [{ what: "a test", send: () => heavy("POST", `${ENDPOINT}/deliveries`, {}), status: 202 }],
  getWebhookDelivery: () => [{ what: "one", send: () => heavy("GET", `${ENDPOINT}/deliveries/${idOf(500_000)}`) }],
  createWebhookAttempt: () => [
    { what: "again", send: () => heavy("POST", `${ENDPOINT}/deliveries/${idOf(500_000)}/attempts`, {}), status: 202 },
  ],
  getVideoRendition: () => [{ what: "one", send: () => heavy("GET", `/video-uploads/${video}/renditions/480p`) }],
};
/** A list of notifications counts the unread ones, up to 1,000. */
const COUNTED_UNREAD: Bounds = { rowsMax: 1_000, buffersMax: 2_500 };
/** A short URL has a row for each stored day. A list of 399 days reads them, and a deletion removes them. */
const OF_ITS_DAYS: Bounds = { rowsMax: 401, buffersMax: 2_500 };
const OF_A_BATCH: Bounds = { rowsMax: 1_000, buffersMax: 10_000 };
/** Each row that changes gets a new version, and new entries in the indexes. */
const ENDS_A_BATCH: Bounds = { rowsMax: 1_000, buffersMax: 40_000 };
/** A message in a conversation of a hundred members writes a notification and its index entries for each of them. */
const FOR_A_HUNDRED: Bounds = { rowsMax: 250, buffersMax: 8_500 };
/** The first message of an hour also moves the conversation in the list of each member. */
const FOR_A_HUNDRED_AND_THEIR_LISTS: Bounds = { rowsMax: 250, buffersMax: 9_000 };
/** A conversation in a list is read from four tables, with the name of a user. */
const OF_FIVE_TABLES: Bounds = { rowsMax: 250, buffersMax: 2_000 };
const TEN_THOUSAND: Bounds = { rowsMax: 10_101, buffersMax: 25_000 };

const note = (id: string, what: string, { statements, rows, buffers, ms }: Cost) => {
  const cells = [`${statements} statements`, `${rows} rows`, `${buffers} pages`, `${ms.toFixed(1)} ms`].map((it) =>
    it.padStart(14),
  );
  costs.push([id.padEnd(20), what.padEnd(42), ...cells].join(" "));
};

describe("with a million rows in each table, the database reads no more than a page needs", () => {
  it.each(operations.map((it) => it.id))("for %s", async (id) => {
    for (const { what, send, status = 200, bounds } of await (CASES[id]?.() ?? usualCases(id))) {
      const { result, statements } = await service.statementsOf(send);
      expect({ what, status: result.status, text: result.status === status ? "" : result.text }).toEqual({
        what,
        status,
        text: "",
      });
      const cost = service.expectBounded(statements, bounds);
      note(id, what, cost);
    }
  });

  // A session reuses the generic plan of such a page, after five custom plans.
  it("for pages of the usual size, whose plan is the same for all users", async () => {
    const newcomer = await as(idOf(3));
    const paths = [
      "/posts",
      "/posts?sort=created_at",
      `/posts?author=${HEAVY}`,
      `/posts?author=${RARE}`,
      `/posts?author=${idOf(3)}`,
    ];
    const own = ["/urls", "/urls?sort=created_at", BY_ACTIVITY, "/webhook-endpoints"];
    const deliveries = ["", "?status=failed", "?status=pending"].map((it) => `/webhook-endpoints/${idOf(1)}/deliveries${it}`);
    const ofAll = [heavy, rare, silent, newcomer].flatMap((user) => [...own, ...paths].map((path) => [user, path] as const));
    const cases = [...ofAll, ...deliveries.map((path) => [heavy, path] as const)];
    for (let round = 0; round < 7; round++)
      for (const [user, path] of cases) {
        const { result, statements } = await service.statementsOf(() => user("GET", path));
        expect(result.status).toBe(200);
        const cost = service.expectBounded(statements, path === BY_ACTIVITY ? OF_FIVE_TABLES : undefined);
        if (round === 6 && user === heavy) note("usual size", path, cost);
      }
  });

  it.each([
    ["idempotency keys", () => purgeIdempotencyKeys(service.db)],
    ["rate limit counters", () => purgeRateLimits(service.db)],
    ["days with clicks", () => purgeClickDays(service.db)],
    ["deliveries of webhooks", () => webhooks.purgeDeliveries(service.db)],
    ["responses of receivers", () => webhooks.purgeResponses(service.db), ENDS_A_BATCH],
  ] as const)("for removing expired %s in batches", async (what, purge, bounds: Bounds = OF_A_BATCH) => {
    const { result, statements } = await service.statementsOf(purge);
    // The requests of this test may have restarted some of the 3,000 counters.
    expect(result).toBeGreaterThanOrEqual(2_990);
    expect(statements).toHaveLength(Math.floor(result / 1_000) + 1);
    for (const statement of statements) note("maintenance", what, service.expectBounded([statement], bounds));
  });

  it("for finding deleted users whose data is still there, and for removing the jobs of one of them", async () => {
    const found = await service.statementsOf(() => findOverdueUsers(service.db));
    expect(found.result).toHaveLength(100);
    note("maintenance", "deleted users", service.expectBounded(found.statements));
    // The million jobs belong to another queue.
    const { statements } = await service.statementsOf(() =>
      removeJobsOf(service.db, { queue: BACKGROUND.name, userId: found.result[0]! }),
    );
    note("maintenance", "jobs of a deleted user", service.expectBounded(statements));
  });

  it("for sending a million events to webhook endpoints, most of them to one", async () => {
    const endpoint = { ownerId: HEAVY, endpointId: idOf(1) };
    const delivery = { ownerId: HEAVY, id: idOf(MILLION / 2) };
    const failure = { id: idOf(1), failures: 0, at: new Date().toISOString(), resumeAt: new Date().toISOString() };
    const end = { status: "succeeded", retrySeconds: null, responseStatus: 204, responseBody: "", failure: null };
    const ended = { ...endpoint, failure: "expired" };
    const row = { ownerId: HEAVY, id: idOf(1), resumeAt: new Date().toISOString() } as webhooks.EndpointRow;
    const ready = { id: idOf(2), ownerId: idOf(2), pausedUntil: row.resumeAt } as webhooks.ReadyEndpoint;
    const again = { ...delivery, attempts: 0, readyAt: new Date().toISOString(), delayedUntil: null };
    const steps: readonly (readonly [string, () => Promise<unknown>, Bounds?])[] = [
      ["a hundred endpoints with ready events", () => webhooks.findReadyEndpoints(service.db, { after: idOf(0), most: 100 })],
      ["the next hundred", () => webhooks.findReadyEndpoints(service.db, { after: idOf(995_000), most: 100 })],
      ["a claim", () => webhooks.claimDelivery(service.db, { ...endpoint, leaseSeconds: 3_600 })],
      ["deliveries at the end of their delay", () => webhooks.promoteDeliveries(service.db)],
      ["the release of a claim", () => webhooks.releaseClaim(service.db, again)],
      ["an attempt", () => webhooks.recordAttempt(service.db, { ...delivery, ...end, attempts: 0 })],
      ["the end of a pause", () => webhooks.endPause(service.db, row)],
      ["the ready events of a paused endpoint", () => webhooks.delayPaused(service.db, [ready])],
      ["the oldest of a million pending deliveries", () => webhooks.dropOldest(service.db, { ...row, id: idOf(2) }, 10_000)],
      [
        "expired deliveries, of which there are none",
        () => webhooks.expireDeliveries(service.db, { ...ended, onlyExpired: true }),
        OF_A_BATCH,
      ],
      [
        "the deliveries to a disabled endpoint",
        () => webhooks.expireDeliveries(service.db, { ...ended, onlyExpired: false }),
        ENDS_A_BATCH,
      ],
      ["a failure", () => webhooks.markFailure(service.db, failure)],
      ["a success", () => webhooks.markSuccess(service.db, { id: idOf(1) })],
      [
        "the end of an endpoint",
        () => webhooks.disableEndpoint(service.db, { id: idOf(1), host: "example.com", reason: "failing" }),
      ],
      ["a batch of a deleted endpoint", () => webhooks.removeDeliveries(service.db, { id: idOf(1), batch: 1_000 }), OF_A_BATCH],
    ];
    // PostgreSQL makes five custom plans before it may choose the generic plan.
    for (const [what, step, bounds] of steps)
      for (let round = 0; round < 7; round++) {
        const { statements } = await service.statementsOf(step);
        const cost = service.expectBounded(statements, bounds);
        if (round === 6) note("webhooks", what, cost);
      }
  });

  it("for finding the members to notify of messages in twenty conversations, one of them the largest", async () => {
    const conversationIds = Array.from({ length: 20 }, (_, n) => idOf(CONVERSATIONS - n));
    const { result, statements } = await service.statementsOf(() => findUnmutedMembers(service.db, { conversationIds }));
    expect(result.length).toBeGreaterThan(20);
    note("waiting", "members to wake", service.expectBounded(statements));
  });

  it("and a statement that reads a whole table is detected", async () => {
    const { statements } = await service.statementsOf(() => service.db.$queryRaw`SELECT max(title) FROM posts`);
    expect(() => service.expectBounded(statements)).toThrow("It reads all of posts.");
  });
});
