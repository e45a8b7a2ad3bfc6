import { openAsBlob } from "node:fs";
import { expect } from "./expect.ts";
import { check, checkPages, checkProblems, colleagueId, pause, present, step, target, videoPath } from "../typescript-steps.ts";
import {
  createConversation, createMessage, createPost, createUrl, createVideoUpload, followUrl, getUrl, getVideoPoster,
  getVideoUpload, listNotifications, listPosts, updateNotification, type Post,
} from "./build/client.ts";
// begin: first lines
import { getAccount } from "./build/client.ts";

const account = await getAccount();
// end

await step(1, async () => {
  const { data: created } = expect(await createUrl({ target_url: target }), 201);
  const followed = expect(await followUrl(created.id, { redirect: "manual" }), 302);
  check(followed.headers.get("Location") === target, "Location is not the target");
  return `${created.id} leads to its target`;
});

const { data: me } = expect(account, 200);

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) {
    made.unshift(expect(await createPost({ title, body: "Measured." }), 201).data.id);
  }
  const query = { author: me.user_id, limit: 2 };
  const ids = (posts: Post[]) => posts.map(({ id }) => id);
  const byCursor: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { data } = expect(await listPosts(after === undefined ? query : { ...query, after }), 200);
    byCursor.push(...ids(data.data));
    after = data.page.next_cursor;
  }
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const { data } = expect(await listPosts({ ...query, sort: "created_at", offset }), 200);
    byOffset.push(...ids(data.data));
    total = present(data.page.total, "total");
  }
  return checkPages(made, byCursor, byOffset);
});

await step(3, async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const { data: conversation } = expect(await createConversation({ member_ids: [colleagueId] }, headers), 201);
  const send = async () => expect(await createMessage(conversation.id, { body: "The slates come on Thursday." }, headers), 201);
  const first = await send(), second = await send();
  check(first.data.id === second.data.id, "two ids");
  check(second.headers.get("Idempotency-Replayed") === "true", "not replayed");
  return "sent twice, one message";
});

await step(4, async () => {
  const accepted = expect(await createVideoUpload(await openAsBlob(videoPath), { name: "clip.mp4" }), 202);
  let { data: job, headers } = accepted;
  while (job.status === "queued" || job.status === "processing") {
    await pause(headers.get("Retry-After"));
    ({ data: job, headers } = expect(await getVideoUpload(job.id), 200));
  }
  check(job.status === "succeeded", `the job ${job.status}`);
  const result = present(job.result, "result");
  const { data: poster } = expect(await getVideoPoster(job.id), 200);
  check(poster.size === result.poster.size_bytes, "the poster is not whole");
  return `${result.duration_ms} ms of ${result.video_codec}, poster of ${poster.size} bytes`;
});

await step(5, async () => {
  const { data: unread } = expect(await listNotifications({ status: "unread", kind: "video_upload.succeeded" }), 200);
  const { data: read } = expect(await updateNotification(present(unread.data[0], "notification").id, { status: "read" }), 200);
  check(read.status === "read" && read.read_at !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const unknown = expect(await getUrl("no-such-url"), 404);
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  expect(await createUrl({ target_url: target, id }), 201);
  const taken = expect(await createUrl({ target_url: target, id }), 409);
  const conflicting = expect(await listPosts({ offset: 0, after: "cursor" }), 400);
  return checkProblems(...[unknown, taken, conflicting].map(({ status, data }) => ({ status, problem: data })));
});

await (await import("./since-1.1.0.ts")).goFurther();
await (await import("./since-1.2.0.ts")).receiveAndWait();
