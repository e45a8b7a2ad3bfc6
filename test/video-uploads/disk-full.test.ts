import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import type { Client } from "../support/client.ts";
import { createFleet } from "../support/fleet.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { contentDigestOf, finished, sha256Of, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

const MIB = 1_024 * 1_024;
const noRoom = { status: 503, body: { code: "unavailable" } };
const healthy = async (client: Client) => expect(await client("GET", "/health")).toMatchObject({ status: 200 });

it("answers an upload that finds no room with 503 and Retry-After, keeps nothing of it, and takes it when there is room again", async () => {
  await using disk = await mountSmallDisk(4 * MIB);
  if (disk === null) return;
  await using fleet = await createFleet({ dataDir: disk.path });
  await fleet.start("all");
  const ada = await fleet.as();
  const clip = await smallClip();
  const kept = await finished(ada, await upload(ada, clip));
  const before = await storedFiles(fleet);

  const tooMuch = await ada("POST", "/video-uploads", randomBytes(6 * MIB));
  expect(tooMuch).toMatchObject(noRoom);
  expect(Number(tooMuch.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await storedFiles(fleet)).toEqual(before);
  await disk.fill();
  const headers = { "Idempotency-Key": "a-full-disk-is-no-answer", "Content-Digest": contentDigestOf(clip) };
  for (let attempt = 1; attempt <= 3; attempt++) expect(await ada("POST", "/video-uploads", clip, { headers })).toMatchObject(noRoom);
  await healthy(ada);
  expect(await ada("GET", uploadPath(kept))).toMatchObject({ body: kept });
  expect(await fleet.db.videoUpload.count()).toBe(1);

  await disk.empty();
  const taken = await ada("POST", "/video-uploads", clip, { headers });
  expect(taken).toMatchObject({ status: 202, body: { sha256: sha256Of(clip) } });
  expect(taken.headers.has("idempotency-replayed")).toBe(false);
  expect(await finished(ada, taken.body)).toMatchObject({ status: "succeeded", attempt: 1 });
}, 90_000);

it("keeps a resumable upload that finds no room, for its bytes or for joining them, and it is completed when there is room again", async () => {
  await using disk = await mountSmallDisk(8 * MIB);
  if (disk === null) return;
  await using fleet = await createFleet({ dataDir: disk.path });
  await fleet.start("api");
  const ada = await fleet.as();
  const bytes = randomBytes(3 * MIB);
  const append = (offset: number, isLast: boolean, part: Uint8Array) => ada("PATCH", location, part, {
    headers: { "Content-Type": "application/partial-upload", "Upload-Offset": String(offset), "Upload-Complete": isLast ? "?1" : "?0" },
  });
  const state = async () => {
    const { headers } = await ada("HEAD", location);
    return [Number(headers.get("upload-offset")), headers.get("upload-complete")];
  };
  const location = (await ada("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } })).headers.get("location")!;
  expect(await append(0, false, bytes.subarray(0, MIB))).toMatchObject({ status: 204 });

  await disk.fill(64 * 1_024);
  expect(await append(MIB, true, bytes.subarray(MIB))).toMatchObject(noRoom);
  expect(await state()).toEqual([MIB, "?0"]);
  await disk.empty();
  // Room for what is still to come, and none for a second copy of all.
  await disk.fill(2.5 * MIB);
  expect(await append(MIB, true, bytes.subarray(MIB))).toMatchObject(noRoom);
  expect(await state()).toEqual([3 * MIB, "?0"]);
  await healthy(ada);
  expect(await fleet.db.videoUpload.count()).toBe(0);

  await disk.empty();
  expect(await append(3 * MIB, true, new Uint8Array(0))).toMatchObject({ status: 202, body: { sha256: sha256Of(bytes), size_bytes: 3 * MIB } });
  expect(await state()).toEqual([3 * MIB, "?1"]);
  expect((await storedFiles(fleet)).filter((it) => it.includes("/pieces/"))).toEqual([]);
}, 60_000);

it("tries a job again whose transcode finds no room, and it succeeds once when there is room again", async () => {
  await using disk = await mountSmallDisk(4 * MIB);
  if (disk === null) return;
  await using fleet = await createFleet({ dataDir: disk.path });
  await fleet.start("all");
  const ada = await fleet.as();
  const clip = await smallClip();
  // The job has to wait until the disk is full.
  await fleet.db.$executeRaw`CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.start_after = now() + interval '1 day'; RETURN NEW; END $$`;
  await fleet.db.$executeRaw`CREATE TRIGGER later BEFORE INSERT ON pgboss.job FOR EACH ROW WHEN (NEW.name = 'video-uploads' AND NEW.state = 'created') EXECUTE FUNCTION later()`;
  const job = await upload(ada, clip);
  await disk.fill();
  await fleet.db.$executeRaw`UPDATE pgboss.job SET start_after = now() WHERE id = ${job.id}::uuid`;
  const [failed] = await eventually("an attempt that has found no room", () => fleet.db.$queryRaw<{ why: string; state: string }[]>`
    SELECT output->>'message' AS why, state FROM pgboss.job WHERE id = ${job.id}::uuid AND output IS NOT NULL`.then((rows) => rows.length > 0 && rows));
  await disk.empty();
  process.stderr.write(`the first attempt on a full disk ended in the state ${failed!.state}: ${failed!.why}\n`);
  expect(failed).toMatchObject({ state: "retry", why: expect.stringContaining("no room") });
  await healthy(ada);
  const ended = await finished(ada, job);
  expect(ended).toMatchObject({ status: "succeeded", error: null, sha256: sha256Of(clip) });
  expect(ended.attempt).toBeGreaterThanOrEqual(2);
  expect((await ada("GET", "/notifications")).body.data).toMatchObject([{ kind: "video_upload.succeeded", resource: { id: job.id } }]);
  expect((await storedFiles(fleet)).filter((it) => it.startsWith("scratch") || it.includes("incoming") || it.includes(`${job.id}/1/`))).toEqual([]);
}, 90_000);
