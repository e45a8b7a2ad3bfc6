import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { waitingReach } from "../support/metrics.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { startPair } from "./support/waiting.ts";

const LONG = 30;
const BADGE = `/notifications?status=unread&limit=1`;
const service = prepare(() => startTestService({ ROLE: "api", METRICS_PORT: "0" }));

const ifNoneMatch = (etag: string | null) => ({ headers: { "If-None-Match": etag! } });

/** The next badge that differs from the present one. */
async function nextBadge(reader: Client) {
  const { headers } = await reader("GET", BADGE);
  return { changed: reader("GET", `${BADGE}&wait=${LONG}`, undefined, ifNoneMatch(headers.get("etag"))) };
}

describe("GET /notifications with wait", () => {
  it("returns the first notification of an empty page as soon as there is one", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const waiting = bo("GET", `/notifications?wait=${LONG}`);
    await waitingReach(service, 1);
    await openConversation(ada, [bo]);
    expect((await waiting).body).toMatchObject({ data: [{ kind: "conversation.member_added" }], unread_count: 1 });
  });

  it("returns the notification of a user as soon as the user is added to a conversation that exists", async () => {
    const [ada, bo, cy] = [await service.as(), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [cy]);
    const waiting = bo("GET", `/notifications?wait=${LONG}`);
    await waitingReach(service, 1);
    expect((await ada("PUT", `${conversation.members}/${bo.userId}`)).status).toBe(201);
    const startedMs = performance.now();
    expect((await waiting).body).toMatchObject({ data: [{ kind: "conversation.member_added" }], unread_count: 1 });
    // Otherwise the response comes at the end of the wait, with the same body.
    expect(performance.now() - startedMs).toBeLessThan((LONG * 1_000) / 2);
  });

  it("with If-None-Match, returns each further event: a message, one that is counted, another member's reading elsewhere", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [bo]);
    const first = await nextBadge(bo);
    await waitingReach(service, 1);
    await send(ada, conversation, "One");
    expect((await first.changed).body).toMatchObject({ data: [{ event_count: 1 }], unread_count: 2 });
    const second = await nextBadge(bo);
    await waitingReach(service, 1);
    await send(ada, conversation, "Two");
    const { body } = await second.changed;
    expect(body).toMatchObject({ data: [{ event_count: 2, body: "Two" }], unread_count: 2 });
    // In another window of the same user.
    const third = await nextBadge(bo);
    await waitingReach(service, 1);
    await bo("PATCH", "/notifications", { status: "read", seen: body.seen });
    expect((await third.changed).body).toMatchObject({ data: [], unread_count: 0 });
  });

  it("with If-None-Match, returns 304 after the timeout if the page stays the same", async () => {
    const bo = await service.as();
    const { headers } = await bo("GET", BADGE);
    const startedMs = performance.now();
    expect((await bo("GET", `${BADGE}&wait=1`, undefined, ifNoneMatch(headers.get("etag")))).status).toBe(304);
    // A timer counts whole milliseconds from the beginning of one, so it can be less than a millisecond early.
    expect(Math.ceil(performance.now() - startedMs)).toBeGreaterThanOrEqual(1_000);
  });

  it("continues to wait when a message concerns a muted conversation, and ends with the next notification", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const [muted, other] = [await openConversation(ada, [bo]), await openConversation(ada, [bo])];
    await bo("PUT", `${muted.path}/mute`);
    const { changed } = await nextBadge(bo);
    await waitingReach(service, 1);
    await send(ada, muted, "Not for bo");
    await send(ada, other, "For bo");
    expect((await changed).body).toMatchObject({ data: [{ body: "For bo" }] });
  });

  it("ends when the user reads a conversation elsewhere, or marks one notification", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [bo]);
    await send(ada, conversation, "One");
    const first = await nextBadge(bo);
    await waitingReach(service, 1);
    expect((await bo("PUT", `${conversation.path}/read-position`, { sequence: 1 })).status).toBe(200);
    expect((await first.changed).body.unread_count).toBe(0);
    await send(ada, conversation, "Two");
    const second = await nextBadge(bo);
    await waitingReach(service, 1);
    const [one] = (await bo("GET", BADGE)).body.data;
    expect((await bo("PATCH", `/notifications/${one.id}`, { status: "read" })).status).toBe(200);
    expect((await second.changed).body.unread_count).toBe(0);
  });

  it("ends when the user answers, also in a muted conversation, or is removed from the conversation", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [bo]);
    await send(ada, conversation, "One");
    await bo("PUT", `${conversation.path}/mute`);
    const first = await nextBadge(bo);
    await waitingReach(service, 1);
    await send(bo, conversation, "An answer");
    expect((await first.changed).body.unread_count).toBe(0);
    await bo("DELETE", `${conversation.path}/mute`);
    await send(ada, conversation, "Two");
    const second = await nextBadge(bo);
    await waitingReach(service, 1);
    expect((await ada("DELETE", `${conversation.members}/${bo.userId}`)).status).toBe(204);
    expect((await second.changed).body.unread_count).toBe(0);
  });

  it("does not wait for notifications older than the cursor", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    await openConversation(ada, [bo]);
    await openConversation(ada, [bo]);
    const { body } = await bo("GET", "/notifications?limit=1");
    const [last] = (await bo("GET", `/notifications?limit=1&after=${body.page.next_cursor}`)).body.data;
    await service.db.notification.deleteMany({ where: { id: last.id } });
    expect((await bo("GET", `/notifications?limit=1&after=${body.page.next_cursor}&wait=${LONG}`)).body.data).toEqual([]);
  });

  it("returns a notification that another process has made", async () => {
    await using pair = await startPair({ ROLE: "api", METRICS_PORT: "0" });
    const { ada, bo, conversation } = await pair.withMessage();
    const { changed } = await nextBadge(bo);
    await waitingReach(pair.other, 1);
    await send(ada, conversation, "Two");
    expect((await changed).body).toMatchObject({ data: [{ body: "Two" }] });
  });
});
