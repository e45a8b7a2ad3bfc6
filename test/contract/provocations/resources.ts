import { randomUUID, randomUUIDv7 } from "node:crypto";
import type { Principal, Routed } from "../../../src/contract/contract.ts";
import { everyOperation, type Operation } from "../../../src/contract/operations.ts";
import { keyOf } from "../../../src/idempotency/idempotency.ts";
import { disableByOperator } from "../../../src/webhooks/operators.ts";
import type { Client } from "../../support/client.ts";
import { openConversation, withKey } from "../../support/conversations.ts";
import { ask, exampleRequest, otherBody } from "../../support/example-requests.ts";
import { hold } from "../../support/locks.ts";
import { linkWith } from "../../support/playback.ts";
import { problemExamples } from "../support/problem-examples.ts";
import { BYTES, createResources, missingIds, type Ids } from "../../support/resources.ts";
import type { TestService } from "../../support/service.ts";
import { everywhere, provoked, type Provocation, type Refusal, type Services } from "./provocation.ts";

const TARGET = "https://www.example.org/boathouse/doors";
const ENDPOINT = { url: "https://hooks.example.org/plumbline", events: ["message.created"] };
/** An address that no setting allows. */
const METADATA = "https://169.254.169.254/latest/meta-data/";

const PLAYBACK_FILE = everyOperation.find((it) => it.id === "getPlaybackFile")!;

/** The resource doesn't exist, belongs to another user, or has another state. */
export const resourceProvocations: readonly Provocation[] = [
  ...everywhere("not_found", ({ people }, operation) => ask(people.owner, exampleRequest(operation, missingIds(operation))), {
    only: ({ access }) => access["link_holder"] === undefined,
  }),
  provoked("getPlaybackFile", "not_found", async ({ people }) => {
    const ids = await createResources(PLAYBACK_FILE, people);
    await people.owner("DELETE", `/video-uploads/${ids.get("job_id")}`);
    return ask(people.stranger, exampleRequest(PLAYBACK_FILE, ids));
  }),
  provoked("getPlaybackFile", "link_expired", async ({ people: { owner, stranger } }) => {
    const target = { jobId: randomUUIDv7(), file: "480p.mp4" };
    return stranger("GET", linkWith(target, { ownerId: owner.userId, expiresAt: new Date(Date.now() - 1_000) }));
  }),
  provoked("getPlaybackFile", "invalid_link", ({ people }) =>
    ask(people.stranger, exampleRequest(PLAYBACK_FILE, missingIds(PLAYBACK_FILE))),
  ),
  provoked("followUrl", "gone", async ({ people: { owner } }) => {
    const { id } = (await owner("POST", "/urls", { target_url: TARGET })).body;
    await owner("DELETE", `/urls/${id}`);
    return owner("GET", `/u/${id}`);
  }),

  provoked(
    "getUrlClicks",
    "days_not_available",
    async ({ people: { owner } }) => {
      const { id } = (await owner("POST", "/urls", { target_url: TARGET })).body;
      return owner("GET", `/urls/${id}/clicks?from=2025-01-01`);
    },
    { varies: /\d{4}-\d\d-\d\d/g },
  ),

  provoked("createVideoUpload", "storage_quota_exceeded", async ({ service }) => {
    const user = await service.as();
    await fillStorage(service, user);
    return user("POST", "/video-uploads", BYTES);
  }),
  provoked("updateUploadTransfer", "storage_quota_exceeded", async ({ service }) => {
    const user = await service.as();
    const begun = await user("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    await fillStorage(service, user);
    const headers = { "Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1" };
    return user("PATCH", begun.headers.get("location")!, BYTES, { headers });
  }),

  ...everywhere("not_a_member", async ({ people }, operation) =>
    ask(people.stranger, exampleRequest(operation, await createResources(operation, people))),
  ),
  provoked("putReadPosition", "unknown_sequence", async ({ people: { owner, member } }) => {
    const { path } = await openConversation(owner, [member]);
    return owner("PUT", `${path}/read-position`, { sequence: 1 });
  }),
  ...everywhere("not_the_owner", async ({ people }, operation) =>
    ask(people.member, exampleRequest(operation, await createResources(operation, people))),
  ),
  ...everywhere("not_the_author", async ({ people }, operation) =>
    ask(people.stranger, exampleRequest(operation, await createResources(operation, people))),
  ),
  ...everywhere("precondition_failed", async (services, operation) => {
    const { people } = services;
    const { seen } = (await people.owner("GET", "/notifications")).body;
    const ids = await createResources(operation, people);
    // Downloads of results need one.
    if (operation.method === "get") await succeed(services, ids.get("job_id")!);
    const request = exampleRequest(operation, ids, { userId: people.guest.userId, seen });
    return ask(people.owner, request, { "If-Match": '"an-earlier-one"' });
  }),

  provoked("createUrl", "id_taken", ({ people }) =>
    twice(() => people.owner("POST", "/urls", { target_url: TARGET, id: "boathouse-doors" })),
  ),
  provoked("createUrl", "target_not_allowed", ({ people, service }) =>
    people.owner("POST", "/urls", { target_url: `${service.url}/u/boathouse-doors` }),
  ),
  provoked("createUrl", "expires_at_invalid", ({ people }) =>
    people.owner("POST", "/urls", { target_url: TARGET, expires_at: "2026-01-01T00:00:00.000Z" }),
  ),
  provoked("updateNotifications", "validation_failed", ({ people }) =>
    people.owner("PATCH", "/notifications", { seen: "AVw4tOZS5E2n8jcN" }),
  ),
  provoked("updateNotification", "validation_failed", ({ people }) =>
    people.owner("PATCH", `/notifications/${randomUUIDv7()}`, {}),
  ),
  provoked("updateNotifications", "invalid_cursor", ({ people }) =>
    people.owner("PATCH", "/notifications", { status: "read", seen: "AVw4tOZS5E2n8jcN" }),
  ),
  provoked("updateNotification", "invalid_cursor", async ({ people: { owner, guest } }) => {
    await openConversation(guest, [owner]);
    const { body } = await owner("GET", "/notifications?limit=1");
    return owner("PATCH", `/notifications/${body.data[0].id}`, { status: "read", seen: "AVw4tOZS5E2n8jcN" });
  }),

  provoked("updateNotification", "conflicting_parameters", ({ people }) =>
    people.owner("PATCH", `/notifications/${randomUUIDv7()}`, { status: "unread", archived: true }),
  ),
  provoked("findUsers", "directory_disabled", async ({ thrifty }) => (await thrifty.as())("GET", "/users?name=tomas")),
  provoked("updateAccount", "display_name_not_allowed", ({ people }) =>
    people.owner("PATCH", "/account", { display_name: "\u202eMara" }),
  ),

  ...namingNothing(),
  provoked("putMember", "unknown_user", async ({ people: { owner, member } }) => {
    const { members } = await openConversation(owner, [member]);
    return owner("PUT", `${members}/${randomUUIDv7()}`);
  }),
  provoked("putMember", "conversation_full", async ({ people: { owner, guest }, service }) => {
    const { members } = await openConversation(owner, await Promise.all(Array.from({ length: 99 }, () => service.as())));
    return owner("PUT", `${members}/${guest.userId}`);
  }),

  ...everywhere("not_ready", async ({ people }, operation) => {
    const { body } = await people.owner("POST", "/video-uploads", BYTES);
    const waiting = new Map([["job_id", body.id as string]]);
    return ask(people.owner, exampleRequest(operation, await createResources(operation, people, waiting)));
  }),
  ...everywhere("range_not_satisfiable", async (services, operation) => {
    const ids = await createResources(operation, services.people);
    await succeed(services, ids.get("job_id")!);
    return ask(services.people.owner, exampleRequest(operation, ids), { Range: `bytes=${SIZE_BYTES}-` });
  }),
  provoked("updateUploadTransfer", "upload_offset_mismatch", async ({ people: { owner } }) => {
    const begun = await owner("POST", "/video-uploads", Buffer.alloc(1_048_576), { headers: { "Upload-Complete": "?0" } });
    return owner("PATCH", begun.headers.get("location")!, BYTES, { headers: lastPart(0) });
  }),

  provoked("updateUploadTransfer", "digest_mismatch", async ({ people: { owner } }) => {
    const begun = await owner("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    const headers = { ...lastPart(0), "Repr-Digest": `sha-256=:${"A".repeat(43)}=:` };
    return owner("PATCH", begun.headers.get("location")!, BYTES, { headers });
  }),
  provoked("updateUploadTransfer", "validation_failed", async ({ people: { owner } }) => {
    const begun = await owner("POST", "/video-uploads", Buffer.alloc(1_048_576), {
      headers: { "Upload-Complete": "?0", "Upload-Length": "184320512" },
    });
    return owner("PATCH", begun.headers.get("location")!, Buffer.alloc(0), { headers: lastPart(1_048_576) });
  }),
  provoked("updateUploadTransfer", "malformed_body", async ({ people: { owner } }) => {
    const begun = await owner("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    return owner("PATCH", begun.headers.get("location")!, Buffer.alloc(0), { headers: lastPart(0) });
  }),

  provoked("createWebhookEndpoint", "target_not_allowed", ({ people }) =>
    people.owner("POST", "/webhook-endpoints", { ...ENDPOINT, url: METADATA }),
  ),
  provoked("updateWebhookEndpoint", "target_not_allowed", async ({ people: { member } }) => {
    const { headers } = await member("POST", "/webhook-endpoints", ENDPOINT);
    return member("PATCH", headers.get("location")!, { url: METADATA });
  }),
  provoked("createWebhookEndpoint", "endpoint_limit_reached", async ({ service }) => {
    const user = await service.as();
    for (let count = 0; count < 10; count++) await user("POST", "/webhook-endpoints", ENDPOINT);
    return user("POST", "/webhook-endpoints", ENDPOINT);
  }),
  ...everywhere("endpoint_disabled", async ({ people }, operation) => {
    const ids = await createResources(operation, people);
    await people.owner("PATCH", `/webhook-endpoints/${ids.get("endpoint_id")}`, { status: "disabled" });
    return ask(people.owner, exampleRequest(operation, ids));
  }),

  ...everywhere("disabled_by_operator", async ({ people: { member }, service }) => {
    const { headers, body } = await member("POST", "/webhook-endpoints", ENDPOINT);
    await disableByOperator(service.db, body.endpoint.id);
    return member("PATCH", headers.get("location")!, { status: "active" });
  }),

  ...everywhere("idempotency_key_reused", async ({ people }, operation) => {
    const headers = { "Idempotency-Key": randomUUID() };
    const ids = await createResources(operation, people);
    const request = exampleRequest(operation, ids, { userId: people.guest.userId, seen: "" });
    await ask(people.owner, request, headers);
    return ask(people.owner, { ...request, body: otherBody(operation, request.body) }, headers);
  }),
  // A message keeps its key itself.
  ...everywhere(
    "idempotency_in_progress",
    async ({ people, service }, operation) => {
      const ids = await createResources(operation, people);
      return duringFirstAttempt(service, people.owner, operation, ids, (key) =>
        ask(people.owner, exampleRequest(operation, ids, { userId: people.guest.userId, seen: "" }), withKey(key).headers),
      );
    },
    { waits: true, only: (it) => it.id !== "createMessage" },
  ),
  provoked(
    "createMessage",
    "idempotency_in_progress",
    async ({ people: { owner, member }, service }) => {
      const conversation = await openConversation(owner, [member]);
      const [key, lock] = [withKey(), "SELECT 1 FROM conversations WHERE id = $1 FOR UPDATE"];
      await using holder = await hold(service.databaseUrl, lock, [conversation.id]);
      const first = owner("POST", conversation.messages, { body: "The slates come on Thursday." }, key);
      await holder.blocks(1);
      const retry = await owner("POST", conversation.messages, { body: "The slates come on Thursday." }, key);
      await holder.release();
      await first;
      return retry;
    },
    { waits: true },
  ),
  provoked("createVideoUpload", "upload_offset_mismatch", ({ people: { owner } }) => {
    const headers = { "Upload-Complete": "?1", "Upload-Length": "2097152", "Idempotency-Key": randomUUID() };
    return twice(() => owner("POST", "/video-uploads", ReadableStream.from([Buffer.alloc(1_048_576)]), { headers }));
  }),
];

/** For each problem with an id in the body, the request of its operation with an id of nothing in that field. */
function namingNothing(): Provocation[] {
  const targets = problemExamples.flatMap(({ operation, name, value }) => {
    const [error] = value.errors ?? [];
    const [, field, index] = /^\/(\w+_ids?)(?:\/(\d+))?$/.exec(error?.pointer ?? "") ?? [];
    return name.startsWith("unknown_") && error.in === "body" && field !== undefined ? [{ operation, name, field, index }] : [];
  });
  return targets.map(({ operation, name, field, index }) => ({
    operation: operation.id,
    example: name,
    async provoke({ people }) {
      const known = { userId: people.guest.userId, seen: "" };
      const request = exampleRequest(operation, await createResources(operation, people), known);
      const { [field]: ids } = request.body as Readonly<Record<string, readonly string[]>>;
      const wrong = index === undefined ? randomUUIDv7() : ids!.toSpliced(Number(index), 1, randomUUIDv7());
      return ask(people.owner, { ...request, body: { ...(request.body as object), [field]: wrong } });
    },
  }));
}

const lastPart = (offset: number) => ({
  "Content-Type": "application/partial-upload",
  "Upload-Offset": String(offset),
  "Upload-Complete": "?1",
});

async function twice(request: () => Promise<Refusal>): Promise<Refusal> {
  await request();
  return request();
}

/** The size in the examples. */
const SIZE_BYTES = 18_432_051;

/** Marks a job as succeeded in the database. The requests don't need its files. */
async function succeed({ service }: Services, id: string): Promise<void> {
  const file = {
    objectKey: "none",
    contentType: "video/mp4",
    width: 854,
    height: 480,
    sizeBytes: SIZE_BYTES,
    sha256: "0".repeat(64),
  };
  const result = {
    container: "mp4",
    durationMs: 1,
    width: 854,
    height: 480,
    videoCodec: "h264",
    audioCodec: null,
    poster: file,
    renditions: [{ ...file, name: "480p", durationMs: 1 }],
  };
  await service.db.videoUpload.update({ where: { id }, data: { status: "succeeded", sizeBytes: SIZE_BYTES, result } });
}

/** Sends a request while the transaction of a first attempt with the same key is open. */
async function duringFirstAttempt(
  service: Services["service"],
  { userId }: Client,
  { id: operation, path }: Operation,
  ids: Ids,
  request: (key: string) => Promise<Refusal>,
): Promise<Refusal> {
  const key = randomUUID();
  const header = { "Idempotency-Key": key };
  const principal = { userId } as Principal;
  const inPath = Object.fromEntries([...ids].filter(([name]) => path.includes(`{${name}}`)));
  const { operationId } = keyOf({ operation: operation as Routed, principal, path: inPath, header })!;
  const answered = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const first = service.db.$transaction(
    async (tx) => {
      await tx.idempotencyKey.create({
        data: { userId, operationId, key, fingerprint: Buffer.alloc(32), status: 0, headers: {}, body: "" },
      });
      taken.resolve();
      await answered.promise;
    },
    { timeout: 20_000 },
  );
  try {
    await Promise.race([taken.promise, first]);
    return await request(key);
  } finally {
    answered.resolve();
    await first;
  }
}

/** Fills the storage quota of a user without an upload. */
async function fillStorage({ db }: TestService, { userId }: Client): Promise<void> {
  const id = randomUUIDv7();
  const objectKey = `video-uploads/${id}/original`;
  await db.videoUpload.create({
    data: { id, ownerId: userId, objectKey, sizeBytes: 20 * 2 ** 30, sha256: "0".repeat(64), status: "failed" },
  });
}
