import { randomUUID, randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { openConversation, send } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { becomes, hurry, testEvent } from "./support/deliveries.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, verify, type Received } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

const service = prepare(() => startTestService());

describe("the event of a message", () => {
  it("reaches the endpoints of all members once each, signed, as the contract describes it", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using atAda = await startReceiver();
    await using atBen = await startReceiver();
    const adas = await createEndpoint(ada, atAda, ["message.created"], ["conversations:read"]);
    const bens = await createEndpoint(ben, atBen, ["message.created"]);
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

  it("has no text for a member who has left before it is sent", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    let isUp = false;
    await using receiver = await startReceiver((_received, res) => res.writeHead(isUp ? 204 : 500).end());
    const endpoint = await createEndpoint(ben, receiver, ["message.created"], ["conversations:read"]);
    const conversation = await openConversation(ada, [ben]);
    await send(ada, conversation, "For members only");
    await receiver.events("message.created", 1);
    await ben("DELETE", `${conversation.members}/${ben.userId}`);
    isUp = true;
    await hurry(service, endpoint);
    const [first, second] = await receiver.events("message.created", 2);
    expect(first!.body.data.message).toMatchObject({ body: "For members only" });
    expect(second!.body.data.message).toBeNull();
    expect(second!.id).toBe(first!.id);
  });
});

describe("the events of notifications and videos", () => {
  it("reach their user, with the resource as a GET returns it, or with ids only to an endpoint without the scope", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver();
    const events = ["notification.created", "video_upload.succeeded", "video_upload.failed"];
    const endpoint = await createEndpoint(ada, receiver, events, ["notifications:read", "video_uploads:read"]);
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
    // An endpoint is not sent the notification of its own creation, which is the oldest.
    expect(body.data.at(-1).kind).toBe("webhook_endpoint.created");
    expect(notified.map((it) => it.body.data.notification_id).sort()).toEqual(
      body.data
        .slice(0, -1)
        .map((it: { id: string }) => it.id)
        .sort(),
    );
  });
});

describe("an attempt that fails", () => {
  it("is repeated with the same webhook-id, and shows the response of the receiver", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end("Not today. ".repeat(200)));
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
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

  it("has the reason if there was no response, and a redirect is not followed", async () => {
    const ada = await service.as();
    await using elsewhere = await startReceiver();
    await using receiver = await startReceiver((_received, res) => res.writeHead(307, { Location: elsewhere.url }).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    expect(await (await testEvent(ada, endpoint)).reaches("pending")).toMatchObject({ response_status: 307 });
    receiver.respond = (_received, _res, req) => req.socket.destroy();
    const { reaches } = await testEvent(ada, endpoint);
    expect(await reaches("pending")).toMatchObject({ response_status: null, failure: "connection_failed" });
    expect(elsewhere.received).toEqual([]);
  });

  it("is the last one when the day of the event is over", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(503).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
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
  const echoing = () => startReceiver((received, res) => res.writeHead(200).end(received.text));
  const SECRET = "Words of another user";

  it("is not stored for an event that can contain text of other users, so that no key reads text without its scope", async () => {
    const [ada, ben] = [await service.as({ name: "Ada Zebra" }), await service.as()];
    await using receiver = await echoing();
    const endpoint = await createEndpoint(
      ben,
      receiver,
      ["message.created", "notification.created"],
      ["conversations:read", "notifications:read"],
    );
    // A key of the same user that can read deliveries, and no messages.
    const weak = await service.as({ scopes: ["webhook_endpoints:read"] });
    const { id: keyId } = await service.db.apiKey.findFirstOrThrow({ where: { userId: weak.userId } });
    await service.db.apiKey.update({ where: { id: keyId }, data: { userId: ben.userId } });
    await send(ada, await openConversation(ada, [ben]), SECRET);
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
    const ben = await service.as();
    await using receiver = await startReceiver();
    const endpoint = await createEndpoint(ben, receiver, ["message.created"]);
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

  const bytes = (...of: number[]) => Buffer.from(of);
  const repeated = (text: string, count: number) => Buffer.from(text.repeat(count));
  it.each([
    ["text", Buffer.from("Not here."), "Not here."],
    ["nothing", Buffer.alloc(0), ""],
    ["NUL", bytes(0x61, 0, 0x62), "a\uFFFDb"],
    ["only NUL", Buffer.alloc(2_000), "\uFFFD".repeat(1_024)],
    ["bytes that are not UTF-8", bytes(0x61, 0xff, 0x62), "a\uFFFDb"],
    ["only such bytes", Buffer.alloc(2_000, 0xff), "\uFFFD".repeat(1_024)],
    ["half of a surrogate pair", bytes(0x61, 0xed, 0xa0, 0x80, 0x62), "a\uFFFD\uFFFD\uFFFDb"],
    ["2,000 emoji", repeated("😀", 2_000), "😀".repeat(256)],
    ["a character that 1,024 bytes cut", repeated("€", 400), "€".repeat(341)],
    ["an emoji that 1,024 bytes cut", Buffer.concat([Buffer.from("a"), repeated("😀", 300)]), `a${"😀".repeat(255)}`],
    ["a character that the body itself cuts", bytes(0x61, 0xe2, 0x82), "a"],
  ])("is stored for a test event as text that can be read: %s", async (_what, answer, excerpt) => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(200).end(answer));
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const { path, reaches } = await testEvent(ada, endpoint);
    expect(await reaches("succeeded")).toMatchObject({ response_status: 200, response_excerpt: excerpt });
    for (const it of [path, `${endpoint.path}/deliveries`]) expect(await ada("GET", it)).toMatchObject({ status: 200 });
  });
});

describe("an endpoint that refuses its events", () => {
  it("gets one at a time, and not all that are pending", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    let open = 0;
    let openMax = 0;
    await using receiver = await startReceiver((_received, res) => {
      openMax = Math.max(openMax, ++open);
      // So long that requests of one batch are open together.
      setTimeout(() => {
        open--;
        res.writeHead(500).end();
      }, 100);
    });
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const conversation = await openConversation(ben, [ada]);
    for (let number = 0; number < 20; number++) await send(ben, conversation, `Message ${number}`);
    await receiver.events("message.created", 3);
    expect(openMax).toBe(1);
    expect(await becomes(ada, endpoint, "failing")).toMatchObject({ failing_since: expect.any(String) });
  });
});

describe("an event that the contract doesn't allow", () => {
  it.each([
    ["with a number out of range", { sequence: 0 }],
    ["without one of its ids", { message_id: undefined }],
  ])("never leaves: %s", async (_what, wrong) => {
    const ada = await service.as();
    await using receiver = await startReceiver();
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
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
});

describe("an endpoint", () => {
  it("is disabled after 410; its owner is notified, and its pending events fail", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    await using receiver = await startReceiver((_received, res) => res.writeHead(410).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    await (await testEvent(ada, endpoint)).reaches("pending").catch(() => undefined);
    await eventually("the endpoint to be disabled", async () => (await ada("GET", endpoint.path)).body.status === "disabled");
    expect((await ada("GET", endpoint.path)).body).toMatchObject({ disabled_because: "gone" });
    expect((await ada("GET", "/notifications?kind=webhook_endpoint.disabled")).body.data).toMatchObject([
      { resource: { type: "webhook_endpoint", id: endpoint.id, href: endpoint.path } },
    ]);
    await send(ben, await openConversation(ben, [ada]), "Hello");
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

  it("is disabled when nothing has arrived for 5 days, and its owner is notified", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    await (await testEvent(ada, endpoint)).reaches("pending");
    const failingSince = new Date(Date.now() - 5 * 24 * 3_600_000 - 1_000);
    await service.db.webhookEndpoint.updateMany({ where: { id: endpoint.id }, data: { failingSince } });
    await hurry(service, endpoint);
    await eventually(
      "the endpoint to be disabled",
      async () => (await ada("GET", endpoint.path)).body.disabled_because === "failing",
    );
    expect((await ada("GET", "/notifications?kind=webhook_endpoint.disabled")).body.data).toHaveLength(1);
  });

  it("gets signatures of both secrets for a day after a rotation, and then of the new one only", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver();
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const { body } = await ada("POST", `${endpoint.path}/secrets`, {});
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    const [both] = receiver.received;
    verify(both!, endpoint.secret);
    verify(both!, body.secret);
    await service.db.webhookEndpoint.updateMany({ where: { id: endpoint.id }, data: { previousSecretUntil: new Date() } });
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    const only = receiver.received[1]!;
    verify(only, body.secret);
    expect(() => verify(only, endpoint.secret)).toThrow("No matching signature found");
  });

  it("still gets signatures of the secret that its receiver uses after a rotation that was repeated", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver();
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
    const lost = (await ada("POST", `${endpoint.path}/secrets`, {})).body;
    const { body } = await ada("POST", `${endpoint.path}/secrets`, {});
    expect(body.previous_secret_expires_at).toBe(lost.previous_secret_expires_at);
    await (await testEvent(ada, endpoint)).reaches("succeeded");
    verify(receiver.received[0]!, endpoint.secret);
    verify(receiver.received[0]!, body.secret);
    expect(() => verify(receiver.received[0]!, lost.secret)).toThrow("No matching signature found");
  });

  it("gets nothing after it was deleted, and its deliveries are removed", async () => {
    const ada = await service.as();
    await using receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const endpoint = await createEndpoint(ada, receiver, ["message.created"]);
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
  });
});
