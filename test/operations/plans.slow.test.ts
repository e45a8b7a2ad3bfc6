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
import { CONVERSATIONS, fillTables, HEAVY, idOf, instantOf, RARE, ROWS } from "../support/a-million.ts";
import { createClient, type Answer, type Client } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { linkWith } from "../support/playback.ts";
import { atService, createResources } from "../support/resources.ts";
import { successExamples } from "../support/success-examples.ts";
import { startPlannedService, type Bounds, type PlannedService } from "../support/plans.ts";
import { createIssuer, type Issuer } from "../support/tokens.ts";
import { storeResult } from "../support/stored-result.ts";

const HALF = ROWS / 2;
const SECRET = "a secret of these tests";

/** What it is, a request, its expected status (200 by default), and its limits if they are above those of a page. */
type Case = readonly [what: string, send: () => Promise<Answer>, status?: number, bounds?: Bounds | undefined];
/** Requests of the heavy user, or of another one, for these paths. */
const reads = (all: readonly (readonly [what: string, path: string, by?: Client])[], bounds?: Bounds) =>
  all.map(([what, path, by = heavy]): Case => [what, () => by("GET", path), 200, bounds]);

let service: PlannedService;
let issuer: Issuer;
let heavy: Client;
let rare: Client;
/** A member of the longest conversation, who has sent none and read none. */
let silent: Client;
/** A finished video upload whose files exist. */
let video: string;
/** An upload whose bytes exist. */
let upload: string;

beforeAll(async () => {
  issuer = await createIssuer();
  service = await startPlannedService(fillTables, {
    ...issuer.settings,
    ROLE: "api",
    CURSOR_SECRETS: SECRET,
    RATE_LIMITS: "default=1000000/60,writes=1000000/60,directory=1000000/60,uploads=1000000/60,follow=1000000/60",
  });
  [heavy, rare, silent] = [await as(HEAVY), await as(RARE), await as(idOf(102))];
  video = await storeResult(service, heavy, createFileStore(join(service.dataDir, "objects")));
  upload = (await heavy("POST", "/video-uploads", BYTES)).body.id as string;
}, 400_000);
afterAll(() => service.close());

const as = async (userId: string) =>
  createClient(service.url, {
    userId,
    name: "",
    authorization: `Bearer ${await insertApiKey(service.db, { userId, scopes: everyScope })}`,
  });
const withJwt = async (sub: string) => service.anonymous(`Bearer ${await issuer.sign({ claims: { sub } })}`)("GET", "/account");
const key = () => ({ headers: { "Idempotency-Key": randomUUID() } });
/** A page from the middle of a list. */
const middle = (path: string, context: CursorContext, position: readonly (string | number)[] = [instantOf(HALF), idOf(HALF)]) => {
  const cursor = createCursors([SECRET]).of(context).encode(position);
  return `${path}${path.includes("?") ? "&" : "?"}limit=100&after=${cursor}`;
};
const MESSAGES = `/conversations/${idOf(CONVERSATIONS)}/messages`;
const messageCursor = () =>
  createCursors([SECRET])
    .of({ operation: "listMessages", conversation: idOf(CONVERSATIONS) })
    .encode([HALF]);
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
  if (operation.nextPageParameter === null) return [["one", () => ask(heavy, request), status]];
  const { body } = await heavy("GET", `${request.path}?limit=100`);
  const rows = (body.data as unknown[]).length;
  if (rows < 100) throw new Error(`${id} lists ${rows} items: fill its table in test/<area>/a-million.sql.`);
  const next = `${request.path}?limit=100&${operation.nextPageParameter}=${body.page.next_cursor as string}`;
  return [
    ["the first page", () => ask(heavy, { ...request, path: `${request.path}?limit=100` })],
    ["the second page", () => ask(heavy, { ...request, path: next })],
    ["of a user with one", () => ask(rare, request)],
  ];
}

/** The cases of the operations that have more than the usual ones. */
const CASES: Readonly<Record<string, () => readonly Case[]>> = {
  getHealth: () => [],
  getLiveness: () => [],
  // The first request of a credential, of each kind.
  getAccount: () => [
    ["with an API key", async () => (await as(HEAVY))("GET", "/account")],
    ["with the JWT of a known user", async () => withJwt(`user-${HALF}`)],
    ["with the JWT of a new user", async () => withJwt("somebody-else")],
    ["with an unknown key", () => service.anonymous(`Bearer plumb_aaaaaaaaaaaa_${"A".repeat(43)}`)("GET", "/account"), 401],
  ],

  getUser: () => [
    ["one", () => heavy("GET", `/users/${idOf(HALF)}`)],
    ["a deleted one", () => heavy("GET", `/users/${idOf(ROWS)}`)],
  ],
  // All names begin with `User`. PostgreSQL makes five custom plans before it chooses the generic plan.
  findUsers: () =>
    ["user", `user ${HALF}`, "user 9999", "unknown", "us", "ze"].flatMap((name) =>
      Array.from({ length: 2 }, (_, round) => [
        `${name}, ${round + 1}`,
        () => heavy("GET", `/users?${new URLSearchParams({ name }).toString()}`),
      ]),
    ),

  listPosts: () => [
    ...reads([
      ["the newest", "/posts?limit=100"],
      ["the oldest", "/posts?limit=100&sort=created_at"],
      ["from the middle", middle("/posts", { operation: "listPosts", sort: "-created_at" })],
      ["from the middle, to newer ones", middle("/posts?sort=created_at", { operation: "listPosts", sort: "created_at" })],
      ["of one author", `/posts?limit=100&author=${HEAVY}`],
      ["of a user with one", `/posts?limit=100&author=${RARE}`],
      ["of a user with none", `/posts?limit=100&author=${idOf(3)}`],
      ["by offset, of a user with one", `/posts?limit=100&offset=0&author=${RARE}`],
    ]),
    // The contract limits offsets and `total` to 10,000.
    ...reads(
      [
        ["by offset", "/posts?limit=100&offset=0"],
        ["by the largest offset", "/posts?limit=100&offset=10000"],
        ["by offset, of one author", `/posts?limit=100&offset=10000&author=${HEAVY}`],
      ],
      TEN_THOUSAND,
    ),
  ],
  createPost: () => [
    ["without a key", () => heavy("POST", "/posts", POST), 201],
    ["with a key", () => heavy("POST", "/posts", POST, key()), 201],
  ],

  listUrls: () =>
    reads([
      ["a thousand after many deleted ones", "/urls?limit=100"],
      ["the oldest", "/urls?limit=100&sort=created_at"],
      ["from the middle", middle("/urls", { operation: "listUrls", sort: "-created_at" })],
      ["from the middle, to newer ones", middle("/urls?sort=created_at", { operation: "listUrls", sort: "created_at" })],
      ["of a user with one", "/urls?limit=100", rare],
    ]),
  createUrl: () => [
    ["a random id", () => heavy("POST", "/urls", { target_url: "https://www.example.com/" }, key()), 201],
    ["an id that is taken", () => heavy("POST", "/urls", { target_url: "https://www.example.com/", id: "url-5000" }), 409],
  ],
  deleteUrl: () => [["one", () => heavy("DELETE", "/urls/url-199"), 204, OF_ITS_DAYS]],
  getUrlClicks: () => [
    ["of 30 days", () => heavy("GET", "/urls/url-200/clicks")],
    ["of 399 days", () => heavy("GET", `/urls/url-200/clicks?from=${dayOf(398)}`), 200, OF_ITS_DAYS],
    ["of 30 days without a click", () => heavy("GET", "/urls/url-1000/clicks")],
  ],
  followUrl: () => [["one", () => service.anonymous()("GET", "/u/url-500"), 302]],

  // With each filter: test/notifications/plans.slow.test.ts.
  listNotifications: () =>
    reads(
      [
        ["all", "/notifications?limit=100"],
        ["from the middle", middle("/notifications", { operation: "listNotifications", sort: "-created_at" })],
        ["of a user with one", "/notifications?limit=100", rare],
      ],
      COUNTED_UNREAD,
    ),
  // The request marks one batch, and a job marks the rest.
  updateNotifications: () => [
    [
      "all seen ones",
      async () => heavy("PATCH", "/notifications", { status: "read", seen: await seen() }),
      200,
      { rowsMax: 3_000, buffersMax: 60_000 },
    ],
    [
      "of one conversation",
      async () => heavy("PATCH", "/notifications", { status: "read", seen: await seen(), conversation_id: idOf(5_001) }),
      200,
      COUNTED_UNREAD,
    ],
  ],
  updateNotification: () => [
    ["as read", () => heavy("PATCH", `/notifications/${idOf(HALF + 1)}`, { status: "read" })],
    ["as unread", () => heavy("PATCH", `/notifications/${idOf(HALF + 4)}`, { status: "unread" })],
  ],

  listConversations: () => {
    const [n, nowMs] = [0.1 * ROWS, Date.now()];
    const byCreation = { operation: "listConversations", sort: "-created_at" };
    return reads(
      [
        ["of a member of all", "/conversations?limit=100"],
        ["the oldest", "/conversations?limit=100&sort=created_at"],
        ["from the middle", middle("/conversations", byCreation, [instantOf(n), idOf(n)])],
        ["of a user with none", "/conversations?limit=100", rare],
        ["with all messages unread", "/conversations?limit=100", silent],
        ["the most active", `${BY_ACTIVITY}&limit=100`],
        ["by activity, from the middle", middle(BY_ACTIVITY, ACTIVITY_CONTEXT, [nowMs - n * 60_000, idOf(n), nowMs])],
        [
          "those that were active meanwhile",
          middle(BY_ACTIVITY, ACTIVITY_CONTEXT, [nowMs, idOf(ROWS), nowMs - 7_200_000, "moved"]),
        ],
      ],
      OF_FIVE_TABLES,
    );
  },
  createConversation: () => [
    ["with one other", () => heavy("POST", "/conversations", { member_ids: [idOf(700)] }, key()), 201],
    [
      "with 99 others",
      () => heavy("POST", "/conversations", { member_ids: Array.from({ length: 99 }, (_, n) => idOf(800 + n)) }, key()),
      201,
      FOR_A_HUNDRED,
    ],
  ],
  getConversation: () => [
    ["one", () => heavy("GET", `/conversations/${idOf(CONVERSATIONS)}`)],
    ["with all messages unread", () => silent("GET", `/conversations/${idOf(CONVERSATIONS)}`)],
  ],
  listMembers: () => [["of the largest", () => heavy("GET", `/conversations/${idOf(CONVERSATIONS)}/members?limit=100`)]],
  putMember: () => [
    ["a new one", () => heavy("PUT", `/conversations/${idOf(10)}/members/${idOf(700)}`), 201],
    ["an existing one", () => heavy("PUT", `/conversations/${idOf(10)}/members/${idOf(700)}`)],
  ],
  deleteMember: () => [
    ["one of many", () => heavy("DELETE", `/conversations/${idOf(CONVERSATIONS)}/members/${idOf(101)}`), 204],
    ["the owner", () => heavy("DELETE", `/conversations/${idOf(20)}/members/${HEAVY}`), 204],
    [
      "the last one, with many messages",
      () => heavy("DELETE", `/conversations/${idOf(CONVERSATIONS - 1)}/members/${HEAVY}`),
      204,
    ],
  ],
  listMessages: () =>
    reads([
      ["the newest", `${MESSAGES}?limit=100`],
      ["before the middle", `${MESSAGES}?limit=100&before=${messageCursor()}`],
      ["after the middle", `${MESSAGES}?limit=100&after=${messageCursor()}`],
    ]),
  createMessage: () => [
    ["to 97 others", () => heavy("POST", MESSAGES, { body: "Hello" }, key()), 201, FOR_A_HUNDRED_AND_THEIR_LISTS],
    ["to the same ones again", () => heavy("POST", MESSAGES, { body: "Hello" }, key()), 201, FOR_A_HUNDRED],
    ["to three others", () => heavy("POST", `/conversations/${idOf(30)}/messages`, { body: "Hello" }, key()), 201],
    [
      "a retry",
      () => heavy("POST", MESSAGES, { body: "x" }, { headers: { "Idempotency-Key": `key-${HALF}` } }),
      201,
      FOR_A_HUNDRED,
    ],
  ],

  listVideoUploads: () => {
    const failed = { operation: "listVideoUploads", status: "failed", sort: "-created_at" };
    return reads([
      ["waiting ones", "/video-uploads?limit=100&status=queued"],
      ["failed ones: one", "/video-uploads?limit=100&status=failed"],
      ["ones in processing: none", "/video-uploads?limit=100&status=processing"],
      ["from the middle", middle("/video-uploads?status=failed", failed)],
      ["of a user with one", "/video-uploads?limit=100", rare],
    ]);
  },
  createVideoUpload: () => [
    ["whole, with a key", () => heavy("POST", "/video-uploads", BYTES, key()), 202],
    ["begun", () => heavy("POST", "/video-uploads", BYTES, { headers: RESUMABLE }), 204],
  ],
  getUploadTransfer: () => [["one", () => heavy("GET", `/video-uploads/${idOf(0.9 * ROWS)}/transfer`), 204]],
  deleteUploadTransfer: () => [["one", () => heavy("DELETE", `/video-uploads/${idOf(0.9 * ROWS + 1)}/transfer`), 204]],
  updateUploadTransfer: () => [
    [
      "one",
      () =>
        heavy("PATCH", `/video-uploads/${idOf(0.9 * ROWS + 2)}/transfer`, BYTES, {
          headers: { "Upload-Complete": "?0", "Content-Type": "application/partial-upload", "Upload-Offset": "0" },
        }),
      204,
    ],
  ],
  getVideoPoster: () => [["one", () => heavy("GET", `/video-uploads/${video}/poster`)]],
  getVideoOriginal: () => [["one", () => heavy("GET", `/video-uploads/${upload}/original`)]],
  createPlayback: () => [["one", () => heavy("POST", `/video-uploads/${video}/playback`, {}), 201]],
  getPlaybackFile: () => [
    ["one", async () => service.anonymous()("GET", linkWith({ jobId: video, file: "480p.mp4" }, permission(), SECRET))],
  ],
  listWebhookEndpoints: () => [
    ["of a user with five", () => heavy("GET", "/webhook-endpoints?limit=100")],
    ["of a user with one", () => rare("GET", "/webhook-endpoints?limit=100")],
  ],
  createWebhookEndpoint: () => [["a sixth", () => heavy("POST", "/webhook-endpoints", NEW_ENDPOINT, key()), 201]],
  getWebhookEndpoint: () => [["one", () => heavy("GET", ENDPOINT)]],
  updateWebhookEndpoint: () => [["one", () => heavy("PATCH", ENDPOINT, { description: "Changed" })]],
  deleteWebhookEndpoint: () => [["without deliveries", () => heavy("DELETE", `/webhook-endpoints/${idOf(ROWS + 1)}`), 204]],
  createWebhookSecret: () => [["one", () => heavy("POST", `${ENDPOINT}/secrets`, {}, key()), 201]],
  listWebhookDeliveries: () => [
    ["the newest", () => heavy("GET", `${ENDPOINT}/deliveries?limit=100`)],
    ...["pending", "succeeded", "failed", "failed", "failed", "failed", "failed", "failed", "failed"].map((status): Case => [
      status,
      () => heavy("GET", `${ENDPOINT}/deliveries?limit=100&status=${status}`),
    ]),
    ["of a user with one", () => rare("GET", `/webhook-endpoints/${idOf(2)}/deliveries?limit=100`)],
    ["of an endpoint with none", () => heavy("GET", `/webhook-endpoints/${idOf(ROWS + 2)}/deliveries`)],
  ],
  createWebhookDelivery: () => [["a test", () => heavy("POST", `${ENDPOINT}/deliveries`, {}), 202]],
  getWebhookDelivery: () => [["one", () => heavy("GET", `${ENDPOINT}/deliveries/${idOf(HALF)}`)]],
  createWebhookAttempt: () => [["again", () => heavy("POST", `${ENDPOINT}/deliveries/${idOf(HALF)}/attempts`, {}), 202]],
  getVideoRendition: () => [["one", () => heavy("GET", `/video-uploads/${video}/renditions/480p`)]],
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

describe("however many rows each table has, the database reads no more than a page needs", () => {
  it.each(operations.map((it) => it.id))("for %s", async (id) => {
    for (const [what, send, status = 200, bounds] of await (CASES[id]?.() ?? usualCases(id))) {
      const { result, statements } = await service.statementsOf(send);
      expect({ what, status: result.status, text: result.status === status ? "" : result.text }).toEqual({
        what,
        status,
        text: "",
      });
      service.expectBounded(statements, bounds);
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
        service.expectBounded(statements, path === BY_ACTIVITY ? OF_FIVE_TABLES : undefined);
      }
  });

  it.each([
    ["idempotency keys", () => purgeIdempotencyKeys(service.db)],
    ["rate limit counters", () => purgeRateLimits(service.db)],
    ["days with clicks", () => purgeClickDays(service.db)],
    ["deliveries of webhooks", () => webhooks.purgeDeliveries(service.db)],
    ["responses of receivers", () => webhooks.purgeResponses(service.db), ENDS_A_BATCH],
  ] as const)("for removing expired %s in batches", async (_what, purge, bounds: Bounds = OF_A_BATCH) => {
    const { result, statements } = await service.statementsOf(purge);
    // The requests of this test may have restarted some of the 3,000 counters.
    expect(result).toBeGreaterThanOrEqual(2_990);
    expect(statements).toHaveLength(Math.floor(result / 1_000) + 1);
    for (const statement of statements) service.expectBounded([statement], bounds);
  });

  it("for finding deleted users whose data is still there, and for removing the jobs of one of them", async () => {
    const found = await service.statementsOf(() => findOverdueUsers(service.db));
    expect(found.result).toHaveLength(100);
    service.expectBounded(found.statements);
    // The many jobs belong to another queue.
    const { statements } = await service.statementsOf(() =>
      removeJobsOf(service.db, { queue: BACKGROUND.name, userId: found.result[0]! }),
    );
    service.expectBounded(statements);
  });

  it("for sending many events to webhook endpoints, most of them to one", async () => {
    const endpoint = { ownerId: HEAVY, endpointId: idOf(1) };
    const delivery = { ownerId: HEAVY, id: idOf(HALF) };
    const failure = { id: idOf(1), failures: 0, at: new Date().toISOString(), resumeAt: new Date().toISOString() };
    const end = { status: "succeeded", retrySeconds: null, responseStatus: 204, responseBody: "", failure: null };
    const ended = { ...endpoint, failure: "expired" };
    const row = { ownerId: HEAVY, id: idOf(1), resumeAt: new Date().toISOString() } as webhooks.EndpointRow;
    const ready = { id: idOf(2), ownerId: idOf(2), pausedUntil: row.resumeAt } as webhooks.ReadyEndpoint;
    const again = { ...delivery, attempts: 0, readyAt: new Date().toISOString(), delayedUntil: null };
    const steps: readonly (readonly [string, () => Promise<unknown>, Bounds?])[] = [
      ["a hundred endpoints with ready events", () => webhooks.findReadyEndpoints(service.db, { after: idOf(0), most: 100 })],
      ["the next hundred", () => webhooks.findReadyEndpoints(service.db, { after: idOf(0.995 * ROWS), most: 100 })],
      ["a claim", () => webhooks.claimDelivery(service.db, { ...endpoint, leaseSeconds: 3_600 })],
      ["deliveries at the end of their delay", () => webhooks.promoteDeliveries(service.db)],
      ["the release of a claim", () => webhooks.releaseClaim(service.db, again)],
      ["an attempt", () => webhooks.recordAttempt(service.db, { ...delivery, ...end, attempts: 0 })],
      ["the end of a pause", () => webhooks.endPause(service.db, row)],
      ["the ready events of a paused endpoint", () => webhooks.delayPaused(service.db, [ready])],
      ["the oldest of many pending deliveries", () => webhooks.dropOldest(service.db, { ...row, id: idOf(2) }, 10_000)],
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
    for (const [, step, bounds] of steps)
      for (let round = 0; round < 7; round++) {
        const { statements } = await service.statementsOf(step);
        service.expectBounded(statements, bounds);
      }
  });

  it("for finding the members to notify of messages in twenty conversations, one of them the largest", async () => {
    const conversationIds = Array.from({ length: 20 }, (_, n) => idOf(CONVERSATIONS - n));
    const { result, statements } = await service.statementsOf(() => findUnmutedMembers(service.db, { conversationIds }));
    expect(result.length).toBeGreaterThan(20);
    service.expectBounded(statements);
  });

  it("and a statement that reads a whole table is detected", async () => {
    const { statements } = await service.statementsOf(() => service.db.$queryRaw`SELECT max(title) FROM posts`);
    expect(() => service.expectBounded(statements)).toThrow("It reads all of posts.");
  });
});
