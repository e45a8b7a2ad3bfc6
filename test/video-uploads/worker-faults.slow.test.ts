import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { pino } from "pino";
import { createFileStore } from "../../src/storage/file-store.ts";
import { sweepScratch } from "../../src/video-uploads/worker/scratch.ts";
import { sweepObjects } from "../../src/video-uploads/sweep/sweep.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { processesNaming } from "../support/processes.ts";
import type { Running } from "../support/running.ts";
import { seededRandom } from "../support/seed.ts";
import { smallClip, storedFiles, upload } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

const JOBS = 60;
const USERS = 6;
const KILLS = 6;
const RUNS_AGAIN_WITHIN_MS = 20_000;

type Change = { readonly id: string; readonly status: string; readonly attempt: number; readonly atMs: number };
type Attempt = { readonly id: string; readonly attempt: number };
type Hit = Attempt & { readonly atMs: number; readonly tool: string };

/** Records every change of an upload's status or attempt in the transaction that makes it, because polling would miss some. */
async function recordChanges({ db }: Deployment): Promise<() => Promise<readonly Change[]>> {
  await db.$executeRaw`CREATE TABLE changes (place bigserial, id uuid, status text, attempt int, at timestamptz)`;
  await db.$executeRaw`
    CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO changes (id, status, attempt, at) VALUES (NEW.id, NEW.status, NEW.attempt, clock_timestamp()); RETURN NEW;
    END $$`;
  await db.$executeRaw`
    CREATE TRIGGER record_change AFTER UPDATE ON video_uploads FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.attempt IS DISTINCT FROM NEW.attempt) EXECUTE FUNCTION record_change()`;
  return () =>
    db.$queryRaw<
      Change[]
    >`SELECT id, status, attempt, extract(epoch FROM at)::float8 * 1000 AS "atMs" FROM changes ORDER BY place`;
}

/**
 * The tool and the attempt of the worker's child process. The tool is in its command line. The attempt is in a path there or,
 * if the worker is root, in its working directory. Null if there is no child now.
 */
async function workOf(worker: Running, { dataDir }: Deployment): Promise<(Attempt & { readonly tool: string }) | null> {
  for (const pid of await processesNaming(join(dataDir, "scratch"))) {
    const parent = Number(/^PPid:\t(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""))?.[1]);
    if (parent !== worker.pid) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    const [tool, id, attempt] =
      `${commandLine}\0${folder}/`.match(/(ffmpeg|ffprobe)(?:\0|",).*\/scratch\/([0-9a-f-]{36})-(\d+)\//s)?.slice(1) ?? [];
    if (tool !== undefined && id !== undefined) return { id, attempt: Number(attempt), tool };
  }
  return null;
}

async function databaseMs({ db }: Deployment): Promise<number> {
  const [row] = await db.$queryRaw<{ ms: number }[]>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`;
  return row!.ms;
}

/** Kills a worker with SIGKILL while it runs this tool, and returns the attempt. Checks that the attempt had not ended. */
async function killAtWork(deployment: Deployment, worker: Running, tool: string): Promise<Hit> {
  return eventually(
    `a worker killed while it runs ${tool}`,
    async () => {
      const work = await workOf(worker, deployment);
      if (work?.tool !== tool) return null;
      const atMs = await databaseMs(deployment);
      worker.child.kill("SIGKILL");
      expect(await worker.exited).toBe("SIGKILL");
      const row = await deployment.db.videoUpload.findUniqueOrThrow({ where: { id: work.id } });
      expect(row).toMatchObject({ status: "processing", attempt: work.attempt });
      return { ...work, atMs };
    },
    30_000,
    2,
  );
}

itNeeds(
  "linux",
  `each of ${JOBS} jobs ends once with one notification despite ${KILLS} SIGKILLs, and runs again within ${RUNS_AGAIN_WITHIN_MS / 1_000} s`,
  async () => {
    const random = seededRandom("worker faults");
    const beganMs = performance.now();
    await using deployment = await createDeployment();
    await deployment.start("api");
    const changes = await recordChanges(deployment);
    const owners: Client[] = [];
    for (let user = 0; user < USERS; user++) owners.push(await deployment.as());
    const workers = await Promise.all([deployment.start("worker"), deployment.start("worker")]);
    const clip = await smallClip();
    const ownerOf = new Map<string, Client>();
    const uploading = Promise.all(
      owners.map(async (owner) => {
        for (let sent = 0; sent < JOBS / USERS; sent++) ownerOf.set((await upload(owner, clip)).id, owner);
      }),
    );

    const hits: Hit[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      // One kill in each part of the run. The moment in it, the worker and the tool are random.
      const due = kill * Math.floor((JOBS - 12) / KILLS) + 1 + random(7);
      await eventually(
        `${due} jobs that have ended`,
        async () => (await deployment.db.videoUpload.count({ where: { finishedAt: { not: null } } })) >= due,
        60_000,
      );
      const victim = random(workers.length);
      const hit = await killAtWork(deployment, workers[victim]!, random(2) === 0 ? "ffmpeg" : "ffprobe");
      hits.push(hit);
      workers[victim] = await deployment.start("worker");
    }
    await uploading;
    expect(ownerOf.size).toBe(JOBS);
    await eventually(
      "the end of every job",
      async () => (await deployment.db.videoUpload.count({ where: { finishedAt: { not: null } } })) === JOBS,
      60_000,
    );
    const tookMs = performance.now() - beganMs;

    const history = await changes();
    for (const { id, attempt, atMs, tool } of hits) {
      const again = history.find((it) => it.id === id && it.attempt > attempt && it.status === "processing");
      // After its third killed attempt, a job does not run again, but fails.
      const afterMs = (again ?? history.find((it) => it.id === id && it.status === "failed"))!.atMs - atMs;
      process.stderr.write(
        `worker killed at ${tool}, attempt ${attempt}: its job ${again === undefined ? "was given up" : "ran again"} after ${(afterMs / 1_000).toFixed(1)} s\n`,
      );
      expect(afterMs).toBeLessThan(RUNS_AGAIN_WITHIN_MS);
    }

    const rows = await deployment.db.videoUpload.findMany();
    for (const row of rows) {
      const timesHit = hits.filter((it) => it.id === row.id).length;
      const expected =
        timesHit < 3
          ? { status: "succeeded", attempt: timesHit + 1 }
          : { status: "failed", attempt: 3, errorCode: "internal_error" };
      expect(row).toMatchObject(expected);
      const ends = history.filter((it) => it.id === row.id && ["succeeded", "failed"].includes(it.status));
      expect(ends.map((it) => [it.status, it.attempt])).toEqual([[expected.status, expected.attempt]]);
      // Each attempt begins once, in order, and nothing changes after the end.
      const starts = history.filter((it) => it.id === row.id && it.status === "processing").map((it) => it.attempt);
      expect(starts).toEqual(Array.from({ length: expected.attempt }, (_, index) => index + 1));
      expect(history.findLast((it) => it.id === row.id)).toBe(ends[0]);
      const job = (await ownerOf.get(row.id)!("GET", `/video-uploads/${row.id}`)).body;
      expect(job.result?.renditions.length ?? 0).toBe(expected.status === "succeeded" ? 1 : 0);
    }
    const told = await deployment.db.notification.findMany({ select: { userId: true, kind: true, resourceId: true } });
    const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect(told.toSorted(byText)).toEqual(
      rows.map((it) => ({ userId: it.ownerId, kind: `video_upload.${it.status}`, resourceId: it.id })).sort(byText),
    );

    for (const worker of workers) worker.child.kill("SIGTERM");
    expect(await Promise.all(workers.map((it) => it.exited))).toEqual([0, 0]);
    const before = await storedFiles(deployment);
    const log = pino({ level: "silent" });
    await sweepScratch({ scratchDir: join(deployment.dataDir, "scratch"), log });
    // The kills leave more orphans than a sweep removes without approval.
    await deployment.db.storeTie.updateMany({ data: { approvedCount: before.length } });
    await sweepObjects({
      db: deployment.db,
      objects: createFileStore(join(deployment.dataDir, "objects")),
      log,
      graceMs: 0,
      orphanAgeMs: 0,
    });
    const kept = rows.flatMap(({ id, attempt, status }) =>
      ["original", ...(status === "succeeded" ? [`${attempt}/poster.jpg`, `${attempt}/480p.mp4`] : [])].map(
        (name) => `objects/objects/video-uploads/${id}/${name}`,
      ),
    );
    const after = await storedFiles(deployment);
    expect(after).toEqual(kept.sort());
    process.stderr.write(
      `${JOBS} jobs, ${hits.length} kills at work, all ended after ${(tookMs / 1_000).toFixed(1)} s; of ${before.length} files the sweepers removed ${before.length - after.length}\n`,
    );
    expect(hits).toHaveLength(KILLS);
  },
  180_000,
);
