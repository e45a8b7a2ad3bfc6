import { openAsBlob } from "node:fs";
import {
  createConversation, createMessage, createPost, createUrl, createVideoUpload, followUrl, getUrl, getVideoPoster,
  getVideoUpload, listNotifications, listPosts, updateNotification,
} from "./build/client/index.js";
// begin: first lines
import { getAccount } from "./build/client/index.js";
import { client } from "./build/client/client.gen.js";

// end
import { apiKey, apiUrl, check, checkPages, checkProblems, colleagueId, pause, present, step, target, videoPath } from "../typescript-steps.ts";

// begin: first lines
client.setConfig({ baseUrl: apiUrl, auth: apiKey });
const account = await getAccount();
// end

const me = present(account.data, "account");

await step(1, async () => {
  const created = present((await createUrl({ body: { target_url: target } })).data, "short URL");
  const followed = present((await followUrl({ path: { id: created.id }, redirect: "manual" })).response, "answer");
  check(followed.status === 302, `${followed.status} instead of 302`);
  check(followed.headers.get("Location") === target, "Location is not the target");
  return `${created.id} leads to its target`;
});

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) {
    made.unshift(present((await createPost({ body: { title, body: "Measured." } })).data, "post").id);
  }
  const query = { author: me.user_id, limit: 2 };
  const byCursor: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { data, page } = present((await listPosts({ query: after === undefined ? query : { ...query, after } })).data, "page");
    byCursor.push(...data.map(({ id }) => id));
    after = page.next_cursor;
  }
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const { data, page } = present((await listPosts({ query: { ...query, sort: "created_at", offset } })).data, "page");
    byOffset.push(...data.map(({ id }) => id));
    total = present(page.total, "total");
  }
  return checkPages(made, byCursor, byOffset);
});

await step(3, async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const conversation = present((await createConversation({ headers, body: { member_ids: [colleagueId] } })).data, "conversation");
  const send = () => createMessage({ path: { conversationId: conversation.id }, headers, body: { body: "The slates come on Thursday." } });
  const first = await send(), second = await send();
  check(present(first.data, "message").id === second.data?.id, "two ids");
  check(second.response?.headers.get("Idempotency-Replayed") === "true", "not replayed");
  return "sent twice, one message";
});

await step(4, async () => {
  let { data: job, response } = await createVideoUpload({ query: { name: "clip.mp4" }, body: await openAsBlob(videoPath) });
  while (job?.status === "queued" || job?.status === "processing") {
    await pause(present(response, "answer").headers.get("Retry-After"));
    ({ data: job, response } = await getVideoUpload({ path: { job_id: job.id } }));
  }
  check(job?.status === "succeeded", `the job ${job?.status}`);
  const result = present(job?.result, "result");
  const poster = present((await getVideoPoster({ path: { job_id: present(job, "job").id } })).data, "poster");
  check(poster.size === result.poster.size_bytes, "the poster is not whole");
  return `${result.duration_ms} ms of ${result.video_codec}, poster of ${poster.size} bytes`;
});

await step(5, async () => {
  const unread = present((await listNotifications({ query: { status: "unread", kind: "video_upload.succeeded" } })).data, "notifications");
  const path = { notification_id: present(unread.data[0], "notification").id };
  const read = present((await updateNotification({ path, body: { status: "read" } })).data, "notification");
  check(read.status === "read" && read.read_at !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const unknown = await getUrl({ path: { id: "no-such-url" } });
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await createUrl({ body: { target_url: target, id } });
  const taken = await createUrl({ body: { target_url: target, id } });
  const conflicting = await listPosts({ query: { offset: 0, after: "cursor" } });
  return checkProblems(...[unknown, taken, conflicting].map((it) => ({ status: it.response?.status, problem: it.error })));
});

await (await import("./since-1.1.0.ts")).goFurther();
await (await import("./since-1.2.0.ts")).receiveAndWait();
