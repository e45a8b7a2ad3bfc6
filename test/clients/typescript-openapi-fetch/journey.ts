import { readFile } from "node:fs/promises";
import { apiKey, apiUrl, check, checkPages, checkProblems, colleagueId, note, pause, present, step, target, videoPath } from "../typescript-steps.ts";
// begin: first lines
import createClient from "openapi-fetch";
import type { paths } from "./build/openapi.d.ts";

const api = createClient<paths>({ baseUrl: apiUrl, headers: { Authorization: `Bearer ${apiKey}` } });
const account = await api.GET("/account");
// end

const me = present(account.data, "account");

await step(1, async () => {
  const created = present((await api.POST("/urls", { body: { target_url: target } })).data, "short URL");
  const followed = await api.GET("/u/{id}", { params: { path: { id: created.id } }, redirect: "manual" });
  check(followed.response.status === 302, `${followed.response.status} instead of 302`);
  check(followed.response.headers.get("Location") === target, "Location is not the target");
  return `${created.id} leads to its target`;
});

await step(2, async () => {
  const made: string[] = [];
  for (const title of ["one", "two", "three", "four", "five"]) {
    made.unshift(present((await api.POST("/posts", { body: { title, body: "Measured." } })).data, "post").id);
  }
  const query = { author: me.user_id, limit: 2 } as const;
  const byCursor: string[] = [];
  // begin: how to page
  for (let after: string | null | undefined; after !== null;) {
    const { data: page } = await api.GET("/posts", { params: { query: { ...query, ...(after === undefined ? {} : { after }) } } });
    if (page === undefined) throw new Error("no page");
    byCursor.push(...page.data.map(({ id }) => id));
    after = page.page.next_cursor;
  }
  // end
  const byOffset: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += query.limit) {
    const page = present((await api.GET("/posts", { params: { query: { ...query, sort: "created_at", offset } } })).data, "page");
    byOffset.push(...page.data.map(({ id }) => id));
    total = present(page.page.total, "total");
  }
  return checkPages(made, byCursor, byOffset);
});

await step(3, async () => {
  // begin: how to retry
  const header = { "Idempotency-Key": crypto.randomUUID() };
  // end
  const conversation = present((await api.POST("/conversations", { params: { header }, body: { member_ids: [colleagueId] } })).data, "conversation");
  // begin: how to retry
  const send = () => api.POST("/conversations/{conversationId}/messages", {
    params: { path: { conversationId: conversation.id }, header }, body: { body: "The slates come on Thursday." },
  });
  // end
  const first = await send(), second = await send();
  check(present(first.data, "message").id === second.data?.id, "two ids");
  check(second.response.headers.get("Idempotency-Replayed") === "true", "not replayed");
  return "sent twice, one message";
});

await step(4, async () => {
  const bytes = await readFile(videoPath);
  const accepted = await api.POST("/video-uploads", {
    params: { query: { name: "clip.mp4" } }, headers: { "Content-Type": "application/octet-stream" },
    body: bytes as unknown as string, bodySerializer: (body) => body,
  });
  note("a binary body is typed as `string`; to send bytes, use a cast, a `bodySerializer` and the `Content-Type`");
  // begin: how to wait
  let { data, response } = accepted as { data?: typeof accepted.data; response: Response };
  while (present(data, "job").status === "queued" || data?.status === "processing") {
    await pause(response.headers.get("Retry-After"));
    ({ data, response } = await api.GET("/video-uploads/{job_id}", { params: { path: { job_id: present(data, "job").id } } }));
  }
  // end
  check(data?.status === "succeeded", `the job ${data?.status}`);
  const result = present(data?.result, "result");
  const poster = await api.GET("/video-uploads/{job_id}/poster", { params: { path: { job_id: present(data, "job").id } }, parseAs: "blob" });
  check(poster.data?.size === result.poster.size_bytes, "the poster is not whole");
  return `${result.duration_ms} ms of ${result.video_codec}, poster of ${result.poster.size_bytes} bytes`;
});

await step(5, async () => {
  const query = { status: "unread", kind: "video_upload.succeeded" } as const;
  const unread = present((await api.GET("/notifications", { params: { query } })).data, "notifications");
  const params = { path: { notification_id: present(unread.data[0], "notification").id } };
  const read = present((await api.PATCH("/notifications/{notification_id}", { params, body: { status: "read" } })).data, "notification");
  check(read.status === "read" && read.read_at !== null, "not marked");
  return `read ${read.kind}`;
});

await step(6, async () => {
  const unknown = await api.GET("/urls/{id}", { params: { path: { id: "no-such-url" } } });
  const id = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await api.POST("/urls", { body: { target_url: target, id } });
  const taken = await api.POST("/urls", { body: { target_url: target, id } });
  const conflicting = await api.GET("/posts", { params: { query: { offset: 0, after: "cursor" } } });
  return checkProblems(...[unknown, taken, conflicting].map((it) => ({ status: it.response.status, problem: it.error })));
});

await (await import("./since-1.1.0.ts")).goFurther(api);
await (await import("./since-1.2.0.ts")).receiveAndWait(api);
