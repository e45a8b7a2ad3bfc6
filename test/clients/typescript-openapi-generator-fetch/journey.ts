import { openAsBlob } from "node:fs";
import { apiKey, apiUrl, check, colleagueId, note, pause, present, step, videoPath } from "../typescript-steps.ts";
import {
  ConversationsApi, MessagesApi, NotificationKindFilter, NotificationStatus, NotificationsApi, PostSortOrder, PostsApi,
  ProblemFromJSON, ResponseError, UrlsApi, VideoUploadStatus, VideoUploadsApi,
} from "./build/client/index.ts";
// begin: first lines
import { Configuration, ServiceApi } from "./build/client/index.ts";

const configuration = new Configuration({ basePath: apiUrl, accessToken: apiKey });
const account = await new ServiceApi(configuration).getAccount();
// end

const [urls, posts, videos] = [new UrlsApi(configuration), new PostsApi(configuration), new VideoUploadsApi(configuration)];
const notifications = new NotificationsApi(configuration);
const target = "https://www.example.com/slates/order/5531";

/** The response of the error that a call throws. */
async function refused(call: Promise<unknown>): Promise<Response> {
  const error: unknown = await call.then(() => undefined, (thrown: unknown) => thrown);
  if (!(error instanceof ResponseError)) throw new Error("not refused", { cause: error });
  return error.response;
}

await step(1, async () => {
  const created = await urls.createUrl({ createUrlRequest: { targetUrl: target } });
  const followed = await refused(urls.followUrlRaw({ id: created.id }, { redirect: "manual" }));
  note("a 302 is a `ResponseError` with `redirect: \"manual\"`, and followed without it");
  check(followed.status === 302, `${followed.status} instead of 302`);
  check(followed.headers.get("Location") === target, "Location is not the target");
  return `${created.id} leads to its target`;
});

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) {
    made.unshift((await posts.createPost({ createPostRequest: { title, body: "Measured." } })).id);
  }
  const query = { author: account.userId, limit: 2 };
  const byCursor: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { data, page } = await posts.listPosts(after === undefined ? query : { ...query, after });
    byCursor.push(...data.map(({ id }) => id));
    after = page.nextCursor;
  }
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const { data, page } = await posts.listPosts({ ...query, sort: PostSortOrder.OldestPostFirst, offset });
    byOffset.push(...data.map(({ id }) => id));
    total = present(page.total, "total");
  }
  check(byCursor.join() === made.join(), "paging by cursor does not give the posts, newest first");
  check(byOffset.join() === made.toReversed().join(), "paging by offset does not give the posts, oldest first");
  return "5 posts by cursor and by offset";
});

await step(3, async () => {
  const idempotencyKey = crypto.randomUUID();
  const conversation = await new ConversationsApi(configuration).createConversation({
    idempotencyKey, createConversationRequest: { memberIds: new Set([colleagueId]) },
  });
  const send = () => new MessagesApi(configuration).createMessageRaw({
    conversationId: conversation.id, idempotencyKey, createMessageRequest: { body: "The slates come on Thursday." },
  });
  note("a list without duplicates is a `Set`");
  const first = await send(), second = await send();
  check((await first.value()).id === (await second.value()).id, "two ids");
  check(second.raw.headers.get("Idempotency-Replayed") === "true", "not replayed");
  return "sent twice, one message";
});

await step(4, async () => {
  let answer = await videos.createVideoUploadRaw({ body: await openAsBlob(videoPath), name: "clip.mp4" });
  let job = await answer.value();
  while (job.status === VideoUploadStatus.Queued || job.status === VideoUploadStatus.Processing) {
    await pause(answer.raw.headers.get("Retry-After"));
    answer = await videos.getVideoUploadRaw({ jobId: job.id });
    job = await answer.value();
  }
  note("headers are in the `raw` response of the functions whose names end with `Raw`");
  check(job.status === VideoUploadStatus.Succeeded, `the job ${job.status}`);
  const result = present(job.result, "result");
  const poster = await videos.getVideoPoster({ jobId: job.id });
  check(poster.size === result.poster.sizeBytes, "the poster is not whole");
  return `${result.durationMs} ms of ${result.videoCodec}, poster of ${poster.size} bytes`;
});

await step(5, async () => {
  const filter = { status: NotificationStatus.Unread, kind: NotificationKindFilter.VideoUploadSucceeded };
  const unread = await notifications.listNotifications(filter);
  const read = await notifications.updateNotification({
    notificationId: present(unread.data[0], "notification").id, updateNotificationRequest: { status: NotificationStatus.Read },
  });
  check(read.status === NotificationStatus.Read && read.readAt !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await urls.createUrl({ createUrlRequest: { targetUrl: target, id } });
  const refusals = [
    await refused(urls.getUrl({ id: "no-such-url" })),
    await refused(urls.createUrl({ createUrlRequest: { targetUrl: target, id } })),
    await refused(posts.listPosts({ offset: 0, after: "cursor" })),
  ];
  const problems = await Promise.all(refusals.map(async (it) => ProblemFromJSON(await it.json())));
  note("a `ResponseError` has the problem as a response; read it with `ProblemFromJSON`");
  const seen = problems.map(({ status, code }) => `${status} ${code}`);
  check(seen.join() === "404 not_found,409 id_taken,400 conflicting_parameters", seen.join());
  check(problems[2]?.errors?.length === 2, "the two parameters are not named");
  return seen.join(", ");
});
