import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { Body } from "../support/client.ts";
import * as hostile from "./support/media-hostile.ts";
import { makeClip, type ClipRecipe } from "../support/media.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { setCanary } from "./support/canary.ts";
import { finished, upload, uploadPath } from "../support/videos.ts";

const service = prepare(() => startTestService({ VIDEO_CONCURRENCY: "2" }));

const small = { durationSeconds: 1, width: 160, height: 120 } as const;

describe("the job of a video upload", () => {
  it("is accepted with 202, polled at its Location after Retry-After, and succeeds with a result and one notification", async () => {
    const ada = await service.as();
    const accepted = await ada(
      "POST",
      "/video-uploads?name=doors-rehung.mp4",
      await readFile(await makeClip({ ...small, container: "mp4" })),
    );
    expect(accepted).toMatchObject({ status: 202, body: { status: "queued" } });
    let answer = await ada("GET", accepted.headers.get("location")!);
    while (answer.headers.has("retry-after")) {
      expect(["queued", "processing"]).toContain(answer.body.status);
      await new Promise((done) => setTimeout(done, Number(answer.headers.get("retry-after")) * 1_000));
      answer = await ada("GET", accepted.headers.get("location")!);
    }
    expect(answer.body).toMatchObject({
      id: accepted.body.id,
      status: "succeeded",
      attempt: 1,
      progress: { percent: 100, stage: null },
      error: null,
      result: { container: "mp4", width: 160, height: 120, video_codec: "h264", audio_codec: "aac" },
    });
    expect(Math.abs(answer.body.result.duration_ms - 1_000)).toBeLessThanOrEqual(100);
    const { created_at: created, started_at: started, finished_at: ended } = answer.body;
    expect([created, started, ended].toSorted()).toEqual([created, started, ended]);
    expect((await ada("GET", "/notifications")).body).toMatchObject({
      data: [
        {
          kind: "video_upload.succeeded",
          status: "unread",
          title: "Your video doors-rehung.mp4 is ready",
          resource: { type: "video_upload", id: accepted.body.id, href: uploadPath(accepted.body) },
        },
      ],
      unread_count: 1,
    });
  });

  it.each<[string, ClipRecipe, Body]>([
    [
      "a rotated QuickTime video",
      { ...small, container: "mov", rotation: 90 },
      { container: "mov", width: 120, height: 160, video_codec: "h264", audio_codec: "aac" },
    ],
    [
      "a Matroska video",
      { ...small, container: "mkv" },
      { container: "mkv", width: 160, height: 120, video_codec: "h264", audio_codec: "aac" },
    ],
    [
      "a recording that does not declare its duration",
      { ...small, container: "webm", live: true },
      { container: "webm", width: 160, height: 120 },
    ],
    [
      "a silent video with odd dimensions",
      { durationSeconds: 1, width: 161, height: 121, container: "webm", audio: false },
      { container: "webm", width: 161, height: 121, audio_codec: null },
    ],
  ])("returns the properties of %s, and its duration to 100 ms", async (_what, recipe, found) => {
    const ada = await service.as();
    const job = await finished(ada, await upload(ada, await makeClip(recipe)));
    expect(job).toMatchObject({ status: "succeeded", attempt: 1, result: found });
    expect(Math.abs(job.result.duration_ms - recipe.durationSeconds * 1_000)).toBeLessThanOrEqual(100);
  });

  it("ignores the name: a WebM named .mp4 is a WebM, and a text named .mp4 is unsupported_media", async () => {
    const ada = await service.as();
    const found = { container: "webm", width: 160, height: 120, video_codec: "vp8", audio_codec: "opus" };
    const webm = await makeClip({ ...small, container: "webm" });
    expect(await finished(ada, await upload(ada, webm, "?name=clip.mp4"))).toMatchObject({ status: "succeeded", result: found });
    const failed = await finished(ada, await upload(ada, Buffer.from("Minutes of the meeting\n".repeat(100)), "?name=clip.mp4"));
    expect(failed).toMatchObject({ status: "failed", result: null, error: { code: "unsupported_media" } });
    const { body } = await ada("GET", "/notifications?kind=video_upload.failed");
    expect(body.data).toMatchObject([
      { title: "Your video clip.mp4 could not be processed", body: failed.error.detail, resource: { id: failed.id } },
    ]);
  });
});

describe("the job of an invalid or hostile file", () => {
  /** Returns the job of a file after its end. Checks that there were one attempt and one notification. */
  async function outcomeOf(bytes: Uint8Array | string): Promise<Body> {
    const ada = await service.as();
    const job = await finished(ada, await upload(ada, bytes));
    expect(job).toMatchObject({ attempt: 1, progress: { stage: null } });
    expect((await ada("GET", "/notifications")).body.data).toMatchObject([
      { kind: `video_upload.${job.status}`, resource: { id: job.id } },
    ]);
    return job;
  }

  it.each<[string, () => Promise<string>, string | RegExp]>([
    ["a truncated MP4", () => hostile.truncatedClip("mp4"), "corrupt_media"],
    ["a truncated QuickTime video", () => hostile.truncatedClip("mov"), "corrupt_media"],
    ["a truncated WebM", () => hostile.truncatedClip("webm"), "corrupt_media"],
    ["a truncated Matroska video", () => hostile.truncatedClip("mkv"), "corrupt_media"],
    ["an MP4 without its index", hostile.clipWithoutIndex, "corrupt_media"],
    ["an MP4 with an empty index", hostile.clipWithEmptyIndex, "corrupt_media"],
    ["a video with pictures of 0 by 0", hostile.sizelessClip, "corrupt_media"],
    ["a video of five hours in a few kilobytes", hostile.fiveHourClip, "too_long"],
    ["a video with pictures of 16,383 by 16,383", () => hostile.giantPictureClip(16_383), "unsupported_media"],
    [
      "a video with an index that declares 250 million entries",
      hostile.swollenIndexClip,
      /^(corrupt|unsupported)_media$|^too_long$/,
    ],
  ])("fails with the expected code for %s", async (_what, make, code) => {
    const job = await outcomeOf(await make());
    expect(job).toMatchObject({
      status: "failed",
      result: null,
      error: { code: expect.stringMatching(code), detail: expect.stringMatching(/^[^/]+$/) },
    });
  });

  it("fails with unsupported_media for playlists with files and addresses, and opens none of them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plumbline-canary-"));
    await using canary = await setCanary(folder);
    const ada = await service.as();
    for (const [what, text] of Object.entries(hostile.textsNamingOthers(canary.victimPath, canary.url))) {
      expect({ what, job: await finished(ada, await upload(ada, Buffer.from(text), "?name=clip.mp4")) }).toMatchObject({
        what,
        job: { status: "failed", error: { code: "unsupported_media" } },
      });
      expect({ what, reached: await canary.reached() }).toEqual({ what, reached: [] });
    }
    const alias = await finished(ada, await upload(ada, await hostile.clipNamingAnotherFile(canary.victimPath)));
    expect(alias).toMatchObject({ status: "failed", error: { code: "unsupported_media" } });
    expect(await canary.reached()).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it.each<[string, string, Uint8Array]>([
    ["unsupported_media", "one byte", Buffer.from("x")],
    ["unsupported_media", "a megabyte of zeros", Buffer.alloc(2 ** 20)],
    ["corrupt_media", "only the first bytes of an MP4", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1")],
  ])("fails with %s for %s", async (code, _what, bytes) => {
    const job = await outcomeOf(bytes);
    expect(job).toMatchObject({ status: "failed", result: null, error: { code } });
  });
});
