import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { openConversation, withKey } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { finished, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

/** A proxy to the database. PostgreSQL runs one chosen COMMIT or statement, but its response and the connection are lost. */
async function startLossyProxy(databaseUrl: string) {
  const wanted: Record<"commitOf" | "answerTo", string | null> = { commitOf: null, answerTo: null };
  let lost = 0;
  const proxy = await startTcpProxy(databaseUrl, (client, target) => {
    let [hasSaidIt, loses] = [false, false];
    client.on("data", (bytes) => {
      if (bytes.includes("BEGIN")) hasSaidIt = false;
      hasSaidIt ||= wanted.commitOf !== null && bytes.includes(wanted.commitOf);
      if (hasSaidIt && bytes.includes("COMMIT")) [loses, wanted.commitOf] = [true, null];
      if (wanted.answerTo !== null && bytes.includes(wanted.answerTo)) [loses, wanted.answerTo] = [true, null];
      target.write(bytes);
    });
    target.on("data", (bytes) => {
      if (!loses) return void client.write(bytes);
      lost++;
      client.destroy();
    });
  });
  return {
    ...proxy,
    lost: () => lost,
    /** Drops the response to the next COMMIT of a transaction that contains this text. */
    loseCommitOf: (text: string) => void (wanted.commitOf = text),
    /** Drops the response to the next statement with this text, which runs in its own transaction. */
    loseAnswerTo: (text: string) => void (wanted.answerTo = text),
  };
}

const database = prepare(() => startTestService({ ROLE: "api" }));
const proxy = prepare(() => startLossyProxy(database.databaseUrl));
// The proxy finds a statement by its text, which a session sends only once if the statement has a name.
const service = prepare(() =>
  startTestService({ ROLE: "api", DATABASE_URL: proxy.url, DATA_DIR: database.dataDir, PREPARED_STATEMENTS: "off" }),
);
const ada = prepare(() => service.as());

describe("after a COMMIT that succeeds but whose response is lost", () => {
  it.each([
    [
      "POST /urls",
      "short_urls",
      "INSERT INTO short_urls",
      () => ["/urls", { target_url: "https://www.example.com/doors" }] as const,
    ],
    ["POST /posts", "posts", "INSERT INTO posts", () => ["/posts", { title: "A plumb line", body: "x" }] as const],
    [
      "POST /conversations",
      "conversations",
      "INSERT INTO conversations",
      () => ["/conversations", { member_ids: [ada.userId] }] as const,
    ],
    ["POST /video-uploads", "video_uploads", null, () => ["/video-uploads", Buffer.from("not a video, but bytes")] as const],
  ])("a retry of %s gets the first response, and nothing is created twice", async (_what, table, statement, request) => {
    const [path, body] = request();
    const [key, before] = [withKey(randomUUID()), proxy.lost()];
    const count = async () =>
      Number((await database.db.$queryRawUnsafe<{ count: bigint }[]>(`SELECT count(*) AS count FROM ${table}`))[0]!.count);
    const rows = await count();
    if (statement === null) proxy.loseCommitOf(table);
    else proxy.loseAnswerTo(statement);
    expect(await ada("POST", path, body, key)).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(proxy.lost()).toBe(before + 1);
    const retry = await ada("POST", path, body, key);
    expect(retry.headers.get("idempotency-replayed")).toBe("true");
    expect(await ada("GET", retry.headers.get("location")!)).toMatchObject({ status: 200, body: { id: retry.body.id } });
    expect(await count()).toBe(rows + 1);
  });

  it("a retry of a message gets the first response, and creates no second message or notification", async () => {
    const yuki = await service.as();
    const conversation = await openConversation(ada, [yuki]);
    const key = withKey();
    proxy.loseAnswerTo("post_messages(");
    expect(await ada("POST", conversation.messages, { body: "Thursday?" }, key)).toMatchObject({ status: 503 });
    const retry = await ada("POST", conversation.messages, { body: "Thursday?" }, key);
    expect(retry.headers.get("idempotency-replayed")).toBe("true");
    expect((await yuki("GET", conversation.messages)).body.data).toEqual([retry.body]);
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toHaveLength(1);
  });

  it("clicks count once, also on their day, in the lost batch and in the next ones", async () => {
    const { body: url } = await ada("POST", "/urls", { target_url: "https://www.example.com/clicks" });
    const before = proxy.lost();
    const click = () => ada("GET", `/u/${url.id}`);
    const clicks = async () => (await ada("GET", `/urls/${url.id}`)).body.click_count as number;
    // Of the statement, which is then not committed, and of the COMMIT.
    for (const lose of [proxy.loseAnswerTo, proxy.loseCommitOf]) {
      const lost = proxy.lost();
      lose("UPDATE short_urls AS u");
      for (let n = 0; n < 5; n++) expect((await click()).status).toBe(302);
      await eventually("a lost answer", () => proxy.lost() > lost);
    }
    expect(proxy.lost()).toBe(before + 2);
    await click();
    // What is written again is written before this click, or with it.
    await eventually("the last click", async () => (await clicks()) >= 11);
    expect(await clicks()).toBe(11);
    expect((await ada("GET", `/urls/${url.id}/clicks`)).body.click_count).toBe(11);
  });

  it("an upload keeps its bytes, so that its job succeeds", async () => {
    const [clip, key] = [await smallClip(), withKey()];
    proxy.loseCommitOf("video_uploads");
    expect(await ada("POST", "/video-uploads", clip, key)).toMatchObject({ status: 503 });
    const { body: job } = await ada("POST", "/video-uploads", clip, key);
    expect((await storedFiles(database)).filter((it) => it.includes(job.id))).toHaveLength(1);
    await using _worker = await startWorkerOf(database);
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded" });
  });

  it("a job succeeds and keeps its results, and its worker continues with the next job", async () => {
    const job = await upload(ada, await smallClip());
    proxy.loseCommitOf("succeeded");
    const before = proxy.lost();
    const lossy = { databaseUrl: proxy.url, dataDir: database.dataDir };
    await using _worker = await startWorkerOf(lossy, { PREPARED_STATEMENTS: "off" });
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(proxy.lost()).toBe(before + 1);
    const next = await finished(ada, await upload(ada, await smallClip()));
    expect(next.status).toBe("succeeded");
    for (const it of [job, next]) expect(await ada("GET", `${uploadPath(it)}/poster`)).toMatchObject({ status: 200 });
    await eventually(
      "the notification of both",
      async () =>
        (await ada("GET", "/notifications?kind=video_upload.succeeded")).body.data.filter((it: { resource: { id: string } }) =>
          [job.id, next.id].includes(it.resource.id),
        ).length === 2,
    );
    // An attempt removes its folder after it has said how it ended.
    await eventually("no scratch folder", async () => (await storedFiles(database, "scratch")).length === 0);
  });
});
