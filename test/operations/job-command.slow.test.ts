import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { PgBoss } from "pg-boss";
import { eventually } from "../support/eventually.ts";
import { plumbline, plumblineJson } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { smallClip, upload } from "../support/videos.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const settings = () => ({ NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir });
const job = (...args: readonly string[]) => plumblineJson(settings(), "job", ...args);
const failed = (id: string, attempts: number) =>
  eventually(
    "the failed job",
    async () => (await job("list")).lines.find((it) => it.id === id && it.attempts === attempts),
    60_000,
    200,
  );

describe("plumbline job", () => {
  it("shows a failed job with its error, gives it one more attempt by a running worker, and discards it", async () => {
    await using _worker = await startWorkerOf(service);
    const id = randomUUID();
    await using stack = new AsyncDisposableStack();
    const connection = { connectionString: service.databaseUrl, supervise: false, schedule: false };
    const boss = stack.adopt(new PgBoss(connection), (it) => it.stop({ graceful: false }));
    boss.on("error", () => undefined);
    await boss.start();
    // As a job that an earlier version has left, which this version can't read.
    await boss.send("leftovers", { work: "remove_conversation", conversationId: "not an id" }, { id, retryLimit: 0 });
    expect(await failed(id, 1)).toMatchObject({
      queue: "leftovers",
      work: "remove_conversation",
      state: "failed",
      error: expect.stringContaining("UUID"),
      data: { conversationId: "not an id" },
    });
    expect((await plumbline(settings(), "job", "list", "leftovers")).stdout).toMatch(
      /remove_conversation failed for .*, attempt 1: .*UUID/s,
    );
    await job("retry", "leftovers", id);
    await failed(id, 2);
    expect((await job("list", "maintenance")).lines).toEqual([]);
    expect((await job("count")).lines).toContainEqual(expect.objectContaining({ queue: "leftovers", waiting: 0 }));
    expect((await plumbline(settings(), "job", "discard", "leftovers", id)).stderr).toMatch(
      /never done\. Nothing was changed\. Add --yes/,
    );
    await job("discard", "leftovers", id, "--yes");
    expect((await job("list")).lines).toEqual([]);
    expect((await plumbline(settings(), "job", "retry", "leftovers", id)).stderr).toMatch(/has no job .* that is failed/);
  });

  it("leaves the job of a video to the command for videos, which keeps its row in agreement", async () => {
    const ada = await service.as();
    const { id } = await upload(ada, await smallClip());
    expect((await job("list", "video-uploads", "--state", "created")).lines).toMatchObject([{ id, state: "created" }]);
    for (const args of [
      ["retry", "video-uploads", id],
      ["discard", "video-uploads", id, "--yes"],
    ])
      expect(await plumbline(settings(), "job", ...args)).toMatchObject({
        exit: 1,
        stderr: expect.stringMatching(/Use npm run -s plumbline -- video retry/),
      });
  });
});
