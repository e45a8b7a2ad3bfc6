import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { healthHandlers } from "../../src/health/handlers.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { removeUnfinished, StorageFailure, type ObjectStore } from "../../src/storage/object-store.ts";
import { openObjectStore } from "../../src/storage/open-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import { createStoreProbe } from "../../src/storage/store-probe.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/media.ts";
import { s3rver, type S3Server } from "../support/s3-server.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { fakeBucket } from "./support/fake-bucket.ts";

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

it("a service with its objects in a bucket stores a video with its results, serves a range, and removes all with the upload", async () => {
  const { prefix } = server.settings();
  const bucket = await createS3Store({ ...server.settings(), prefix });
  const keys = () => Array.fromAsync(bucket.list("video-uploads"));
  const settings = { OBJECT_STORE: `s3://${server.bucket}/${prefix}`, KEEP_ORIGINALS: "false" };
  await using service = await startTestService(settingsFor(settings));
  const ada = await service.as();
  const job = await finished(ada, await upload(ada, await smallClip()));
  expect(job.status).toBe("succeeded");
  const [rendition] = job.result.renditions;
  const range = await ada("GET", rendition.href, undefined, { headers: { Range: "bytes=4-7" } });
  expect(range).toMatchObject({ status: 206, text: "ftyp" });
  // The poster and the sprite, too.
  await eventually("only the results", async () => (await keys()).length === 2 + job.result.renditions.length);
  expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
  await eventually("nothing left", async () => [...(await keys()), ...(await storedFiles(service))].length === 0);
});

const HOUR_MS = 3_600_000;

/** A bucket with one unfinished put, which began two days ago. Its parts, the last of them `lastPart`, are in two lists. */
async function bucketWithUnfinished(lastPart: Date) {
  const begun = new Date(Date.now() - 48 * HOUR_MS);
  const aborted: string[] = [];
  const put = `<Upload><Key>videos/a</Key><UploadId>u1</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`;
  const marker = "<NextPartNumberMarker>1</NextPartNumberMarker>";
  const partOf = (number: number, at: Date) =>
    `<Part><PartNumber>${number}</PartNumber><LastModified>${at.toISOString()}</LastModified><Size>5</Size></Part>`;
  const answerTo = (query: URLSearchParams) => {
    if (query.has("uploads"))
      return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${put}</ListMultipartUploadsResult>`;
    if (!query.has("uploadId")) return "<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>";
    return query.get("part-number-marker") === "1"
      ? `<ListPartsResult><IsTruncated>false</IsTruncated>${partOf(2, lastPart)}</ListPartsResult>`
      : `<ListPartsResult><IsTruncated>true</IsTruncated>${marker}${partOf(1, begun)}</ListPartsResult>`;
  };
  const { store, [Symbol.asyncDispose]: end } = await fakeBucket((request, response, query) => {
    if (request.method !== "DELETE") return void response.end(`<?xml version="1.0"?>${answerTo(query)}`);
    aborted.push(query.get("uploadId")!);
    response.writeHead(204).end();
  });
  return { store, aborted, [Symbol.asyncDispose]: end };
}

it.each([
  ["goes on", 23, 0, []],
  ["has stopped", 25, 1, ["u1"]],
])("an unfinished put that %s, with its last part %d hours ago: %d removed", async (_what, hours, removed, aborted) => {
  await using unfinished = await bucketWithUnfinished(new Date(Date.now() - hours * HOUR_MS));
  expect(await removeUnfinished(unfinished.store, 24 * HOUR_MS)).toBe(removed);
  expect(unfinished.aborted).toEqual(aborted);
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

const days = (count: number) =>
  `<NoncurrentVersionExpiration><NoncurrentDays>${count}</NoncurrentDays></NoncurrentVersionExpiration>`;
const rule = (end: string, status = "Enabled", filter = "<Prefix></Prefix>") =>
  `<Rule><Status>${status}</Status><Filter>${filter}</Filter>${end}</Rule>`;
const NEWER = days(30).replace("</NoncurrentDays>", "$&<NewerNoncurrentVersions>3</NewerNoncurrentVersions>");
const FOR_EVER = { stay: "for ever" };

it.each<[string, string, object]>([
  ["removes all", rule(days(30)), { stay: "days", days: 30 }],
  ["removes all of ours", rule(days(30), "Enabled", "<Prefix>ours/</Prefix>"), { stay: "days", days: 30 }],
  ["removes all, before another one", rule(days(30)) + rule(days(7)), { stay: "days", days: 7 }],
  ["is disabled", rule(days(30), "Disabled"), FOR_EVER],
  ["removes those of others", rule(days(30), "Enabled", "<Prefix>theirs/</Prefix>"), FOR_EVER],
  ["removes those with a tag", rule(days(30), "Enabled", "<Tag><Key>a</Key><Value>b</Value></Tag>"), FOR_EVER],
  ["keeps some", rule(NEWER), FOR_EVER],
  ["removes only current ones", rule("<Expiration><Days>30</Days></Expiration>"), FOR_EVER],
])("what a bucket with versions has deleted stays as its rule says: it %s", async (_what, rules, stay) => {
  await using bucket = await fakeBucket((_request, response, query) => {
    if (query.has("list-type")) return false;
    const versioning = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    return response.end(query.has("versioning") ? versioning : `<LifecycleConfiguration>${rules}</LifecycleConfiguration>`);
  }, "ours/prod");
  expect(await bucket.store.findOldVersions()).toEqual(stay);
});

it("GET /health is 503 from a write that the object store refuses until a write succeeds, although it can be read", async () => {
  await using folder = await temporaryFolder();
  const files = createFileStore(folder.path);
  let isReadOnly = false;
  const store: ObjectStore = {
    ...files,
    put: (...args) => (isReadOnly ? Promise.reject(new StorageFailure("refused", "no permission")) : files.put(...args)),
  };
  const storeProbe = createStoreProbe(store, { prefix: "video-uploads", log: pino({ level: "silent" }) });
  const { objects } = storeProbe;
  const databaseProbe = { check: () => Promise.resolve(), close: () => Promise.resolve() };
  const health = healthHandlers({ databaseProbe, storeProbe, version: "1.0.0", isDraining: () => false });
  const check = () => health.getHealth({} as never);
  const put = () => objects.put("video-uploads/a", Readable.from([Buffer.from("x")]), { maxBytes: 1 });
  await put();
  await expect(check()).resolves.toMatchObject({ status: 200 });
  isReadOnly = true;
  await expect(put()).rejects.toThrow("no permission");
  await expect(store.checkAccess("video-uploads")).resolves.not.toThrow();
  await expect(check()).rejects.toMatchObject({ code: "unavailable", detail: "Videos cannot be stored." });
  isReadOnly = false;
  const isHealthy = () => check().then(Boolean, () => false);
  await eventually("a store that can be written again", isHealthy);
});
