import { randomUUID, randomUUIDv7 } from "node:crypto";
import { expect, it, jest, describe, beforeAll } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { unwrap, WebhookVerificationError, type WebhookEvent } from "#generated/receivers/webhooks.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Client, Body } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { startNameServer } from "../support/dns-server.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, type Endpoint, verify, type Received, type Receiver } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";
import { becomes, hurry, overlapping, prepareReceivers, testEvent, writerTo } from "./support/deliveries.ts";
import { sentence } from "../support/sentence.ts";
import { finished, smallClip, upload } from "../support/videos.ts";
import { answers, response, serve } from "./egress-servers.ts";
import { contract } from "../support/contract.ts";

/** Names whose lookups wait, and what ends that. */
const held = new Map<string, PromiseWithResolvers<readonly string[]>>();
const names = prepare(() => startNameServer({ answers: (name) => held.get(name)?.promise ?? [] }));
const service = prepare(() => startTestService({ WEBHOOK_DNS_SERVERS: names.address }));

const subscribed = prepareReceivers(service);

const TEXT = "For members only";
type Change = { readonly ben: Client; readonly ada: Client; readonly endpoint: Endpoint; readonly conversation: Conversation };

/** Sends a message to Ben, makes a change while the attempt resolves the name of Ben's receiver, and lets it continue. */
async function changeMeanwhile(name: string, change: (it: Change) => Promise<unknown>) {
  const [ada, ben] = [await service.as(), await service.as()];
  const conversation = await openConversation(ada, [ben]);
  const answer = Promise.withResolvers<readonly string[]>();
  held.set(name, answer);
  const receiver = await startReceiver();
  const url = receiver.url.replace("127.0.0.1", name);
  const endpoint = await createEndpoint(ben, { url }, ["message.created"], ["conversations:read"]);
  await send(ada, conversation, TEXT);
  await eventually("the lookup of the receiver", () => names.lookups.includes(name));
  await change({ ada, ben, endpoint, conversation });
  answer.resolve(["127.0.0.1"]);
  return Object.assign(receiver, {
    /** Resolves when a connection was opened and closed without a request. */
    unused: () => eventually("a connection without a request", () => receiver.unusedConnections() > 0),
  });
}

it.each([
  [
    "their membership has ended",
    "removed.test",
    ({ ada, ben, conversation }: Change) => ada("DELETE", `${conversation.members}/${ben.userId}`),
  ],
  ["its scopes were taken away", "scopes.test", ({ ben, endpoint }: Change) => ben("PATCH", endpoint.path, { scopes: [] })],
])("no text is sent to an endpoint after %s, though its attempt had begun", async (_what, name, change) => {
  await using receiver = await changeMeanwhile(name, async (it) => expect((await change(it)).status).toBeLessThan(300));
  const [event] = await receiver.events("message.created", 1);
  expect(event!.body.data.message).toBeNull();
  expect(event!.text).not.toContain(TEXT);
});

it.each([
  ["it is deleted", "deleted.test", ({ ben, endpoint }: Change) => ben("DELETE", endpoint.path)],
  ["it is disabled", "disabled.test", ({ ben, endpoint }: Change) => ben("PATCH", endpoint.path, { status: "disabled" })],
])("nothing is sent to an endpoint after %s, though its attempt had begun", async (_what, name, change) => {
  await using receiver = await changeMeanwhile(name, async (it) => expect((await change(it)).status).toBeLessThan(300));
  await receiver.unused();
  expect(receiver.received).toEqual([]);
});

it("nothing is sent to the endpoint of a user after their deletion has begun", async () => {
  await using receiver = await changeMeanwhile("user.test", ({ ben }) =>
    service.db.user.update({ where: { id: ben.userId }, data: { deletedAt: new Date() } }),
  );
  await receiver.unused();
  expect(receiver.received).toEqual([]);
});

it("nothing is sent so late that another worker could send it too, but by the next attempt", async () => {
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, "now");
  const found: Change[] = [];
  await using receiver = await changeMeanwhile("late.test", async (it) => {
    found.push(it);
    // A claim lasts for 30 s, and a response can take 10 s.
    clock.mockImplementation(() => now() + 15_000);
  });
  await receiver.unused().finally(() => clock.mockRestore());
  const [{ ben, endpoint }] = found as [Change];
  const delivery = await eventually("a delivery that has succeeded", async () => {
    const [it] = (await ben("GET", `${endpoint.path}/deliveries`)).body.data;
    return it.status === "succeeded" ? it : null;
  });
  expect([delivery.attempt_count, receiver.received.length]).toEqual([1, 1]);
});

it("an event is sent to a new url, and not to the one before, though its attempt had begun", async () => {
  await using elsewhere = await startReceiver();
  await using receiver = await changeMeanwhile("before.test", ({ ben, endpoint }) =>
    ben("PATCH", endpoint.path, { url: elsewhere.url }),
  );
  await receiver.unused();
  const [event] = await elsewhere.events("message.created", 1);
  expect(event!.body.data.message).toMatchObject({ body: TEXT });
  expect(receiver.received).toEqual([]);
});

it(`the event of a message: ${sentence("Sent to the endpoints of all members of the conversation, the sender included.")} Once each, and signed`, async () => {
  const { ada, receiver: atAda, endpoint: adas } = await subscribed(undefined, ["conversations:read"]);
  const { ada: ben, receiver: atBen, endpoint: bens } = await subscribed();
  const conversation = await openConversation(ada, [ben]);
  const sent = [(await send(ada, conversation, "One")).body, (await send(ben, conversation, "Two")).body];
  for (const [receiver, endpoint] of [[atAda, adas] as const, [atBen, bens] as const]) {
    const events = await receiver.events("message.created", 2);
    for (const event of events) verify(event, endpoint.secret);
    const bySequence = events.map((it) => it.body.data).sort((a, b) => a.sequence - b.sequence);
    expect(bySequence.map((it) => it.message_id)).toEqual(sent.map((it) => it.id));
    expect(bySequence.map((it) => it.message)).toEqual(receiver === atAda ? sent : [null, null]);
    expect(new Set(events.map((it) => it.id)).size).toBe(2);
  }
  await eventually("two deliveries that have succeeded", async () => {
    const { body } = await ada("GET", `${adas.path}/deliveries?status=succeeded`);
    return body.data.length === 2;
  });
});

const IDS_ONLY = sentence("otherwise, that field is `null`, and you get the resource with your own credential.");
it(`the events of notifications and videos: reach their user, with the resource as a GET returns it, if the endpoint has the scope; ${IDS_ONLY}`, async () => {
  const events = ["notification.created", "video_upload.succeeded", "video_upload.failed"];
  const { ada, receiver, endpoint } = await subscribed(undefined, ["notifications:read", "video_uploads:read"], events);
  const ben = await service.as();
  // With the scopes of the other events only.
  await using withoutScopes = await startReceiver();
  await createEndpoint(ada, withoutScopes, events, ["conversations:read"]);
  const job = await finished(ada, await upload(ada, await smallClip()));
  const broken = await finished(ada, await upload(ada, Buffer.from("This is no video.")));
  const conversation = await openConversation(ben, [ada]);
  await send(ben, conversation, "One");
  await send(ben, conversation, "Two, which the notification of the first counts");
  const [succeeded] = await receiver.events("video_upload.succeeded", 1);
  const [failed] = await receiver.events("video_upload.failed", 1);
  // Also that of the creation of the other endpoint.
  const notified = await receiver.events("notification.created", 5);
  for (const event of receiver.received) verify(event, endpoint.secret);
  expect(succeeded!.body.data).toEqual({ job_id: job.id, video_upload: job });
  expect(failed!.body.data).toEqual({ job_id: broken.id, video_upload: broken });
  const [idsOfSucceeded] = await withoutScopes.events("video_upload.succeeded", 1);
  const [idsOfFailed] = await withoutScopes.events("video_upload.failed", 1);
  expect(idsOfSucceeded!.body.data).toEqual({ job_id: job.id, video_upload: null });
  expect(idsOfFailed!.body.data).toEqual({ job_id: broken.id, video_upload: null });
  for (const { body } of await withoutScopes.events("notification.created", 4)) expect(body.data.notification).toBeNull();
  const { body } = await ada("GET", "/notifications");
  const where = { endpointId: endpoint.id, event: "notification.created" };
  expect(await service.db.webhookDelivery.count({ where })).toBe(5);
  // An endpoint is not sent the notification of its own creation, which is the oldest.
  expect(body.data.at(-1).kind).toBe("webhook_endpoint.created");
  expect(notified.map((it) => it.body.data.notification_id).sort()).toEqual(
    body.data
      .slice(0, -1)
      .map((it: { id: string }) => it.id)
      .sort(),
  );
});

it(`GET of a delivery: ${sentence("While an attempt follows, the response has `Retry-After`.")} It leads to the next attempt, at most a minute later`, async () => {
  const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
  const { id, path, reaches } = await testEvent(ada, endpoint);
  await reaches("pending");
  const afterSeconds = async (nextMs: number) => {
    await service.db.webhookDelivery.updateMany({
      where: { id },
      data: { nextAttemptAt: null, delayedUntil: new Date(Date.now() + nextMs) },
    });
    return Number((await ada("GET", path)).headers.get("retry-after"));
  };
  expect(await afterSeconds(3_600_000)).toBe(60);
  const seconds = await afterSeconds(20_000);
  expect(seconds).toBeLessThanOrEqual(20);
  expect(seconds).toBeGreaterThan(5);
  receiver.respond = (_received, res) => res.writeHead(204).end();
  await ada("POST", `${path}/attempts`, {});
  await reaches("succeeded");
  expect((await ada("GET", path)).headers.get("retry-after")).toBeNull();
});

describe("an attempt that fails", () => {
  const SAME_ID = sentence("The `webhook-id` is the same in every attempt: ignore one that you have handled.");
  it(`${SAME_ID} The delivery shows the response of the receiver`, async () => {
    const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(500).end("Not today. ".repeat(200)));
    const { id, reaches } = await testEvent(ada, endpoint);
    const pending = await reaches("pending");
    expect(pending).toMatchObject({
      response_status: 500,
      response_excerpt: "Not today. ".repeat(200).slice(0, 1024),
      failure: null,
    });
    expect(await becomes(ada, endpoint, "failing")).toMatchObject({ failing_since: expect.any(String) });
    receiver.respond = (_received, res) => res.writeHead(204).end();
    await hurry(service, endpoint);
    expect(await reaches("succeeded", 2)).toMatchObject({ response_status: 204, next_attempt_at: null });
    expect(receiver.received.map((it) => it.id)).toEqual([id, id]);
    expect(await becomes(ada, endpoint, "active")).toMatchObject({ failing_since: null });
  });

  it(`${sentence("Everything else is a failed attempt, a redirect included.")} Without a response, it has the reason`, async () => {
    const { receiver: elsewhere } = await subscribed();
    const redirect = { Location: elsewhere.url };
    const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(307, redirect).end());
    expect(await (await testEvent(ada, endpoint)).reaches("pending")).toMatchObject({ response_status: 307 });
    receiver.respond = (_received, _res, req) => req.socket.destroy();
    const { reaches } = await testEvent(ada, endpoint);
    expect(await reaches("pending")).toMatchObject({ response_status: null, failure: "connection_failed" });
    expect(elsewhere.received).toEqual([]);
  });

  it("is the last one when the day of the event is over", async () => {
    const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(503).end());
    const { id, path, reaches } = await testEvent(ada, endpoint);
    await reaches("pending");
    await service.db.webhookDelivery.updateMany({ where: { id }, data: { expiresAt: new Date(Date.now() + 1_000) } });
    await hurry(service, endpoint);
    expect(await reaches("failed", 2)).toMatchObject({ response_status: 503, next_attempt_at: null });
    receiver.respond = (_received, res) => res.writeHead(204).end();
    expect((await ada("POST", `${path}/attempts`, {})).status).toBe(202);
    expect(await reaches("succeeded")).toMatchObject({ response_status: 204 });
    expect(new Set(receiver.received.map((it) => it.id))).toEqual(new Set([id]));
  });
});

describe("the response of a receiver", () => {
  const SECRET = "Words of another user";

  const NOT_STORED = sentence("Other deliveries don't, because a response can repeat the event.");
  it(`${NOT_STORED} So no key reads text without its scope`, async () => {
    const echo: Receiver["respond"] = (received, res) => res.writeHead(200).end(received.text);
    const scopes = ["conversations:read", "notifications:read"];
    const { ada: ben, receiver, endpoint } = await subscribed(echo, scopes, ["message.created", "notification.created"]);
    // A key of the same user that can read deliveries, and no messages.
    const weak = await service.as({ scopes: ["webhook_endpoints:read"] });
    const { id: keyId } = await service.db.apiKey.findFirstOrThrow({ where: { userId: weak.userId } });
    await service.db.apiKey.update({ where: { id: keyId }, data: { userId: ben.userId } });
    await (
      await writerTo(service, ben)
    )(SECRET);
    const [{ text }] = (await receiver.events("message.created", 1)) as [Received];
    expect(text).toContain(SECRET);
    const { data } = await eventually("deliveries that have succeeded", async () => {
      const { body } = await weak("GET", `${endpoint.path}/deliveries?status=succeeded`);
      return body.data.length >= 3 ? body : null;
    });
    for (const it of data) expect(it).toMatchObject({ response_status: 200, response_excerpt: null });
    expect(await service.db.webhookDelivery.count({ where: { endpointId: endpoint.id, responseBody: { not: null } } })).toBe(0);
  });

  it("is not shown for such an event, even if a process of the previous version has stored it", async () => {
    const { ada: ben, endpoint } = await subscribed();
    const [now, id] = [new Date(), randomUUIDv7()];
    const row = { ownerId: ben.userId, endpointId: endpoint.id, createdAt: now, expiresAt: now, attemptedAt: now };
    const end = { status: "failed", attempts: 1, responseStatus: 500, responseBody: SECRET };
    const data = { conversation_id: randomUUID(), message_id: randomUUID(), sequence: 1 };
    await service.db.webhookDelivery.create({ data: { ...row, ...end, id, event: "message.created", data } });
    const path = `${endpoint.path}/deliveries/${id}`;
    const answers = [
      await ben("GET", `${endpoint.path}/deliveries`),
      await ben("GET", `${endpoint.path}/deliveries?status=failed`),
      await ben("GET", path),
      await ben("POST", `${path}/attempts`, {}),
    ];
    expect(answers.map((it) => [it.status, it.text.includes(SECRET)])).toEqual([200, 200, 200, 202].map((it) => [it, false]));
  });

  const TEST_EVENT = sentence(
    "To see what your receiver answers, send a test event: its delivery also has the beginning of the last response.",
  );
  const bytes = (...of: number[]) => Buffer.from(of);
  const failed = (body: string | Buffer) => response(body, "500 X");
  const none = { response_status: null, response_excerpt: null, failure: "not_http" };
  const responses: readonly (readonly [what: string, answer: string | Buffer, delivery: object])[] = [
    ["the status 200", response("Here."), { status: "succeeded", response_status: 200, response_excerpt: "Here." }],
    ["the status 599", response("", "599 Strange"), { response_status: 599, failure: null }],
    ["the status 600", response("", "600 Strange"), none],
    ["the status 999", response("", "999 Request denied"), none],
    ["the status 042", response("", "042 Strange"), none],
    ["HTTP/0.9", "a".repeat(2_000), { response_status: null, failure: "not_http" }],
    ["nothing", failed(""), { response_status: 500, response_excerpt: "" }],
    ["NUL", failed(bytes(0x61, 0, 0x62)), { response_excerpt: "a\uFFFDb" }],
    ["only NUL", failed("\0".repeat(2_000)), { response_excerpt: "\uFFFD".repeat(1_024) }],
    ["bytes that are not UTF-8", failed(bytes(0x61, 0xff, 0x62)), { response_excerpt: "a\uFFFDb" }],
    ["only such bytes", failed(Buffer.alloc(2_000, 0xff)), { response_excerpt: "\uFFFD".repeat(1_024) }],
    ["half of a surrogate pair", failed(bytes(0x61, 0xed, 0xa0, 0x80, 0x62)), { response_excerpt: "a\uFFFD\uFFFD\uFFFDb" }],
    ["2,000 emoji", failed("😀".repeat(2_000)), { response_excerpt: "😀".repeat(256) }],
    ["a byte order mark", failed("\uFEFFa"), { response_excerpt: "\uFEFFa" }],
    ["a character that 1,024 bytes cut", failed("€".repeat(400)), { response_excerpt: "€".repeat(341) }],
    ["an emoji that 1,024 bytes cut", failed(`a${"😀".repeat(300)}`), { response_excerpt: `a${"😀".repeat(255)}` }],
    ["a character that the body itself cuts", failed(bytes(0x61, 0xe2, 0x82)), { response_excerpt: "a" }],
  ];
  it(`${TEST_EVENT} As the contract allows, whatever it is`, async () => {
    const sent = responses.map(async ([what, answer, expected]) => {
      await using receiver = await serve(answers(answer));
      const ada = await service.as();
      const endpoint = await createEndpoint(ada, { url: `http://127.0.0.1:${receiver.port}/` }, ["message.created"]);
      const { path } = await testEvent(ada, endpoint);
      const delivery = await eventually("an attempt", async () => {
        const { body } = await ada("GET", path);
        return body.attempt_count > 0 ? body : null;
      });
      expect([what, delivery]).toEqual([what, expect.objectContaining(expected)]);
      const { body } = await ada("GET", `${endpoint.path}/deliveries?status=${delivery.status}`);
      expect([what, body.data]).toMatchObject([what, [expected]]);
      expect(await ada("POST", `${path}/attempts`, {})).toMatchObject({ status: 202 });
    });
    await Promise.all(sent);
  });
});

it("an endpoint that refuses its events gets one at a time, and not all that are pending", async () => {
  const open = overlapping(500);
  const { ada, receiver, endpoint } = await subscribed(open.respond);
  const write = await writerTo(service, ada);
  for (let number = 0; number < 20; number++) await write(`Message ${number}`);
  await receiver.events("message.created", 3);
  expect(open.most).toBe(1);
  expect(await becomes(ada, endpoint, "failing")).toMatchObject({ failing_since: expect.any(String) });
});

it.each([
  ["with a number out of range", { sequence: 0 }],
  ["without one of its ids", { message_id: undefined }],
])("an event that the contract doesn't allow never leaves: %s", async (_what, wrong) => {
  const { ada, receiver, endpoint } = await subscribed();
  const data = { conversation_id: randomUUID(), message_id: randomUUID(), sequence: 1, ...wrong };
  const now = new Date();
  const row = { id: randomUUIDv7(), ownerId: ada.userId, endpointId: endpoint.id, event: "message.created", data };
  const times = { createdAt: now, nextAttemptAt: now, expiresAt: new Date(now.getTime() + 3_600_000) };
  await service.db.webhookDelivery.create({ data: { ...row, ...times } });
  await eventually("a delivery that could not be made", async () => {
    const { body } = await ada("GET", `${endpoint.path}/deliveries/${row.id}`);
    return body.failure === "internal_error";
  });
  expect(receiver.received).toEqual([]);
  // It says nothing about the receiver.
  expect(await becomes(ada, endpoint, "active")).toMatchObject({ failing_since: null });
});

describe("an endpoint", () => {
  const GONE = sentence("or if your receiver returns 410, the endpoint is disabled, and you get a notification.");
  it(`${GONE} Its pending events fail`, async () => {
    const { ada, receiver, endpoint } = await subscribed((_received, res) => res.writeHead(410).end());
    await (await testEvent(ada, endpoint)).reaches("failed");
    await eventually("the endpoint to be disabled", async () => (await ada("GET", endpoint.path)).body.status === "disabled");
    expect((await ada("GET", endpoint.path)).body).toMatchObject({ disabled_because: "gone" });
    expect((await ada("GET", "/notifications?kind=webhook_endpoint.disabled")).body.data).toMatchObject([
      { resource: { type: "webhook_endpoint", id: endpoint.id, href: endpoint.path } },
    ]);
    await (
      await writerTo(service, ada)
    )("Hello");
    expect((await ada("POST", `${endpoint.path}/deliveries`, {})).body).toMatchObject({ code: "endpoint_disabled" });
    await eventually(
      "no delivery that waits",
      async () => (await ada("GET", `${endpoint.path}/deliveries?status=pending`)).body.data.length === 0,
    );
    expect((await ada("GET", `${endpoint.path}/deliveries`)).body.data).toHaveLength(1);
    receiver.respond = (_received, res) => res.writeHead(204).end();
    expect((await ada("PATCH", endpoint.path, { status: "active" })).body).toMatchObject({
      status: "active",
      disabled_because: null,
    });
    await (await testEvent(ada, endpoint)).reaches("succeeded");
  });

  it(`${sentence("After a rotation of the secret, there are two for a day. One that fits is enough.")} Then there is one`, async () => {
    const { ada, receiver, endpoint } = await subscribed();
    const { body } = await ada("POST", `${endpoint.path}/secrets`, {});
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    expect(Math.abs(Date.parse(body.previous_secret_expires_at) - Date.now() - 24 * 3_600_000)).toBeLessThan(5_000);
    const [both] = receiver.received;
    for (const secret of [endpoint.secret, body.secret]) {
      verify(both!, secret);
      expect(unwrap(both!.headers, both!.text, secret)).toMatchObject({ id: both!.id });
    }
    await service.db.webhookEndpoint.updateMany({ where: { id: endpoint.id }, data: { previousSecretUntil: new Date() } });
    expect((await ada("GET", endpoint.path)).body.previous_secret_expires_at).toBeNull();
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    const only = receiver.received[1]!;
    verify(only, body.secret);
    expect(() => verify(only, endpoint.secret)).toThrow("No matching signature found");
  });

  it("still gets signatures of the secret that its receiver uses after a rotation that was repeated", async () => {
    const { ada, receiver, endpoint } = await subscribed();
    const lost = (await ada("POST", `${endpoint.path}/secrets`, {})).body;
    const { body } = await ada("POST", `${endpoint.path}/secrets`, {});
    expect(body.previous_secret_expires_at).toBe(lost.previous_secret_expires_at);
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    verify(receiver.received[0]!, endpoint.secret);
    verify(receiver.received[0]!, body.secret);
    expect(() => verify(receiver.received[0]!, lost.secret)).toThrow("No matching signature found");
  });

  it("gets nothing after it was deleted, and its deliveries are removed", async () => {
    const { ada, endpoint } = await subscribed((_received, res) => res.writeHead(500).end());
    const { path, reaches } = await testEvent(ada, endpoint);
    await reaches("pending");
    expect((await ada("DELETE", endpoint.path)).status).toBe(204);
    expect(await service.db.webhookDelivery.count({ where: { endpointId: endpoint.id } })).toBe(0);
    expect((await ada("DELETE", endpoint.path)).status).toBe(404);
    // As if more were left than one statement removes.
    const times = { createdAt: new Date(), expiresAt: new Date() };
    const left = {
      id: path.split("/").at(-1)!,
      ownerId: ada.userId,
      endpointId: endpoint.id,
      event: "message.created",
      data: {},
    };
    await service.db.webhookDelivery.create({ data: { ...left, ...times } });
    for (const answer of [
      await ada("GET", path),
      await ada("POST", `${path}/attempts`, {}),
      await ada("GET", `${endpoint.path}/deliveries`),
    ])
      expect(answer.status).toBe(404);
    await service.db.webhookDelivery.updateMany({ where: { id: left.id }, data: { nextAttemptAt: new Date() } });
    await eventually("no delivery", async () => (await service.db.webhookDelivery.count({ where: { id: left.id } })) === 0);
  });
});

describe("the module for receivers", () => {
  let endpoint: Endpoint;
  let received: Received;
  beforeAll(async () => {
    await using receiver = await startReceiver();
    const owner = await service.as();
    endpoint = await createEndpoint(owner, receiver, ["message.created"]);
    await testEvent(owner, endpoint);
    [received] = (await receiver.events("webhook_endpoint.tested", 1)) as [Received];
  });

  const signed = (body: string, at = new Date()): Record<string, string> => ({
    "webhook-id": "an-id",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(endpoint.secret).sign("an-id", at, body),
  });

  it("returns an event that the service has sent, with its id, from every form of headers and of a body", () => {
    const expected = { id: received.id, ...(received.body as object) };
    for (const headers of [received.headers, new Headers(received.headers as Record<string, string>)])
      for (const body of [received.text, Buffer.from(received.text), new TextEncoder().encode(received.text)])
        expect(unwrap(headers, body, endpoint.secret)).toEqual(expected);
    const event: WebhookEvent = unwrap(received.headers, received.text, endpoint.secret)!;
    expect(event.type === "webhook_endpoint.tested" && event.data.endpoint_id).toBe(endpoint.id);
  });

  it("knows each event of the contract, and returns null for an event of a later version", () => {
    for (const type of Object.keys(contract.webhooks!)) {
      const body = JSON.stringify({ type, data: {}, new_field: "ä" });
      expect(unwrap(signed(body), body, endpoint.secret)).toEqual({ id: "an-id", type, data: {}, new_field: "ä" });
    }
    const later = JSON.stringify({ type: "post.created" });
    expect(unwrap(signed(later), later, endpoint.secret)).toBeNull();
  });

  it("refuses everything that the service has not signed with the secret, or long ago, by one error", () => {
    const { headers, text } = received;
    const otherSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const refused: (readonly [what: string, ...Parameters<typeof unwrap>])[] = [
      ["another secret", headers, text, otherSecret],
      ["a changed body", headers, `${text} `, endpoint.secret],
      ["an empty body", headers, "", endpoint.secret],
      ["a body that is not UTF-8", headers, Buffer.from([0xff, 0xfe]), endpoint.secret],
      ["no headers", {}, text, endpoint.secret],
      ["an old event", signed(text, new Date(Date.now() - 6 * 60_000)), text, endpoint.secret],
      ["an event of the future", signed(text, new Date(Date.now() + 6 * 60_000)), text, endpoint.secret],
    ];
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"])
      for (const value of [undefined, "", " ", ",", "v1", "v1,", "v1,AAAA", "v1,ä", "NaN", ["v1", "v1"], "v1 v1,", "v2,AAAA"])
        refused.push([`${name}: ${String(value)}`, { ...headers, [name]: value }, text, endpoint.secret]);
    for (const [what, ...request] of refused) {
      const attempt = () => {
        expect([what, unwrap(...request)]).toBe("refused");
      };
      expect(attempt).toThrow(WebhookVerificationError);
    }
  });
});

/** A message of Ada that has reached an endpoint of Ben, which has the scopes to read it. `again` sends both events again. */
async function eventsOfOneMessage() {
  const ada = await service.as({ name: "Ada Zebra" });
  const scopes = ["conversations:read", "notifications:read"];
  const { ada: ben, receiver, endpoint } = await subscribed(undefined, scopes, ["message.created", "notification.created"]);
  const conversation = await openConversation(ada, [ben], "Roof");
  await send(ada, conversation, "For members only");
  const isOfMessage = (it: Body) => it.type === "message.created" || it.data.notification?.kind === "message.created";
  const arrived = (count: number) =>
    eventually(`${count} events of the message`, () => {
      const found = receiver.received.filter((it) => isOfMessage(it.body) || it.body.data.notification === null);
      return found.length >= count ? found : null;
    });
  const first = await arrived(2);
  const again = async () => {
    const before = receiver.received.length;
    for (const { id } of first) {
      const delivery = `${endpoint.path}/deliveries/${id}`;
      await eventually("a delivery that has succeeded", async () => (await ben("GET", delivery)).body.status === "succeeded");
      expect(await ben("POST", `${delivery}/attempts`, {})).toMatchObject({ status: 202 });
    }
    const events = await eventually("both events again", () => {
      const found = receiver.received.slice(before);
      return found.length >= 2 ? found : null;
    });
    for (const event of events) verify(event, endpoint.secret);
    const dataOf = (type: string): Body => events.find((it) => it.body.type === type)!.body.data;
    return { message: dataOf("message.created")["message"], notification: dataOf("notification.created")["notification"] };
  };
  const noticeOf = async () =>
    ((await ben("GET", "/notifications?kind=message.created")).body.data as Body[]).find((it) => it.kind === "message.created") ??
    null;
  return { ada, ben, conversation, again, noticeOf };
}

describe("an event that is sent after its resource has changed", () => {
  const AT_THAT_MOMENT = "It also has the resource, as you can read it at that moment, if the endpoint has the scope to read it;";
  it(`${sentence(AT_THAT_MOMENT)} a former member gets the notification as GET returns it, and no message, which GET refuses`, async () => {
    const { ada, ben, conversation, again, noticeOf } = await eventsOfOneMessage();
    expect(await again()).toMatchObject({ message: { body: "For members only" }, notification: { body: "For members only" } });
    expect(await ada("DELETE", `${conversation.members}/${ben.userId}`)).toMatchObject({ status: 204 });
    expect(await ben("GET", conversation.messages)).toMatchObject({ status: 403 });
    const sent = await again();
    expect(sent.message).toBeNull();
    expect(sent.notification).toMatchObject({ title: "Ada Zebra wrote in Roof", body: "For members only" });
    expect(sent.notification).toEqual(await noticeOf());
  });

  it("has neither when the conversation is gone, and GET has no notification", async () => {
    const { ada, ben, conversation, again, noticeOf } = await eventsOfOneMessage();
    for (const it of [ben, ada])
      expect(await it("DELETE", `${conversation.members}/${it.userId}`)).toMatchObject({ status: 204 });
    await eventually("no notification", async () => (await noticeOf()) === null);
    expect(await again()).toEqual({ message: null, notification: null });
  });

  it("has neither the name nor the text of a deleted sender, in the same form as GET", async () => {
    const { ada, again, noticeOf } = await eventsOfOneMessage();
    // The job that removes the rest never runs.
    await beginErasure(service.db, ada.userId, async () => undefined);
    const sent = await again();
    expect(sent.message).toMatchObject({
      body: "This message was deleted.",
      sender: { id: ada.userId, display_name: null, deleted: true },
    });
    expect(sent.notification).toMatchObject({ title: "A deleted user wrote in Roof", body: "This message was deleted." });
    expect(sent.notification).toEqual(await noticeOf());
  });
});
