import { randomBytes } from "node:crypto";
import { expect } from "@jest/globals";
import { contentDigestOf } from "../support/digests.ts";
import { eventually } from "../support/eventually.ts";
import type { Body, Client } from "../support/client.ts";
import { createDeployment } from "../support/deployment.ts";
import { endPauses } from "../support/jobs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { finished, sha256Of, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

const MIB = 1_024 * 1_024;
/** Lets uploads fill the disk, which `MIN_FREE_BYTES` prevents by default. */
const NO_RESERVE = { MIN_FREE_BYTES: "0" };
const diskFull = { status: 503, body: { code: "unavailable" } };
const healthy = async (client: Client) => expect(await client("GET", "/health")).toMatchObject({ status: 200 });

itNeeds(
  "mount",
  "an upload to a full disk returns 503 with Retry-After and stores nothing, and a later retry succeeds",
  async () => {
    await using disk = await mountSmallDisk(4 * MIB);
    await using deployment = await createDeployment({ dataDir: disk.path });
    await deployment.start("all", NO_RESERVE);
    const ada = await deployment.as();
    const clip = await smallClip();
    const earlier = await finished(ada, await upload(ada, clip));
    const before = await storedFiles(deployment, "objects");

    const tooMuch = await ada("POST", "/video-uploads", randomBytes(6 * MIB));
    expect(tooMuch).toMatchObject(diskFull);
    expect(Number(tooMuch.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await storedFiles(deployment, "objects")).toEqual(before);
    await disk.fill();
    const headers = { "Idempotency-Key": "a-full-disk-is-no-answer", "Content-Digest": contentDigestOf(clip) };
    for (let attempt = 1; attempt <= 3; attempt++)
      expect(await ada("POST", "/video-uploads", clip, { headers })).toMatchObject(diskFull);
    await healthy(ada);
    expect(await ada("GET", uploadPath(earlier))).toMatchObject({ body: earlier });
    expect(await deployment.db.videoUpload.count()).toBe(1);

    await disk.empty();
    const taken = await ada("POST", "/video-uploads", clip, { headers });
    expect(taken).toMatchObject({ status: 202, body: { sha256: sha256Of(clip) } });
    expect(taken.headers.has("idempotency-replayed")).toBe(false);
    expect(await finished(ada, taken.body)).toMatchObject({ status: "succeeded", attempt: 1 });
  },
);

itNeeds(
  "mount",
  "a resumable upload survives a full disk, also while its pieces are joined, and completes when there is space",
  async () => {
    await using disk = await mountSmallDisk(8 * MIB);
    await using deployment = await createDeployment({ dataDir: disk.path });
    await deployment.start("api", NO_RESERVE);
    const ada = await deployment.as();
    const bytes = randomBytes(3 * MIB);
    const append = (offset: number, isLast: boolean, part: Uint8Array) =>
      ada("PATCH", location, part, {
        headers: {
          "Content-Type": "application/partial-upload",
          "Upload-Offset": String(offset),
          "Upload-Complete": isLast ? "?1" : "?0",
        },
      });
    const state = async () => {
      const { headers } = await ada("HEAD", location);
      return [Number(headers.get("upload-offset")), headers.get("upload-complete")];
    };
    const location = (await ada("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } })).headers.get(
      "location",
    )!;
    expect(await append(0, false, bytes.subarray(0, MIB))).toMatchObject({ status: 204 });

    await disk.fill(64 * 1_024);
    expect(await append(MIB, true, bytes.subarray(MIB))).toMatchObject(diskFull);
    expect(await state()).toEqual([MIB, "?0"]);
    await disk.empty();
    // Enough for the last piece, but not for the second copy of all bytes that joining makes.
    await disk.fill(2.5 * MIB);
    expect(await append(MIB, true, bytes.subarray(MIB))).toMatchObject(diskFull);
    expect(await state()).toEqual([3 * MIB, "?0"]);
    await healthy(ada);
    expect(await deployment.db.videoUpload.count()).toBe(0);

    await disk.empty();
    expect(await append(3 * MIB, true, new Uint8Array(0))).toMatchObject({
      status: 202,
      body: { sha256: sha256Of(bytes), size_bytes: 3 * MIB },
    });
    expect(await state()).toEqual([3 * MIB, "?1"]);
    expect((await storedFiles(deployment)).filter((it) => it.includes("/pieces/"))).toEqual([]);
  },
);

itNeeds(
  "mount",
  "jobs on a full disk are postponed beyond three attempts, and each succeeds once when there is space",
  async () => {
    await using disk = await mountSmallDisk(6 * MIB);
    await using deployment = await createDeployment({ dataDir: disk.path });
    await deployment.start("api", NO_RESERVE);
    const ada = await deployment.as();
    const clip = await smallClip();
    const jobs: Body[] = [];
    for (let sent = 0; sent < 2; sent++) jobs.push(await upload(ada, clip));
    await disk.fill();
    await deployment.start("worker", NO_RESERVE);
    await eventually(
      "the end of four attempts at each job",
      async () => {
        await endPauses(deployment, 4);
        return (await deployment.db.videoUpload.count({ where: { attempt: 4, status: { not: "processing" } } })) === jobs.length;
      },
      90_000,
    );
    const over = await deployment.db.videoUpload.findMany({ where: { status: { in: ["succeeded", "failed"] } } });
    expect(over.map(({ status, attempt, errorCode, errorDetail }) => ({ status, attempt, errorCode, errorDetail }))).toEqual([]);
    expect(await deployment.db.notification.count()).toBe(0);
    await healthy(ada);
    await disk.empty();
    await endPauses(deployment, 5);
    const ends = await Promise.all(jobs.map((job) => finished(ada, job)));
    for (const end of ends) {
      expect(end).toMatchObject({ status: "succeeded", attempt: 5, error: null, sha256: sha256Of(clip) });
    }
    expect((await notificationsOf(ada)).toSorted()).toEqual(jobs.map((it) => ["video_upload.succeeded", it.id]).toSorted());
    const left = ends.flatMap((end) =>
      ["original", `${end.attempt}/480p.mp4`, `${end.attempt}/poster.jpg`, `${end.attempt}/sprite.jpg`].map(
        (name) => `objects/objects/video-uploads/${end.id}/${name}`,
      ),
    );
    await eventually("no other file", async () => JSON.stringify(await storedFiles(deployment)) === JSON.stringify(left.sort()));
  },
);
