import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { PgBoss } from "pg-boss";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { plumbline, plumblineJson, type Settings } from "../support/plumbline.ts";
import { smallClip, upload } from "../support/videos.ts";

const deployment = prepareForEach(createDeployment);
let settings: Settings;
beforeEach(() => {
  settings = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
});

const job = (...args: readonly string[]) => plumblineJson(settings, "job", ...args);
const failed = (id: string, attempts: number) =>
  eventually(
    "the failed job",
    async () => (await job("list")).lines.find((it) => it.id === id && it.attempts === attempts),
    60_000,
    200,
  );

describe("plumbline job", () => {
  it("shows a failed job with its error, gives it one more attempt by a running worker, and discards it", async () => {
    await deployment.start("worker");
    const id = randomUUID();
    await using boss = await sender();
    // As a job that an earlier version has left, which this version can't read.
    await boss.send("leftovers", { work: "remove_conversation", conversationId: "not an id" }, { id, retryLimit: 0 });
    expect(await failed(id, 1)).toMatchObject({
      queue: "leftovers",
      work: "remove_conversation",
      state: "failed",
      error: expect.stringContaining("UUID"),
      data: { conversationId: "not an id" },
    });
    expect((await plumbline(settings, "job", "list", "leftovers")).stdout).toMatch(
      /remove_conversation failed for .*, attempt 1: .*UUID/s,
    );
    await job("retry", "leftovers", id);
    await failed(id, 2);
    expect((await job("list", "maintenance")).lines).toEqual([]);
    expect((await job("count")).lines).toContainEqual(expect.objectContaining({ queue: "leftovers", waiting: 0 }));
    expect((await plumbline(settings, "job", "discard", "leftovers", id)).stderr).toMatch(
      /never done\. Nothing was changed\. Add --yes/,
    );
    await job("discard", "leftovers", id, "--yes");
    expect((await job("list")).lines).toEqual([]);
    expect((await plumbline(settings, "job", "retry", "leftovers", id)).stderr).toMatch(/has no job .* that is failed/);
  });

  it("leaves the job of a video to the command for videos, which keeps its row in agreement", async () => {
    await deployment.start("api");
    const ada = await deployment.as();
    const { id } = await upload(ada, await smallClip());
    expect((await job("list", "video-uploads", "--state", "created")).lines).toMatchObject([{ id, state: "created" }]);
    for (const args of [
      ["retry", "video-uploads", id],
      ["discard", "video-uploads", id, "--yes"],
    ])
      expect(await plumbline(settings, "job", ...args)).toMatchObject({
        exit: 1,
        stderr: expect.stringMatching(/Use npm run -s plumbline -- video retry/),
      });
  });
});

async function sender() {
  const boss = new PgBoss({ connectionString: deployment.databaseUrl, supervise: false, schedule: false });
  boss.on("error", () => undefined);
  await boss.start();
  return Object.assign(boss, { [Symbol.asyncDispose]: () => boss.stop({ graceful: false }) });
}
