import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { expect } from "@jest/globals";
import type pg from "pg";
import type { Client } from "../support/client.ts";
import { findPostgresql } from "../support/commands.ts";
import { interpolate, readHere } from "./support/compose.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { freePorts } from "../support/tcp-proxy.ts";
import { repository, temporaryDataDir, type Settings } from "../support/processes.ts";
import { s3rver } from "../support/s3-server.ts";
import { smallClip, uploadPath } from "../support/videos.ts";
import { ask } from "./support/ask.ts";

const exec = promisify(execFile);
const PASSWORD = "0123456789abcdef0123456789abcdef";
const SCRIPT = join(repository, "scripts/deploy/backup-database.sh");
const isRoot = process.getuid?.() === 0;

itNeeds(
  "postgresql",
  "the backup of compose.yaml, restored by the commands of BACKUP.md, has everything of its moment and nothing newer, and forgets in time",
  async () => {
    await using scope = new AsyncDisposableStack();
    const top = scope.use(await temporaryDataDir()).path;
    const server = scope.adopt(await s3rver.start(), (it) => it.stop());
    for (const Bucket of ["videos", "restored-videos"]) await server.client.send(new CreateBucketCommand({ Bucket }));
    const createFolder = async (name: string, mode = 0o777) => {
      const path = join(top, name);
      await mkdir(path, { recursive: true });
      await chmod(path, mode);
      return path;
    };
    const backup = { database: await createFolder("backup/database"), objects: await createFolder("backup/objects") };
    await createFolder("backup", 0o755);
    const { services } = interpolate({
      POSTGRES_PASSWORD: PASSWORD,
      S3_ACCESS_KEY_ID: "S3RVER",
      S3_SECRET_ACCESS_KEY: "S3RVER",
      CURSOR_SECRETS: "a secret of this test",
      PUBLIC_URL: "http://127.0.0.1:1",
    });
    const postgres = createServers(await createFolder("clusters"), services["postgres"]!.command!, backup.database);
    scope.defer(() => postgres.stop());
    await postgres.create("live");
    const url = await postgres.start("live");

    const { OBJECT_STORE, KEEP_DELETED_HOURS, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = services["api-1"]!.environment!;
    const common = { NODE_ENV: "test", DATA_DIR: join(top, "data"), CURSOR_SECRETS: "a secret of this test" };
    const access = { KEEP_DELETED_HOURS, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY };
    const environment = (bucket: string) =>
      ({ ...common, ...access, OBJECT_STORE: OBJECT_STORE!.replace("videos", bucket), S3_ENDPOINT: server.endpoint }) as Settings;
    const deployment = scope.use(await createDeployment({ database: { url } }));
    const api = await deployment.start("api", environment("videos"));
    const ada = await deployment.as();
    const clip = await smallClip();
    const early = [await act(ada, clip), await act(ada, clip)];

    await postgres.backUp("once");
    await postgres.backUp("health");
    const between = await act(ada, clip);
    // Before the copy sees it, and its moment has it.
    expect(await ada("DELETE", early[0]!.video)).toMatchObject({ status: 204 });
    const [, command = ""] =
      /^ *(node scripts\/plumbline\.ts store copy [^&\n]*)/m.exec(services["backup-objects"]!.command![0]!) ?? [];
    const live = { ...environment("videos"), DATABASE_URL: url };
    const copied = await runShell(command.replace(" /backup ", ` ${backup.objects} `), live);
    expect({ stdout: copied.stdout, stderr: copied.stderr }).toEqual({
      stdout: expect.stringMatching(/ has the objects of 20/),
      stderr: "",
    });
    const T = (await readFile(join(backup.objects, "began"), "utf8")).trim();
    const late = await act(ada, clip);
    expect(await ada("DELETE", early[1]!.video)).toMatchObject({ status: 204 });
    await postgres.archiveAll();
    api.child.kill("SIGKILL");
    await api.exited;
    await postgres.stop();

    // The commands of the page, without containers.
    const page = readHere("scripts/deploy/BACKUP.md").split("\n## Restore\n")[1]!.split("\n### With Compose\n")[1]!;
    const commands = /```sh\n([\s\S]*?)```/
      .exec(page)![1]!
      .split("\n")
      .filter((it) => it.startsWith("docker "));
    const words = (line: string) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((it) =>
        (it[1] ?? it[2]!).replace("$T", T).replace("$FROM", join(top, "backup")),
      );
    const [, restoreDatabase, , restoreObjects, , check] = commands.map(words);
    const folderOf = (line: readonly string[]) => line[line.indexOf("--volume") + 1]!.split(":")[0]!;
    expect(restoreDatabase!.slice(-3)).toEqual(["/etc/plumbline/backup-database.sh", "restore", T]);
    await postgres.restore("restored", T, folderOf(restoreDatabase!));
    const restoredUrl = await postgres.start("restored", "restored-backup");
    const restored = { ...environment("restored-videos"), DATABASE_URL: restoredUrl };
    const inImage = (line: readonly string[]) =>
      line.slice(line.indexOf("node")).map((it) => it.replace("/from", folderOf(line)));
    const filled = await runShell(
      inImage(restoreObjects!)
        .map((it) => `'${it}'`)
        .join(" "),
      restored,
    );
    expect(filled.stdout).toMatch(/ objects .* are in the store now/);
    const again = scope.use(await createDeployment({ database: { url: restoredUrl } }));
    await again.start("api", environment("restored-videos"));
    const adaAgain = again.asAgain(ada);
    const found = (it: Acts) => Promise.all([it.post, it.video].map(async (path) => (await adaAgain("GET", path)).status));
    expect(await Promise.all([...early, between, late].map(found))).toEqual([
      [200, 404],
      [200, 200],
      [200, 200],
      [404, 404],
    ]);
    const checked = await runShell(inImage(check!).join(" "), restored);
    expect(checked.stdout).toBe("2 videos were checked, and 0 of them lack something.\n");

    await postgres.stop();
    await expectForgetting(postgres, backup.database);
  },
);

type Acts = { readonly post: string; readonly video: string };

/** A post and a video, each with bytes of its own. Returns their paths. */
async function act(client: Client, clip: Buffer): Promise<Acts> {
  const post = await client("POST", "/posts", { title: "In the backup", body: randomBytes(10).toString("hex") });
  const video = await client("POST", "/video-uploads", Buffer.concat([clip, randomBytes(64)]));
  expect([post.status, video.status]).toEqual([201, 202]);
  return { post: `/posts/${post.body.id}`, video: uploadPath(video.body) };
}

/** Base backups and the log that no moment of the last days needs are removed, and nothing else. */
async function expectForgetting(postgres: ReturnType<typeof createServers>, folder: string): Promise<void> {
  const bases = async () => (await readdir(join(folder, "base"))).sort();
  const nameOf = (daysAgo: number) =>
    `${new Date(Date.now() - daysAgo * 86_400_000)
      .toISOString()
      .replace(/\.\d+Z$/, "Z")
      .replaceAll(/[-:]/g, "")}`;
  const [first] = await bases();
  const old = [nameOf(20), nameOf(13)] as const;
  await rename(join(folder, "base", first!), join(folder, "base", old[0]));
  await postgres.start("live");
  await postgres.archiveAll();
  await postgres.backUp("once");
  // The older one is still the beginning of the time that can be restored.
  expect(await bases()).toEqual([old[0], expect.any(String)]);
  const log = async () => (await readdir(join(folder, "wal"))).filter((it) => /^\w{24}\.gz$/.test(it)).sort();
  const [earliest] = await log();
  const [, second] = await bases();
  await rename(join(folder, "base", second!), join(folder, "base", nameOf(15)));
  await postgres.archiveAll();
  await postgres.backUp("once");
  expect(await bases()).toHaveLength(2);
  expect(await bases()).not.toContain(old[0]);
  await postgres.archiveAll();
  expect((await log())[0]! > earliest!).toBe(true);
  // The container takes one a day, also if it starts more often.
  const setNewest = async (daysAgo: number) =>
    rename(join(folder, "base", (await bases()).at(-1)!), join(folder, "base", nameOf(daysAgo)));
  await setNewest(0.9);
  await expect(postgres.backUp("due")).rejects.toMatchObject({ code: 1, stderr: "" });
  await setNewest(1.1);
  await postgres.backUp("due");
  await postgres.backUpUntil(async () => (await bases()).filter((it) => it.endsWith("Z")).length === 3);
  // The health check must report a log that can't be archived.
  await rename(join(folder, "wal"), join(folder, "wal-away"));
  await writeFile(join(folder, "wal"), "");
  await postgres.query("SELECT pg_switch_wal()");
  await postgres.query("CREATE TABLE more (n int)");
  await postgres.query("SELECT pg_switch_wal()");
  await eventually(
    "a failing health check",
    () =>
      postgres.backUp("health").then(
        () => false,
        () => true,
      ),
    60_000,
    500,
  );
}

const runShell = (command: string, settings: Readonly<Record<string, string>>) =>
  exec("/bin/sh", ["-c", command], {
    cwd: repository,
    env: { PATH: `${join(repository, "node_modules/.bin")}:${process.env["PATH"]}`, ...settings },
  });

/** PostgreSQL as compose.yaml starts it, one at a time, with paths of this machine. Root runs it as the user of the Debian package. */
function createServers(top: string, command: readonly string[], backup: string) {
  const bin = findPostgresql()!;
  const asUser = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : [];
  const PATH = `${bin}:${process.env["PATH"]}`;
  let [running, port] = ["", 0];
  const call = (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const [program = "", ...args] = [...asUser, ...words];
    return exec(program, args, { cwd: "/", env: { PATH, BACKUP_DIR: backup, TMPDIR: top, ...more } });
  };
  const asClient = () => ({ PGHOST: "127.0.0.1", PGPORT: String(port), PGUSER: "plumbline", PGPASSWORD: PASSWORD });
  const urlOf = () => `postgresql://plumbline:${PASSWORD}@127.0.0.1:${port}/plumbline`;
  const query = <Row extends pg.QueryResultRow>(statement: string) => ask<Row>(urlOf(), statement);
  return {
    query,
    async create(name: string): Promise<void> {
      const file = join(top, "password");
      await writeFile(file, PASSWORD, { mode: 0o644 });
      await call([
        "initdb",
        "-D",
        join(top, name),
        "-U",
        "plumbline",
        `--pwfile=${file}`,
        // As the image of PostgreSQL does.
        "--encoding=UTF8",
        "--auth-local=trust",
        "--auth-host=scram-sha-256",
      ]);
    },
    async start(name: string, backupName?: string): Promise<string> {
      [port] = (await freePorts(1)) as [number];
      running = join(top, name);
      const archive = backupName === undefined ? backup : join(top, backupName);
      await mkdir(archive, { recursive: true });
      if (isRoot) await chown(archive, (await stat(running)).uid, (await stat(running)).gid);
      const flags = command.slice(1).map((it) => `'${it.replaceAll("/etc/plumbline", join(repository, "scripts/deploy"))}'`);
      const options = [...flags, "-c", `port=${port}`, "-c", `unix_socket_directories=${top}`].join(" ");
      await call(["pg_ctl", "start", "-D", running, "-s", "-w", "-l", join(top, `${name}.log`), `--options=${options}`], {
        BACKUP_DIR: archive,
      });
      if (name === "live")
        await call(["createdb", "-h", top, "-p", String(port), "-U", "plumbline", "plumbline"]).catch(() => undefined);
      return urlOf();
    },
    async stop(): Promise<void> {
      if (running !== "") await call(["pg_ctl", "stop", "-D", running, "-s", "-m", "immediate"]);
      running = "";
    },
    /** As the container backup-database does. */
    backUp: (what: "once" | "due" | "health") => call(["sh", SCRIPT, what], asClient()),
    /** The container itself, which is stopped when it has done something. */
    async backUpUntil(done: () => Promise<boolean>): Promise<void> {
      const [program = "", ...args] = [...asUser, "sh", SCRIPT, "run"];
      const child = spawn(program, args, {
        cwd: "/",
        env: { PATH, BACKUP_DIR: backup, TMPDIR: top, ...asClient() },
        stdio: "ignore",
      });
      const exited = once(child, "exit");
      try {
        await eventually("a base backup", done, 120_000, 100);
      } finally {
        child.kill("SIGTERM");
      }
      expect(await exited).toEqual([0, null]);
    },
    restore: (name: string, at: string, from: string) =>
      call(["sh", SCRIPT, "restore", at], { PGDATA: join(top, name), BACKUP_DIR: from }),
    async archiveAll(): Promise<void> {
      await query("CREATE TABLE IF NOT EXISTS marks (n int)");
      await query("INSERT INTO marks VALUES (1)");
      const [row] = await query<{ file: string }>("SELECT pg_walfile_name(pg_switch_wal()) AS file");
      await eventually("the archive", async () => {
        const [it] = await query<{ last: string | null }>("SELECT last_archived_wal AS last FROM pg_stat_archiver");
        return (it!.last ?? "") >= row!.file;
      });
    },
  };
}
