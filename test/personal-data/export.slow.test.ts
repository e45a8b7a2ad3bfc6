import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { findReferences, EXCLUDED_COLUMNS, nameOf } from "../../src/personal-data/references-store.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { linesOf, plumbline, plumblineJson, type Settings, startPlumbline } from "../support/processes.ts";
import { storeResult } from "../support/stored-result.ts";
import { sha256Of, smallClip } from "../support/videos.ts";
import { liveFully } from "./someone.ts";

const deployment = prepareForEach(createDeployment);
let settings: Settings;
beforeEach(() => {
  settings = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
});

describe("plumbline user export", () => {
  it("copies every row that refers to the user and every file, without secrets, for the owner of the process only", async () => {
    await using to = await temporaryFolder();
    const worker = await deployment.start("worker", { KEEP_DELETED_HOURS: "1" });
    await deployment.start("api", { KEEP_DELETED_HOURS: "1" });
    const [ada, bob] = [await deployment.as(), await deployment.as()];
    const { word, video } = await liveFully(deployment, ada, bob);
    // It would try to send the events again, between the export and the comparison.
    worker.child.kill("SIGTERM");
    await worker.exited;
    const folder = join(to.path, "ada");
    const { lines, exit } = await plumblineJson(settings, "user", "export", ada.userId, "--to", folder);
    expect({ exit, lines }).toMatchObject({ exit: 0, lines: [{ user_id: ada.userId, folder }] });
    expect(await readdir(to.path)).toEqual(["ada"]);

    const references = (await withSnapshot(deployment.databaseUrl, findReferences)).filter(
      (it) => !(nameOf(it) in EXCLUDED_COLUMNS),
    );
    const rows: Record<string, number> = {};
    for (const it of references) {
      const copied = linesOf(await readFile(join(folder, `${nameOf(it)}.jsonl`), "utf8"));
      const [found] = await deployment.db.$queryRawUnsafe<{ rows: object[] }[]>(
        `SELECT coalesce(json_agg(t), '[]') AS rows FROM "${it.table}" t WHERE "${it.column}" = $1::uuid`,
        ada.userId,
      );
      const omitted = Object.keys(EXCLUDED_COLUMNS).filter((name) => name.startsWith(`${it.table}.`));
      const without = (row: object) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.includes(`${it.table}.${name}`)));
      const sorted = (all: readonly object[]) => all.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted();
      expect(sorted(copied)).toEqual(sorted(found!.rows.map(without)));
      rows[nameOf(it)] = copied.length;
    }
    // The user really has a row for every column.
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([]);
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ user_id: ada.userId, rows, left_out: EXCLUDED_COLUMNS, files: lines[0].files });
    expect(await readFile(join(folder, "posts.author_id.jsonl"), "utf8")).toContain(word);

    const original = await readFile(join(folder, "objects/video-uploads", video.id, "original"));
    expect(sha256Of(original)).toBe(sha256Of(await smallClip()));
    const stored = await readdir(join(deployment.dataDir, "objects/objects/video-uploads"), {
      recursive: true,
      withFileTypes: true,
    });
    const names = linesOf(await readFile(join(folder, "files.jsonl"), "utf8"));
    expect(names).toHaveLength(stored.filter((it) => it.isFile()).length);
    for (const entry of [folder, ...(await readdir(folder, { recursive: true })).map((it) => join(folder, it))]) {
      const { mode } = await stat(entry);
      expect([entry, (mode & 0o777).toString(8)]).toEqual([entry, (await stat(entry)).isDirectory() ? "700" : "600"]);
    }
    const everything = await Promise.all(
      (await readdir(folder)).filter((it) => it.endsWith(".jsonl")).map((it) => readFile(join(folder, it), "utf8")),
    );
    // Responses with secrets are stored with the keys of their requests.
    expect(everything.join("")).not.toMatch(/secret_hash|whsec_/);
    expect(await plumbline(settings, "user", "export", ada.userId, "--to", folder)).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/exists already/),
    });
  }, 300_000);

  it("ends in a sentence if it can't write, and leaves nothing behind", async () => {
    await using to = await temporaryFolder();
    await deployment.start("api");
    const ada = await deployment.as();
    await writeFile(join(to.path, "file"), "");
    for (const target of [join(to.path, "file/below"), "/proc/ada", join(to.path, "missing/ada")]) {
      const outcome = await plumbline(settings, "user", "export", ada.userId, "--to", target);
      expect(outcome).toMatchObject({ exit: 1, stdout: "" });
      expect(outcome.stderr).toMatch(/^\S+ cannot be written: [^\n]+ a folder that is mounted into it\.\n$/);
    }
    expect(await readdir(to.path)).toEqual(["file"]);
  });

  itNeeds("mount", "also if the folder is read-only, or has no space left", async () => {
    await deployment.start("api");
    const ada = await deployment.as();
    await deployment.db.$executeRaw`
      INSERT INTO posts (id, author_id, title, body) SELECT gen_random_uuid(), ${ada.userId}::uuid, 'x', repeat('x', 5000) FROM generate_series(1, 1000)`;
    await using disk = await mountSmallDisk(2 ** 20);
    const exporting = () => plumbline(settings, "user", "export", ada.userId, "--to", join(disk.path, "ada"));
    const refusal = (reason: string) => ({
      exit: 1,
      stderr: expect.stringMatching(new RegExp(`^\\S+ cannot be written: ${reason}[^\n]+\n$`)),
    });
    expect(await exporting()).toMatchObject(refusal("ENOSPC"));
    expect(await readdir(disk.path)).toEqual([]);
    execFileSync("mount", ["-o", "remount,ro", disk.path]);
    expect(await exporting()).toMatchObject(refusal("EROFS"));
  });

  it("needs the same memory for a large file and for many rows, and leaves no folder with the final name when it is killed", async () => {
    await using to = await temporaryFolder();
    await deployment.start("api");
    const ada = await deployment.as();
    const objects = createFileStore(join(deployment.dataDir, "objects"));
    const id = await storeResult(deployment, ada, objects, randomBytes(1_024));
    const rows = 60_000;
    const sizeBytes = 400 * 1024 * 1024;
    async function* bytes() {
      const chunk = randomBytes(1024 * 1024);
      for (let sent = 0; sent < sizeBytes; sent += chunk.length) yield chunk;
    }
    await objects.put(`video-uploads/${id}/original`, bytes(), { maxBytes: sizeBytes });
    await deployment.db.$executeRaw`
      INSERT INTO posts (id, author_id, title, body) SELECT gen_random_uuid(), ${ada.userId}::uuid, 'x', repeat('x', 5000) FROM generate_series(1, ${rows}::int)`;
    const folder = join(to.path, "ada");
    {
      await using killed = startPlumbline(settings, "user", "export", ada.userId, "--to", folder);
      await eventually("the beginning", async () => (await readdir(to.path)).length > 0, 30_000, 5);
      killed.child.kill("SIGKILL");
      await killed.exited;
    }
    expect(await readdir(to.path)).toEqual([expect.stringMatching(/^ada\.unfinished-\d+$/)]);
    // Rows that are kept would end the process, and bytes of a file would exceed its size.
    const limited = { ...settings, NODE_OPTIONS: "--max-old-space-size=96" };
    await using exporting = startPlumbline(limited, "user", "export", ada.userId, "--to", folder, "--json");
    let peakBytes = 0;
    const over = exporting.exited.then(() => true);
    while (!(await Promise.race([over, new Promise<false>((done) => setTimeout(() => done(false), 50))]))) {
      const status = await readFile(`/proc/${exporting.pid}/status`, "utf8").catch(() => "");
      peakBytes = Math.max(peakBytes, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
    }
    expect(linesOf(exporting.stdout())).toMatchObject([{ files: 2, bytes: sizeBytes + 1_024 }]);
    process.stderr.write(
      `an export of ${sizeBytes / 2 ** 20} MiB and ${rows} rows used at most ${(peakBytes / 2 ** 20).toFixed(0)} MiB\n`,
    );
    expect(peakBytes).toBeLessThan(sizeBytes);
  }, 300_000);
});
