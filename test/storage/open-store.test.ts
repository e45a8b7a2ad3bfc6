import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../src/config.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { openObjectStore } from "../../src/storage/open-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import { eventually } from "../support/eventually.ts";
import { s3rver, type S3Server } from "../support/s3-server.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

let server: S3Server;
beforeAll(async () => {
  server = await s3rver.start();
});
afterAll(() => server.stop());

const settingsFor = (changes: Record<string, string> = {}) => ({
  OBJECT_STORE: `s3://${server.bucket}`,
  S3_ENDPOINT: server.endpoint,
  S3_ACCESS_KEY_ID: "S3RVER",
  S3_SECRET_ACCESS_KEY: "S3RVER",
  ...changes,
});

describe("a service with its objects in a bucket", () => {
  it("stores a video with its results, serves a range of one, and removes all objects when the upload is deleted", async () => {
    const { prefix } = server.settings();
    const bucket = await createS3Store({ ...server.settings(), prefix });
    const keys = async () => {
      const found: string[] = [];
      for await (const { key } of bucket.list("video-uploads")) found.push(key);
      return found;
    };
    const service = await startTestService(
      settingsFor({ OBJECT_STORE: `s3://${server.bucket}/${prefix}`, KEEP_ORIGINALS: "false" }),
    );
    try {
      const ada = await service.as();
      const job = await finished(ada, await upload(ada, await smallClip()));
      expect(job.status).toBe("succeeded");
      const [rendition] = job.result.renditions;
      expect(await ada("GET", rendition.href, undefined, { headers: { Range: "bytes=4-7" } })).toMatchObject({
        status: 206,
        text: "ftyp",
      });
      // The poster and the sprite, too.
      await eventually("only the results", async () => (await keys()).length === 2 + job.result.renditions.length);
      expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
      await eventually("nothing left", async () => [...(await keys()), ...(await storedFiles(service))].length === 0);
    } finally {
      await service.close();
    }
  });
});

describe("an object store that can't be used", () => {
  it.each([
    [
      "the bucket doesn't exist",
      { OBJECT_STORE: "s3://no-such-bucket/a" },
      /^The bucket no-such-bucket at http:\S+ cannot be used: .*\(NoSuchBucket\)\.$/,
    ],
    [
      "no server responds",
      { S3_ENDPOINT: "http://127.0.0.1:1" },
      /^The bucket \S+ at http:\/\/127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.*\.$/,
    ],
    ["the access key is unknown", { S3_ACCESS_KEY_ID: "unknown" }, /cannot be used: .*\(InvalidAccessKeyId\)\.$/],
  ])("stops the start with a one-sentence message if %s", async (_what, changes, sentence) => {
    const opening = openObjectStore(readConfig(settingsFor(changes)), "unused");
    await expect(opening).rejects.toThrow(sentence);
    await expect(opening).rejects.toBeInstanceOf(StartupError);
  });

  it.each([
    [{ OBJECT_STORE: "s3:/bucket" }, /OBJECT_STORE is file, or a bucket such as s3:\/\/bucket\/prefix\.$/],
    [{ OBJECT_STORE: "s3://bucket/../other" }, /OBJECT_STORE is file/],
    [{ S3_ENDPOINT: "somewhere" }, /S3_ENDPOINT is not a URL\.$/],
    [{ S3_ACCESS_KEY_ID: "x" }, /S3_SECRET_ACCESS_KEY is needed with S3_ACCESS_KEY_ID\.$/],
    [{ KEEP_ORIGINALS: "perhaps" }, /KEEP_ORIGINALS is one of true, false\.$/],
  ])("stops the start with a one-sentence message about the setting for %j", (settings, sentence) => {
    expect(() => readConfig(settings)).toThrow(sentence);
  });
});
