import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { contentDigestOf } from "../support/digests.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { queuedJobs, sha256Of, smallClip, storedFiles, streamOf, uploadPath } from "../support/videos.ts";

// Without a worker, so that accepted uploads do not change.
const service = prepare(() => startTestService({ ROLE: "api" }));
let clip: Buffer;
beforeAll(async () => {
  clip = await smallClip();
});

/** All stored rows, jobs and files. A refused request must not change them. */
async function stored() {
  return {
    rows: await service.db.videoUpload.count(),
    jobs: (await queuedJobs(service)).length,
    files: await storedFiles(service),
  };
}

describe("POST /video-uploads", () => {
  it("returns 202 with the job and its Location, stores the same bytes, and enqueues the job", async () => {
    const ada = await service.as();
    const accepted = await ada("POST", "/video-uploads?name=doors-rehung.mp4", clip);
    expect(accepted).toMatchObject({
      status: 202,
      body: {
        status: "queued",
        name: "doors-rehung.mp4",
        size_bytes: clip.length,
        sha256: sha256Of(clip),
        progress: { percent: 0, stage: null },
        attempt: 0,
        error: null,
        result: null,
        started_at: null,
        finished_at: null,
      },
    });
    expect(accepted.headers.get("location")).toBe(`/video-uploads/${accepted.body.id}`);
    expect(Number(accepted.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await ada("GET", accepted.headers.get("location")!)).toMatchObject({ status: 200, body: accepted.body });
    const [file, ...others] = (await storedFiles(service)).filter((it) => it.includes(accepted.body.id));
    expect(others).toEqual([]);
    expect(sha256Of(await readFile(join(service.dataDir, file!)))).toBe(sha256Of(clip));
    expect(await queuedJobs(service)).toContainEqual(expect.objectContaining({ id: accepted.body.id, state: "created" }));
  });

  it("accepts a body in chunks without a Content-Length", async () => {
    const answer = await (
      await service.as()
    )("POST", "/video-uploads", streamOf(clip.subarray(0, 1), clip.subarray(1, 5_000), clip.subarray(5_000)));
    expect(answer).toMatchObject({ status: 202, body: { size_bytes: clip.length, sha256: sha256Of(clip), name: null } });
  });

  it.each([
    ["with spaces and dots", "doors re-hung v1.2 (final).mov"],
    ["of 255 emoji", "🎬".repeat(255)],
    ["with only dots", ".."],
    ["in another script", "屋根.mp4"],
    ["with reserved characters", "a&b=c?d#e+f%.mp4"],
  ])("accepts a name %s and returns it unchanged", async (_what, name) => {
    expect(await (await service.as())("POST", `/video-uploads?name=${encodeURIComponent(name)}`, clip)).toMatchObject({
      status: 202,
      body: { name },
    });
  });

  it("returns 400 malformed_body for an empty body, with and without a Content-Length, and stores nothing", async () => {
    const [ada, before] = [await service.as(), await stored()];
    expect(await ada("POST", "/video-uploads", new Uint8Array())).toMatchObject({
      status: 400,
      body: { code: "malformed_body" },
    });
    expect(await ada("POST", "/video-uploads", streamOf())).toMatchObject({ status: 400, body: { code: "malformed_body" } });
    expect(await stored()).toEqual(before);
  });

  it("returns 415 for a body without a Content-Type", async () => {
    const ada = await service.as();
    const response = await fetch(`${service.url}/video-uploads`, {
      method: "POST",
      headers: { Authorization: ada.authorization! },
      body: new Blob([new Uint8Array(clip)]),
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type" },
    });
  });

  it("returns 422 digest_mismatch if they do not match it, and stores nothing", async () => {
    const [ada, before] = [await service.as(), await stored()];
    expect(
      await ada("POST", "/video-uploads", clip.subarray(1), { headers: { "Content-Digest": contentDigestOf(clip) } }),
    ).toMatchObject({ status: 422, body: { code: "digest_mismatch" } });
    expect(await stored()).toEqual(before);
  });

  it.each([
    "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:",
    "sha-256=abc",
    "sha-256=::",
    "nonsense",
    `sha-512=:${"A".repeat(43)}=:`,
    `sha-256=:${"A".repeat(43)}=:, sha-256=:${"B".repeat(43)}=:`,
  ])("returns 400 for the Content-Digest %s", async (digest) => {
    expect(await (await service.as())("POST", "/video-uploads", clip, { headers: { "Content-Digest": digest } })).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "header", pointer: "/content-digest" })]),
      },
    });
  });
});

describe("POST /video-uploads with an Idempotency-Key", () => {
  it("replays the first response for the same bytes, also in chunks, and stores them once", async () => {
    const ada = await service.as();
    const key = randomUUID();
    const first = await ada("POST", "/video-uploads?name=a", clip, withKey(key));
    const after = await stored();
    const again = await ada("POST", "/video-uploads?name=a", streamOf(clip), withKey(`"${key}"`));
    expect(again).toMatchObject({ status: 202, text: first.text });
    expect([again.headers.get("location"), again.headers.get("idempotency-replayed")]).toEqual([
      first.headers.get("location"),
      "true",
    ]);
    expect(await stored()).toEqual(after);
  });

  it("returns 422 for the same key with other bytes or another name, and stores nothing", async () => {
    const ada = await service.as();
    const key = randomUUID();
    await ada("POST", "/video-uploads?name=a", clip, withKey(key));
    const after = await stored();
    for (const [query, bytes] of [
      ["?name=a", clip.subarray(1)],
      ["?name=b", clip],
      ["", clip],
    ] as const) {
      expect(await ada("POST", `/video-uploads${query}`, bytes, withKey(key))).toMatchObject({
        status: 422,
        body: { code: "idempotency_key_reused" },
      });
    }
    expect(await stored()).toEqual(after);
  });

  it("creates one job for five concurrent uploads with one key, and stores the bytes once", async () => {
    const ada = await service.as();
    const key = randomUUID();
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("POST", "/video-uploads", clip, withKey(key))));
    expect(answers.map((it) => it.status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
    const after = await stored();
    expect({
      rows: after.rows - before.rows,
      jobs: after.jobs - before.jobs,
      files: after.files.length - before.files.length,
    }).toEqual({ rows: 1, jobs: 1, files: 1 });
  });

  it("replays the first response even after the upload is deleted", async () => {
    const ada = await service.as();
    const key = randomUUID();
    const first = await ada("POST", "/video-uploads", clip, withKey(key));
    await ada("DELETE", uploadPath(first.body));
    const before = await stored();
    expect(await ada("POST", "/video-uploads", clip, withKey(key))).toMatchObject({ status: 202, text: first.text });
    expect(await stored()).toEqual(before);
  });
});

describe("POST /video-uploads over a connection that breaks", () => {
  /** Sends the beginning of an upload over a plain socket, waits until the service stores it, and closes the connection. */
  async function cutOff(headers: string, body: Buffer): Promise<void> {
    const ada = await service.as();
    const before = await storedFiles(service);
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      `POST /video-uploads HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\nContent-Type: application/octet-stream\r\n${headers}\r\n\r\n`,
    );
    socket.write(body);
    await eventually("an unfinished file", async () => (await storedFiles(service)).length > before.length);
    socket.resetAndDestroy();
  }

  it.each([
    ["a Content-Length that is never reached", "Content-Length: 1000000"],
    ["chunks without an end", "Transfer-Encoding: chunked"],
  ])("leaves no row, no job and no file for an upload with %s", async (_what, header) => {
    const before = await stored();
    await cutOff(
      header,
      header.startsWith("Content")
        ? clip
        : Buffer.concat([Buffer.from(`${clip.length.toString(16)}\r\n`), clip, Buffer.from("\r\n")]),
    );
    await eventually("no row, job or file of it", async () => JSON.stringify(await stored()) === JSON.stringify(before));
  });
});
