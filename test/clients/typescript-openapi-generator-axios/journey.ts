import { readFile } from "node:fs/promises";
import { isAxiosError, type AxiosResponse } from "axios";
import { apiKey, apiUrl, check, colleagueId, note, pause, present, step, videoPath } from "../typescript-steps.ts";
import {
  ConversationsApi, MessagesApi, NotificationKindFilter, NotificationStatus, NotificationsApi, PostSortOrder, PostsApi, UrlsApi,
  VideoUploadStatus, VideoUploadsApi, type Problem,
} from "./build/client/index.ts";
// begin: first lines
import { Configuration, ServiceApi } from "./build/client/index.ts";

const configuration = new Configuration({ basePath: apiUrl, accessToken: apiKey });
const { data: account } = await new ServiceApi(configuration).getAccount();
// end

const [urls, posts, videos] = [new UrlsApi(configuration), new PostsApi(configuration), new VideoUploadsApi(configuration)];
const notifications = new NotificationsApi(configuration);
const target = "https://www.example.com/slates/order/5531";

/** The refusal that a call throws. */
async function refused(call: Promise<unknown>): Promise<AxiosResponse<Problem>> {
  const error: unknown = await call.then(() => undefined, (thrown: unknown) => thrown);
  if (!isAxiosError<Problem>(error)) throw new Error("not refused", { cause: error });
  return present(error.response, "response");
}

await step(1, async () => {
  const { data: created } = await urls.createUrl({ createUrlRequest: { target_url: target } });
  const followed = await refused(urls.followUrl({ id: created.id }, { maxRedirects: 0 }));
  note("a 302 is an error with `maxRedirects: 0`, and followed without it");
  check(followed.status === 302, `${followed.status} instead of 302`);
  check(followed.headers["location"] === target, "Location is not the target");
  return `${created.id} leads to its target`;
});

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) {
    made.unshift((await posts.createPost({ createPostRequest: { title, body: "Measured." } })).data.id);
  }
  const query = { author: account.user_id, limit: 2 };
  const byCursor: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { data: page } = await posts.listPosts(after === undefined ? query : { ...query, after });
    byCursor.push(...page.data.map(({ id }) => id));
    after = page.page.next_cursor;
  }
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const { data: page } = await posts.listPosts({ ...query, sort: PostSortOrder.OldestPostFirst, offset });
    byOffset.push(...page.data.map(({ id }) => id));
    total = present(page.page.total, "total");
  }
  check(byCursor.join() === made.join(), "paging by cursor does not give the posts, newest first");
  check(byOffset.join() === made.toReversed().join(), "paging by offset does not give the posts, oldest first");
  return "5 posts by cursor and by offset";
});

await step(3, async () => {
  const idempotencyKey = crypto.randomUUID();
  const { data: conversation } = await new ConversationsApi(configuration).createConversation({
    idempotencyKey, createConversationRequest: { member_ids: new Set([colleagueId]) },
  });
  const send = () => new MessagesApi(configuration).createMessage({
    conversationId: conversation.id, idempotencyKey, createMessageRequest: { body: "The slates come on Thursday." },
  });
  const first = await send(), second = await send();
  check(first.data.id === second.data.id, "two ids");
  check(second.headers["idempotency-replayed"] === "true", "not replayed");
  note("a list without duplicates is a `Set`");
  return "sent twice, one message";
});

await step(4, async () => {
  const body = new File([await readFile(videoPath)], "clip.mp4");
  let { data: job, headers } = await videos.createVideoUpload({ body, name: "clip.mp4" });
  while (job.status === VideoUploadStatus.Queued || job.status === VideoUploadStatus.Processing) {
    await pause(headers["retry-after"] as string | null);
    ({ data: job, headers } = await videos.getVideoUpload({ jobId: job.id }));
  }
  check(job.status === VideoUploadStatus.Succeeded, `the job ${job.status}`);
  const result = present(job.result, "result");
  const poster = await videos.getVideoPoster({ jobId: job.id }, { responseType: "arraybuffer" });
  note("in Node, a binary response needs `responseType: \"arraybuffer\"`");
  const { byteLength } = poster.data as unknown as Buffer;
  check(byteLength === result.poster.size_bytes, "the poster is not whole");
  return `${result.duration_ms} ms of ${result.video_codec}, poster of ${byteLength} bytes`;
});

await step(5, async () => {
  const filter = { status: NotificationStatus.Unread, kind: NotificationKindFilter.VideoUploadSucceeded };
  const { data: unread } = await notifications.listNotifications(filter);
  const { data: read } = await notifications.updateNotification({
    notificationId: present(unread.data[0], "notification").id, updateNotificationRequest: { status: NotificationStatus.Read },
  });
  check(read.status === NotificationStatus.Read && read.read_at !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await urls.createUrl({ createUrlRequest: { target_url: target, id } });
  const refusals = [
    await refused(urls.getUrl({ id: "no-such-url" })),
    await refused(urls.createUrl({ createUrlRequest: { target_url: target, id } })),
    await refused(posts.listPosts({ offset: 0, after: "cursor" })),
  ];
  const problems = refusals.map(({ status, data }) => `${status} ${data.code}`);
  check(problems.join() === "404 not_found,409 id_taken,400 conflicting_parameters", problems.join());
  check(refusals[2]?.data.errors?.length === 2, "the two parameters are not named");
  return problems.join(", ");
});
