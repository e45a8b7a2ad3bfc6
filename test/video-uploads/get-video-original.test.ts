import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { upload, uploadPath } from "../support/videos.ts";

const BYTES = randomBytes(1_000);
const HTML = Buffer.from("<script>alert(1)</script>");

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

const originalOf = async (bytes: Buffer, query = "") => `${uploadPath(await upload(ada, bytes, query))}/original`;
const get = (path: string, headers: Record<string, string> = {}, client = ada) => client("GET", path, undefined, { headers });

describe("GET /video-uploads/{job_id}/original", () => {
  it("returns the uploaded bytes before the job has ended, and after it has failed or succeeded", async () => {
    const job = await upload(ada, BYTES);
    const path = `${uploadPath(job)}/original`;
    for (const status of ["queued", "processing", "failed", "succeeded"]) {
      await service.db.videoUpload.update({ where: { id: job.id }, data: { status } });
      const response = await fetch(`${service.url}${path}`, { headers: { Authorization: ada.authorization! } });
      expect([status, response.status]).toEqual([status, 200]);
      expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
    }
  });

  it("continues with a range, and has an entity tag", async () => {
    const path = await originalOf(BYTES);
    const etag = (await ada("HEAD", path)).headers.get("etag")!;
    const rest = await get(path, { Range: "bytes=990-", "If-Range": etag });
    expect([rest.status, rest.headers.get("content-range")]).toEqual([206, "bytes 990-999/1000"]);
    expect(await get(path, { "If-None-Match": etag })).toMatchObject({ status: 304, text: "" });
    expect(await get(path, { Range: "bytes=1000-" })).toMatchObject({ status: 416, body: { code: "range_not_satisfiable" } });
  });

  it("is saved and never shown, whatever was uploaded, under the name of the upload", async () => {
    for (const [query, expected] of [
      ["?name=page.html", "attachment; filename=page.html"],
      [`?name=${encodeURIComponent('a "b".mov')}`, 'attachment; filename="a \\"b\\".mov"'],
      [`?name=${encodeURIComponent("föhn.mov")}`, "attachment; filename=\"f?hn.mov\"; filename*=UTF-8''f%C3%B6hn.mov"],
      ["", "attachment; filename=video"],
    ]) {
      const { headers } = await get(await originalOf(HTML, query));
      expect(headers.get("content-disposition")).toBe(expected);
      expect(headers.get("content-type")).toBe("application/octet-stream");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it("returns 404 to another user, and for an upload that is not complete or was deleted", async () => {
    const eve = await service.as();
    const path = await originalOf(BYTES);
    const missing = { status: 404, body: { code: "not_found" } };
    expect(await get(path, {}, eve)).toMatchObject(missing);
    await ada("DELETE", path.replace("/original", ""));
    expect(await get(path)).toMatchObject(missing);
    const begun = await ada("POST", "/video-uploads", BYTES, { headers: { "Upload-Complete": "?0" } });
    expect(await get(begun.headers.get("location")!.replace("/transfer", "/original"))).toMatchObject(missing);
  });
});

describe("an original that the operator doesn't keep", () => {
  const statuses = async (path: string, at: TestService) => {
    const client = at === service ? ada : at.anonymous(ada.authorization);
    const answers = [await client("GET", path), await client("HEAD", path), await get(path, { "If-None-Match": "*" }, client)];
    return answers.map((it) => it.status);
  };

  it("returns 404 once the job has succeeded, though its bytes stay for backups, but not before", async () => {
    const job = await upload(ada, BYTES);
    const path = `${uploadPath(job)}/original`;
    const database = { url: service.databaseUrl, drop: async () => undefined };
    const settings = { ROLE: "api", DATA_DIR: service.dataDir, KEEP_ORIGINALS: "false", KEEP_DELETED_HOURS: "1" };
    const other = await startTestService(settings, database);
    try {
      expect(await statuses(path, other)).toEqual([200, 200, 304]);
      await service.db.videoUpload.update({ where: { id: job.id }, data: { status: "succeeded" } });
      expect(await statuses(path, other)).toEqual([404, 404, 404]);
    } finally {
      await other.close();
    }
  });

  it("returns 404 with GET and HEAD if it was removed before the operator began to keep originals", async () => {
    const job = await upload(ada, BYTES);
    await service.db.videoUpload.update({ where: { id: job.id }, data: { status: "succeeded" } });
    await createFileStore(join(service.dataDir, "objects")).delete(`video-uploads/${job.id}/original`);
    expect(await statuses(`${uploadPath(job)}/original`, service)).toEqual([404, 404, 404]);
  });
});
