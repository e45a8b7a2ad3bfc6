import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { startScratchPostgres } from "../../../scripts/scratch-postgres.ts";
import { runCommand } from "../../../src/util/command.ts";
import { migrateDatabase } from "../../../src/jobs/migrate-database.ts";
import { StartupError } from "../../../src/util/startup-error.ts";
import { administer, withDatabase } from "../../support/database.ts";
import { judge } from "../bar.ts";
import { currentCommit, log, positive } from "../command-line.ts";
import { connect, SERVER_SETTINGS } from "../fixture.ts";
import { markdown } from "../report.ts";
import { median, orderOf } from "../stats.ts";
import { OURS, startSubject, SUBJECTS, type Subject } from "../subjects.ts";
import { costOf, digestOf, digestOfDownload, downloadFor, upload, type Cost, type Download, type Target } from "./transfer.ts";

const UPLOAD_MIN = 0.8;
const MEMORY_MAX = 1.2;
const USAGE = `Compares uploads with node:http that writes into a file and hashes, and downloads with a static file server.
Fails if an upload reaches less than ${UPLOAD_MIN} of the throughput, or if its memory grows with its size.

Usage: npm run bench:bytes -- [--rounds N] [--megabytes N] [--seconds S]

  --rounds N     the default is 5
  --megabytes N  the size of an upload; the default is 128. One is four times as long, to compare the memory
  --seconds S    download for S seconds each time; the default is 3

How to read the table: test/bench/LOG.md.`;

const options = {
  rounds: { type: "string", default: "5" },
  megabytes: { type: "string", default: "128" },
  seconds: { type: "string", default: "3" },
} as const;

const MEGABYTE = 1_000_000;
const AT_ONCE = 4;
const VIDEO = "00000000-0000-7000-8000-000000000001";
const FILES = { "poster.jpg": randomBytes(50_000), "480p.mp4": randomBytes(8 * MEGABYTE) };
type FileName = keyof typeof FILES;
const objectKeyOf = (name: FileName) => `video-uploads/${VIDEO}/1/${name}`;
const sha256Of = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

type Extent = { readonly rounds: number; readonly bytes: number; readonly seconds: number };
/** `folder` has the uploads of this subject, and `clear` removes them. */
type Running = Target & {
  readonly name: string;
  pathOf(name: FileName): string;
  storedAt(id: string): string;
  verify(): Promise<void>;
};
type Sample = Cost & { readonly amount: number };

const FLOOR: Subject = { name: "floor", title: "node:http, send", file: "test/bench/bytes/floor.ts" };

/** The files of a finished video, where each subject looks for them. */
const writeFiles = (folder: string) => async (dataDir: string) => {
  for (const [name, bytes] of Object.entries(FILES)) {
    const path = join(dataDir, folder, objectKeyOf(name as FileName));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
};

async function startAll(serverUrl: string, stack: AsyncDisposableStack): Promise<readonly Running[]> {
  await administer(serverUrl, "CREATE DATABASE bench_bytes", "ALTER DATABASE bench_bytes SET timezone = 'UTC'");
  const url = withDatabase(serverUrl, "bench_bytes");
  await migrateDatabase(url);
  const env = { PATH: process.env["PATH"], DATABASE_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/user.ts", "add", "Ada", "--json"], { cwd: join(import.meta.dirname, "../../.."), env }); // prettier-ignore
  const { user_id: userId, api_key: key } = JSON.parse(stdout) as { user_id: string; api_key: string };
  const client = stack.use(await connect(url));
  const file = (name: FileName) => ({ objectKey: objectKeyOf(name), contentType: name === "480p.mp4" ? "video/mp4" : "image/jpeg", width: 2, height: 2, sizeBytes: FILES[name].length, sha256: sha256Of(FILES[name]) }); // prettier-ignore
  const result = { container: "mp4", durationMs: 1, width: 2, height: 2, videoCodec: "h264", audioCodec: null, poster: file("poster.jpg"), renditions: [{ ...file("480p.mp4"), name: "480p", durationMs: 1 }] }; // prettier-ignore
  await client.run(`INSERT INTO video_uploads (id, owner_id, object_key, size_bytes, sha256, status, percent, attempt, result)
    VALUES ('${VIDEO}', '${userId}', 'video-uploads/${VIDEO}/original', 1, repeat('0', 64), 'succeeded', 100, 1, '${JSON.stringify(result)}')`);
  const ours = stack.adopt(
    await startSubject(
      SUBJECTS.find((it) => it.name === OURS)!,
      url,
      {
        settings: { MAX_STORED_BYTES_PER_USER: String(2 ** 50) },
        prepare: writeFiles("objects/objects"),
      },
    ),
    (it) => it.stop(),
  );
  const floor = stack.adopt(await startSubject(FLOOR, url, { prepare: writeFiles("") }), (it) => it.stop());
  return [
    {
      ...target(floor.origin, floor.pid, key),
      name: "floor",
      pathOf: (name) => `/${objectKeyOf(name)}`,
      storedAt: (id) => join(floor.dataDir, id),
      verify: async () => {},
    },
    {
      ...target(ours.origin, ours.pid, key),
      name: OURS,
      pathOf: (name) => `/video-uploads/${VIDEO}/${name === "480p.mp4" ? "renditions/480p" : "poster"}`,
      storedAt: (id) => join(ours.dataDir, "objects/objects/video-uploads", id, "original"),
      verify: async () => {
        const [row] = await client.run("SELECT count(*)::int AS jobs, (SELECT count(*)::int FROM video_uploads) - 1 AS rows FROM pgboss.job WHERE name = 'video-uploads'"); // prettier-ignore
        if (row!["jobs"] !== row!["rows"])
          throw new StartupError(`There are ${String(row!["rows"])} uploads and ${String(row!["jobs"])} jobs.`);
      },
    },
  ];
}

const target = (origin: string, pid: number, key: string): Target => ({ origin, pid, key });

async function uploadAll(it: Running, bytes: number, count: number): Promise<Sample> {
  const { cost, result } = await costOf(it.pid, () => Promise.all(Array.from({ length: count }, () => upload(it, bytes))));
  for (const { id } of result) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(it.storedAt(id)), hash);
    if (hash.digest("hex") !== digestOf(bytes)) throw new StartupError(`${it.name} has stored other bytes than it got.`);
    await rm(it.storedAt(id));
  }
  await it.verify();
  return { ...cost, amount: (bytes * count) / MEGABYTE };
}

async function download(it: Running, file: Download, seconds: number): Promise<Sample> {
  await downloadFor(it, file, AT_ONCE, seconds / 4);
  const { cost, result } = await costOf(it.pid, () => downloadFor(it, file, AT_ONCE, seconds));
  return { ...cost, amount: (result * file.sizeBytes) / MEGABYTE };
}

async function measure({ rounds, bytes, seconds }: Extent): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly Sample[]>>> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(SERVER_SETTINGS), (it) => it.stop());
  const subjects = await startAll(postgres.url, stack);
  const fileOf = (it: Running, name: FileName): Download => ({ path: it.pathOf(name), sizeBytes: FILES[name].length });
  for (const it of subjects)
    for (const name of Object.keys(FILES) as FileName[])
      if ((await digestOfDownload(it, fileOf(it, name))) !== sha256Of(FILES[name])) throw new StartupError(`${it.name} sends other bytes than the file has.`); // prettier-ignore
  const loads: Readonly<Record<string, (it: Running) => Promise<Sample>>> = {
    upload: (it) => uploadAll(it, bytes, 1),
    "four uploads": (it) => uploadAll(it, bytes, AT_ONCE),
    "upload, four times as long": (it) => uploadAll(it, bytes * 4, 1),
    rendition: (it) => download(it, fileOf(it, "480p.mp4"), seconds),
    "range of a rendition": (it) =>
      download(it, { ...fileOf(it, "480p.mp4"), range: "bytes=1000000-1065535", sizeBytes: 65_536 }, seconds),
    poster: (it) => download(it, fileOf(it, "poster.jpg"), seconds),
  };
  const results = new Map(Object.keys(loads).map((name) => [name, new Map(subjects.map((it) => [it.name, [] as Sample[]]))]));
  for (const [name, run] of Object.entries(loads)) {
    for (const it of subjects) await run(it);
    for (let round = 0; round < rounds; round++) for (const it of orderOf(subjects, round)) results.get(name)!.get(it.name)!.push(await run(it)); // prettier-ignore
    log(name);
  }
  return results;
}

const throughputOf = (it: Sample) => it.amount / it.seconds;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await runCommand({ usage: USAGE, options }, async ({ values }) => {
  const extent = {
    rounds: Math.ceil(positive(values.rounds)),
    bytes: positive(values.megabytes) * MEGABYTE,
    seconds: positive(values.seconds),
  };
  const results = await measure(extent);
  const ratioOf = (load: string, of: (ours: Sample, floor: Sample) => number) => {
    const [ours, floor] = [results.get(load)!.get(OURS)!, results.get(load)!.get("floor")!];
    return median(ours.map((it, round) => of(it, floor[round]!)));
  };
  const rows = [...results].map(([load, all]) => {
    const floor = median(all.get("floor")!.map(throughputOf));
    const peaks = ["floor", OURS].map((name) => `${Math.round(median(all.get(name)!.map((it) => it.peakBytes)) / MEGABYTE)} MB`);
    const throughput = ratioOf(load, (ours, floor) => throughputOf(ours) / throughputOf(floor));
    const cpu = ratioOf(load, (ours, floor) => floor.cpuMs / floor.amount / (ours.cpuMs / ours.amount));
    return [load, `${Math.round(floor)} MB/s`, throughput.toFixed(2), cpu.toFixed(2), ...peaks];
  });
  console.log(
    `Commit ${currentCommit()}, ${extent.rounds} rounds, uploads of ${extent.bytes / MEGABYTE} MB. Each ratio is the share of the floor that the service reaches; higher is better.\n`,
  );
  console.log(`${markdown([["load", "floor", "throughput", "CPU of the server", "memory, floor", "memory"], ...rows])}\n`);
  const peakOf = (load: string) =>
    median(
      results
        .get(load)!
        .get(OURS)!
        .map((it) => it.peakBytes),
    );
  const share = (load: string) => ratioOf(load, (ours, floor) => throughputOf(ours) / throughputOf(floor));
  return judge([
    { what: "throughput of one upload", value: share("upload"), atLeast: UPLOAD_MIN },
    { what: "throughput of four uploads at once", value: share("four uploads"), atLeast: UPLOAD_MIN },
    {
      what: "memory of an upload four times as long ×",
      value: peakOf("upload, four times as long") / peakOf("upload"),
      atMost: MEMORY_MAX,
    },
  ]);
});
