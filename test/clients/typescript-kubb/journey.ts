import { openAsBlob } from "node:fs";
import { Refusal } from "./authorized-fetch.ts";
import { createConversation } from "./build/client/calls/createConversation.ts";
import { createMessage } from "./build/client/calls/createMessage.ts";
import { createPost } from "./build/client/calls/createPost.ts";
import { createUrl } from "./build/client/calls/createUrl.ts";
import { createVideoUpload } from "./build/client/calls/createVideoUpload.ts";
import { followUrl } from "./build/client/calls/followUrl.ts";
import { getUrl } from "./build/client/calls/getUrl.ts";
import { getVideoPoster } from "./build/client/calls/getVideoPoster.ts";
import { getVideoUpload } from "./build/client/calls/getVideoUpload.ts";
import { listNotifications } from "./build/client/calls/listNotifications.ts";
import { listPosts } from "./build/client/calls/listPosts.ts";
import { updateNotification } from "./build/client/calls/updateNotification.ts";
import { problemSchema } from "./build/client/zod/problemSchema.ts";
import { check, colleagueId, note, pause, present, step, videoPath } from "../typescript-steps.ts";
// begin: first lines
import { getAccount } from "./build/client/calls/getAccount.ts";

const account = await getAccount();
// end

const target = "https://www.example.com/slates/order/5531";

/** The problem of the error that a call throws. */
async function refused(call: Promise<unknown>) {
  const error: unknown = await call.then(() => undefined, (thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new Error("not refused", { cause: error });
  return problemSchema.parse(error.problem);
}

await step(1, async () => {
  const { data: created } = await createUrl({ target_url: target });
  const followed = await followUrl(created.id, { redirect: "manual" });
  check(followed.status === 302, `${followed.status} instead of 302`);
  check(followed.headers.get("Location") === target, "Location is not the target");
  return `${created.id} leads to its target`;
});

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) made.unshift((await createPost({ title, body: "Measured." })).data.id);
  const query = { author: account.data.user_id, limit: 2 };
  const byCursor: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { data: page } = await listPosts(after === undefined ? query : { ...query, after });
    byCursor.push(...page.data.map(({ id }) => id));
    after = page.page.next_cursor;
  }
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const { data: page } = await listPosts({ ...query, sort: "created_at", offset });
    byOffset.push(...page.data.map(({ id }) => id));
    total = present(page.page.total, "total");
  }
  check(byCursor.join() === made.join(), "paging by cursor does not give the posts, newest first");
  check(byOffset.join() === made.toReversed().join(), "paging by offset does not give the posts, oldest first");
  return "5 posts by cursor and by offset";
});

await step(3, async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const { data: conversation } = await createConversation({ member_ids: [colleagueId] }, headers);
  const send = () => createMessage(conversation.id, { body: "The slates come on Thursday." }, headers);
  const first = await send(), second = await send();
  check(first.data.id === second.data.id, "two ids");
  check(second.headers.get("Idempotency-Replayed") === "true", "not replayed");
  return "sent twice, one message";
});

await step(4, async () => {
  let { data: job, headers } = await createVideoUpload(new File([await openAsBlob(videoPath)], "clip.mp4"), { name: "clip.mp4" });
  while (job.status === "queued" || job.status === "processing") {
    await pause(headers.get("Retry-After"));
    ({ data: job, headers } = await getVideoUpload(job.id));
  }
  check(job.status === "succeeded", `the job ${job.status}`);
  const result = present(job.result, "result");
  const { data: poster } = await getVideoPoster(job.id);
  check(poster.size === result.poster.size_bytes, "the poster is not whole");
  return `${result.duration_ms} ms of ${result.video_codec}, poster of ${poster.size} bytes`;
});

await step(5, async () => {
  const { data: unread } = await listNotifications({ status: "unread", kind: "video_upload.succeeded" });
  const { data: read } = await updateNotification(present(unread.data[0], "notification").id, { status: "read" });
  check(read.status === "read" && read.read_at !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await createUrl({ target_url: target, id });
  const problems = [
    await refused(getUrl("no-such-url")),
    await refused(createUrl({ target_url: target, id })),
    await refused(listPosts({ offset: 0, after: "cursor" })),
  ];
  const seen = problems.map(({ status, code }) => `${status} ${code}`);
  check(seen.join() === "404 not_found,409 id_taken,400 conflicting_parameters", seen.join());
  check(problems[2]?.errors?.length === 2, "the two parameters are not named");
  note("the default client sends no bytes and throws no problems; write your own, as above");
  return seen.join(", ");
});
