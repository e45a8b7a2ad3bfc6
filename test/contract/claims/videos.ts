import { createHash } from "node:crypto";
import { expect } from "@jest/globals";
import type { Body, Client } from "../../support/client.ts";
import { finished, smallClip, upload, uploadPath } from "../../support/videos.ts";
import { header, outcome, UNKNOWN, type Claims, type Fixture } from "./claim.ts";

const NO_VIDEO = Buffer.from("not a video");
const sha256 = (bytes: Uint8Array, form: "hex" | "base64") => createHash("sha256").update(bytes).digest(form);

/** One processed video for all claims about a service, because processing takes seconds. */
const videos = new Map<Fixture, Promise<{ owner: Client; job: Body }>>();
function video(fixture: Fixture) {
  const make = async () => {
    const owner = await fixture.as();
    return { owner, job: await finished(owner, await upload(owner, await smallClip(), "?name=clip.mp4")) };
  };
  const made = videos.get(fixture) ?? make();
  videos.set(fixture, made);
  return made;
}

/** A started resumable upload with the first bytes of a file. */
async function resumable({ as }: Fixture) {
  const user = await as();
  const { headers, status } = await user("POST", "/video-uploads", NO_VIDEO, header("Upload-Complete", "?0"));
  return { user, status, path: headers.get("location")!, job: headers.get("location")!.replace("/transfer", "") };
}

const part = (offset: number, complete: "?0" | "?1") => ({
  headers: { "Upload-Offset": String(offset), "Upload-Complete": complete, "Content-Type": "application/partial-upload" },
});

export const videoUploads: Claims = {
  "If it is not a video, its job fails.": async ({ as }) => {
    const user = await as();
    const job = await finished(user, await upload(user, NO_VIDEO));
    expect(job).toMatchObject({ status: "failed", error: { code: "unsupported_media" }, result: null });
  },
  "A failed job returns 200 with `status: failed`.": async ({ as }) => {
    const user = await as();
    const job = await finished(user, await upload(user, NO_VIDEO));
    expect(await user("GET", uploadPath(job))).toMatchObject({ status: 200, body: { status: "failed" } });
  },
  "Without `Retry-After`, the job is finished and doesn't change any more.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const answer = await owner("GET", uploadPath(job));
    expect([answer.headers.has("retry-after"), answer.body]).toEqual([false, job]);
  },
  "`result` is set only when the job has succeeded, `error` only when it has failed.": async (fixture) => {
    const { job } = await video(fixture);
    expect(job).toMatchObject({ status: "succeeded", error: null, result: { container: "mp4", width: 160, height: 120 } });
  },
  "The SHA-256 of the bytes received, in hexadecimal.": async (fixture) => {
    const { job } = await video(fixture);
    const clip = await smallClip();
    expect([job.sha256, job.size_bytes]).toEqual([sha256(clip, "hex"), clip.length]);
  },
  "A failed job has no poster and always returns 409.": async ({ as }) => {
    const user = await as();
    const job = await finished(user, await upload(user, NO_VIDEO));
    expect(outcome(await user("GET", `${uploadPath(job)}/poster`))).toBe("409 not_ready");
  },
  "Returns a still image of the video as JPEG.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { status, headers } = await owner("GET", job.result.poster.href);
    expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([
      200,
      "image/jpeg",
      String(job.result.poster.size_bytes),
    ]);
  },
  "A rendition never changes, so you can cache it by its `ETag`.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { href } = job.result.renditions[0];
    const etag = (await owner("HEAD", href)).headers.get("etag")!;
    expect((await owner("GET", href, undefined, header("If-None-Match", etag))).status).toBe(304);
  },
  "`Content-Range` says which part of the file it is.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { href, size_bytes } = job.result.renditions[0];
    const { status, headers } = await owner("GET", href, undefined, header("Range", "bytes=10-19"));
    expect([status, headers.get("content-range")]).toEqual([206, `bytes 10-19/${size_bytes}`]);
  },
  "Request a range within the size in `Content-Range`.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { href, size_bytes } = job.result.renditions[0];
    const refused = await owner("GET", href, undefined, header("Range", `bytes=${size_bytes}-`));
    expect([outcome(refused), refused.headers.get("content-range")]).toEqual([
      "416 range_not_satisfiable",
      `bytes */${size_bytes}`,
    ]);
  },
  "several ranges return the whole file, and HEAD ignores ranges.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { href } = job.result.renditions[0];
    expect((await owner("GET", href, undefined, header("Range", "bytes=0-1,4-5"))).status).toBe(200);
    expect((await owner("HEAD", href, undefined, header("Range", "bytes=0-1"))).status).toBe(200);
  },
  "A failed job has nothing to play and always returns 409.": async ({ as }) => {
    const user = await as();
    const job = await finished(user, await upload(user, NO_VIDEO));
    expect(outcome(await user("POST", `${uploadPath(job)}/playback`, {}))).toBe("409 not_ready");
  },
  "They need no header until `expires_at`, so a page can use them in `<video>` and `<img>`.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { poster, renditions } = (await owner("POST", `${uploadPath(job)}/playback`, {})).body;
    for (const { href } of [poster, ...renditions]) {
      const { status, headers } = await fixture.anonymous("GET", href);
      expect([status, headers.get("cross-origin-resource-policy")]).toEqual([200, "cross-origin"]);
    }
  },
  "If anything in it is changed, it returns 403 `invalid_link`.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { href } = (await owner("POST", `${uploadPath(job)}/playback`, {})).body.poster;
    for (const path of [`${href}x`, href.replace("poster.jpg", "480p.mp4"), href.replace(job.id, UNKNOWN)])
      expect(outcome(await fixture.anonymous("GET", path))).toBe("403 invalid_link");
  },
  "that of the upload with that of the rendition.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { href } = (await owner("POST", `${uploadPath(job)}/playback`, {})).body.renditions[0];
    expect((await fixture.anonymous("HEAD", href)).headers.get("content-disposition")).toBe("inline; filename=clip.480p.mp4");
  },
  "Returns the bytes that you uploaded, whatever the state of the job.": async (fixture) => {
    const { owner, job } = await video(fixture);
    const { headers } = await owner("HEAD", `${uploadPath(job)}/original`);
    expect(headers.get("content-length")).toBe(String(job.size_bytes));
  },
  "A name that is not in `result` returns 404.": async (fixture) => {
    const { owner, job } = await video(fixture);
    expect(outcome(await owner("GET", `${uploadPath(job)}/renditions/4320p`))).toBe("404 not_found");
  },
  "Send exactly one, `sha-256` or `sha-512`; other algorithms return 400.": async ({ as }) => {
    const user = await as();
    const send = (digest: string) => user("POST", "/video-uploads", NO_VIDEO, header("Content-Digest", digest));
    expect(outcome(await send("md5=:1B2M2Y8AsgTpgAmY7PhCfg==:"))).toBe("400 validation_failed");
    expect(outcome(await send(`sha-256=:${sha256(Buffer.from("x"), "base64")}:`))).toBe("422 digest_mismatch");
    expect(outcome(await send(`sha-256=:${sha256(NO_VIDEO, "base64")}:`))).toBe("202");
  },
  "any `video/*`": async ({ as }) => {
    const user = await as();
    for (const type of ["application/octet-stream", "video/mp4", "video/x-unknown"])
      expect((await user("POST", "/video-uploads", NO_VIDEO, header("Content-Type", type))).status).toBe(202);
    expect((await user("POST", "/video-uploads", NO_VIDEO, header("Content-Type", "image/png"))).status).toBe(415);
  },
  "Return only uploads with this status.": async ({ as }) => {
    const user = await as();
    const job = await finished(user, await upload(user, NO_VIDEO));
    expect((await user("GET", "/video-uploads?status=failed")).body.data).toEqual([job]);
    expect((await user("GET", "/video-uploads?status=succeeded")).body.data).toEqual([]);
  },
  "A resumable upload is not in the list until it is complete.": async (fixture) => {
    const { user, path, job } = await resumable(fixture);
    expect((await user("GET", "/video-uploads")).body.data).toEqual([]);
    expect(outcome(await user("GET", job))).toBe("404 not_found");
    expect((await user("PATCH", path, Buffer.from("!"), part(NO_VIDEO.length, "?1"))).status).toBe(202);
    expect((await user("GET", "/video-uploads")).body.data).toHaveLength(1);
  },
  "With `?0` you get 204.": async (fixture) => {
    expect((await resumable(fixture)).status).toBe(204);
  },
  "Returns the number of bytes stored in `Upload-Offset`.": async (fixture) => {
    const { user, path } = await resumable(fixture);
    const { headers } = await user("HEAD", path);
    expect([headers.get("upload-offset"), headers.get("upload-complete")]).toEqual([String(NO_VIDEO.length), "?0"]);
  },
  "Otherwise nothing is stored, and you get 409 `upload_offset_mismatch` with the correct `Upload-Offset`.": async (fixture) => {
    const { user, path } = await resumable(fixture);
    const refused = await user("PATCH", path, NO_VIDEO, part(3, "?1"));
    expect([outcome(refused), refused.headers.get("upload-offset")]).toEqual([
      "409 upload_offset_mismatch",
      String(NO_VIDEO.length),
    ]);
    expect((await user("HEAD", path)).headers.get("upload-offset")).toBe(String(NO_VIDEO.length));
  },
  "Deletes a resumable upload that is not complete, with all bytes received.": async (fixture) => {
    const { user, path } = await resumable(fixture);
    expect(outcome(await user("DELETE", path))).toBe("204");
    expect((await user("HEAD", path)).status).toBe(404);
  },
};
