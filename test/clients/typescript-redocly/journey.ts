import { openAsBlob } from "node:fs";
import { apiKey, apiUrl, check, colleagueId, note, pause, present, step, videoPath } from "../typescript-steps.ts";
import type { Problem } from "./build/client.js";
// begin: first lines
import { client } from "./build/client.js";

client.configure({ serverUrl: apiUrl, auth: { bearer: apiKey } });
const account = await client.getAccount();
// end

const me = present(account.data, "account");
const target = "https://www.example.com/slates/order/5531";

await step(1, async () => {
  const created = present((await client.createUrl({ body: { target_url: target } })).data, "short URL");
  const { response } = await client.followUrl({ path: { id: created.id } }, { redirect: "manual" });
  check(response.status === 302, `${response.status} instead of 302`);
  check(response.headers.get("Location") === target, "Location is not the target");
  note("a 302 is an error; read `Location` from the raw response");
  return `${created.id} leads to its target`;
});

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) {
    made.unshift(present((await client.createPost({ body: { title, body: "Measured." } })).data, "post").id);
  }
  const query = { author: me.user_id, limit: 2 };
  const byCursor: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { data, page } = present((await client.listPosts({ query: after === undefined ? query : { ...query, after } })).data, "page");
    byCursor.push(...data.map(({ id }) => id));
    after = page.next_cursor;
  }
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const { data, page } = present((await client.listPosts({ query: { ...query, sort: "created_at", offset } })).data, "page");
    byOffset.push(...data.map(({ id }) => id));
    total = present(page.total, "total");
  }
  check(byCursor.join() === made.join(), "paging by cursor does not give the posts, newest first");
  check(byOffset.join() === made.toReversed().join(), "paging by offset does not give the posts, oldest first");
  return "5 posts by cursor and by offset";
});

await step(3, async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const conversation = present((await client.createConversation({ headers, body: { member_ids: [colleagueId] } })).data, "conversation");
  const send = () => client.createMessage({ path: { conversationId: conversation.id }, headers, body: { body: "The slates come on Thursday." } });
  const first = await send(), second = await send();
  check(present(first.data, "message").id === second.data?.id, "two ids");
  check(second.response.headers.get("Idempotency-Replayed") === "true", "not replayed");
  return "sent twice, one message";
});

await step(4, async () => {
  let { data: job, response } = await client.createVideoUpload({ query: { name: "clip.mp4" }, body: await openAsBlob(videoPath) });
  while (job?.status === "queued" || job?.status === "processing") {
    await pause(response.headers.get("Retry-After"));
    ({ data: job, response } = await client.getVideoUpload({ path: { job_id: job.id } }));
  }
  check(job?.status === "succeeded", `the job ${job?.status}`);
  const result = present(job?.result, "result");
  const poster = present((await client.getVideoPoster({ path: { job_id: present(job, "job").id } })).data, "poster");
  check(poster.size === result.poster.size_bytes, "the poster is not whole");
  return `${result.duration_ms} ms of ${result.video_codec}, poster of ${poster.size} bytes`;
});

await step(5, async () => {
  const unread = present((await client.listNotifications({ query: { status: "unread", kind: "video_upload.succeeded" } })).data, "notifications");
  const path = { notification_id: present(unread.data[0], "notification").id };
  const read = present((await client.updateNotification({ path, body: { status: "read" } })).data, "notification");
  check(read.status === "read" && read.read_at !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const unknown = await client.getUrl({ path: { id: "no-such-url" } });
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await client.createUrl({ body: { target_url: target, id } });
  const taken = await client.createUrl({ body: { target_url: target, id } });
  const conflicting = await client.listPosts({ query: { offset: 0, after: "cursor" } });
  const problems = [unknown, taken, conflicting].map(({ response, error }) => `${response.status} ${(error satisfies Problem | undefined)?.code}`);
  check(problems.join() === "404 not_found,409 id_taken,400 conflicting_parameters", problems.join());
  check(conflicting.error?.errors?.length === 2, "the two parameters are not named");
  return problems.join(", ");
});
