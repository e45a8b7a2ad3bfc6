import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { createFileStore } from "../../src/storage/file-store.ts";
import { collectOrphans } from "../../src/video-uploads/objects/orphan-gc.ts";
import { patient, type Body, type Client } from "../support/client.ts";
import { openConversation, walk, type Conversation } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { plumblineJson, repository, temporaryDataDir } from "../support/processes.ts";
import { ARCHIVING, startPrimary } from "../support/postgres-nodes.ts";
import { sha256Of, smallClip } from "../support/videos.ts";

const PAGE = new URL("../../scripts/deploy/BACKUP.md", import.meta.url);

/** A request that was acknowledged: when it began, when its response arrived, and when its resource was deleted, if it was. */
type Ack = {
  readonly kind: "post" | "message" | "url" | "video";
  readonly path: string;
  readonly text: string;
  readonly key: string;
  readonly sent: { readonly body: unknown; readonly path: string };
  readonly beganMs: number;
  readonly ackedMs: number;
  deleted?: { readonly beganMs: number; readonly ackedMs: number };
};

it("restores the database and the objects to one moment under load: nothing acknowledged is lost, nothing newer is there, every video has its bytes, and the orphan GC deletes none of them", async () => {
  await using scope = new AsyncDisposableStack();
  const [live, restored, copy] = [
    scope.use(await temporaryDataDir()),
    scope.use(await temporaryDataDir()),
    scope.use(await temporaryDataDir()),
  ].map((it) => it.path) as [string, string, string];
  const common = { NODE_ENV: "test", CURSOR_SECRETS: "a secret for the rehearsal", KEEP_DELETED_HOURS: "1" };
  const postgres = scope.use(await startPrimary(ARCHIVING));
  const before = scope.use(await createDeployment({ database: postgres, dataDir: live }));
  const processes = [await before.start("api", common), await before.start("worker", common)];
  const users = [await before.as(), await before.as()] as const;
  const [ada, bob] = users.map(patient) as [Client, Client];
  const conversation = await openConversation(ada, [bob]);
  const clip = await smallClip();
  const acks: Ack[] = [];
  // On a busy machine, the worker would otherwise need very long for all that the load can send.
  const limits = { videos: 40 };
  const load = startLoad([ada, bob], conversation, clip, acks, limits);
  await eventually("some load", () => acks.length > 150 && acks.some((it) => it.deleted !== undefined));

  const backup = scope.use(await postgres.backUp());
  const beforeCopy = acks.length;
  const page = (await ada("GET", "/posts?limit=5&sort=created_at")).body;
  await eventually("more load", () => acks.length > beforeCopy + 100);
  const succeeded = async () => (await ada("GET", "/video-uploads?status=succeeded")).body.data.length > 0;
  await eventually("a video that has succeeded", succeeded, 300_000);
  // Many small objects: like the copy of a large store, this one must still be running when it is stopped.
  for (let n = 0; n < 2_000; n++) {
    const upload = join(live, "objects/objects/video-uploads", randomUUID());
    await mkdir(upload);
    await writeFile(join(upload, "original"), "x");
  }
  const startedMs = Date.now();
  const copying = shell("## Back up", { ...common, DATA_DIR: live, COPY: copy });
  scope.defer(() => copying.end());
  await eventually("the beginning of the copy", () => existsSync(join(copy, "objects/video-uploads")), 60_000, 1);
  copying.signal("SIGSTOP");
  const stoppedMs = Date.now();
  expect(existsSync(join(copy, "began"))).toBe(false);
  // Rows need these at the target, and they are deleted before the copy reaches most of them.
  const doomed = acks.filter((it, index) => it.kind === "video" && it.ackedMs < startedMs && !isForLoad(index)).slice(-6);
  for (const it of doomed) await remove([ada, bob], it);
  copying.signal("SIGCONT");
  await copying.ended;
  const target = (await readFile(join(copy, "began"), "utf8")).trim();
  const targetMs = Date.parse(target);
  expect([startedMs <= targetMs, targetMs <= stoppedMs]).toEqual([true, true]);
  limits.videos += 10;
  await eventually("new videos", () => acks.filter((it) => it.kind === "video" && it.beganMs > targetMs).length > 5);
  await load.stop();
  await postgres.archiveAll();
  for (const it of processes) it.child.kill("SIGKILL");
  await Promise.all(processes.map((it) => it.exited));
  await postgres.kill();

  await shell("## Restore", { ...common, DATA_DIR: restored, COPY: copy, T: target }).ended;
  const second = scope.use(await backup.restore({ recovery_target_time: target }));
  const after = scope.use(await createDeployment({ database: second, dataDir: restored }));
  const { url: newUrl } = await (await after.start("api", common)).ready();
  const [adaAgain, bobAgain] = users.map((it) => patient(after.asAgain(it))) as [Client, Client];

  // Before any work is done on it: what is there, and what isn't.
  const videos = (await Promise.all([adaAgain, bobAgain].map((it) => walk(it, "/video-uploads")))).flat();
  const messages = await walk(adaAgain, conversation.messages, "before");
  const posts = await walk(adaAgain, "/posts");
  const urls = (await Promise.all([adaAgain, bobAgain].map((it) => walk(it, "/urls")))).flat();
  const present = new Set([...videos, ...messages, ...posts, ...urls].map((it) => it.id as string));
  const idOf = (it: Ack) => it.path.split("/").at(-1)!;
  const mustBe = acks.filter((it) => it.ackedMs < targetMs && !(it.deleted && it.deleted.beganMs <= targetMs));
  const mustNotBe = acks.filter((it) => it.beganMs > targetMs || (it.deleted && it.deleted.ackedMs < targetMs));
  expect(mustBe.filter((it) => !present.has(idOf(it)))).toEqual([]);
  expect(mustNotBe.filter((it) => present.has(idOf(it)))).toEqual([]);
  expect(messages.map((it) => it.sequence)).toEqual(messages.map((_, index) => messages.length - index));
  expect(mustBe).toEqual(expect.arrayContaining(doomed));
  expect(doomed.length).toBeGreaterThan(3);

  // Every listed video has every byte, those included that were deleted after the target.
  const settings = { ...common, DATABASE_URL: second.url, DATA_DIR: restored };
  const check = () => plumblineJson(settings, "store", "check", "--bytes");
  expect(await check()).toEqual({ exit: 0, lines: [{ checked: videos.length, faulty: 0 }] });

  // A worker continues what was running, and every video ends.
  await after.start("worker", { ...common, VIDEO_CONCURRENCY: "2" });
  const ended = await eventually(
    "the end of every video",
    async () => {
      const now = (await Promise.all([adaAgain, bobAgain].map((it) => walk(it, "/video-uploads")))).flat();
      return now.every((it) => it.status === "succeeded" || it.status === "failed") ? now : null;
    },
    300_000,
  );
  expect(ended.filter((it) => it.status === "succeeded").length).toBeGreaterThan(3);
  expect(ended.filter((it) => it.error?.code === "internal_error")).toEqual([]);
  const objects = createFileStore(join(restored, "objects"));
  const runGc = () => collectOrphans({ db: after.db, objects, log: pino({ level: "silent" }), graceMs: 0, orphanAgeMs: 0 });
  const refused = await runGc();
  await plumblineJson(settings, "store", "approve");
  const outcome = await runGc();
  expect(outcome.problem).toBeNull();
  expect(outcome.removed + refused.removed).toBeGreaterThan(0);
  expect(await check()).toMatchObject({ exit: 0, lines: [{ faulty: 0 }] });
  for (const it of ended.filter((video) => video.status === "succeeded")) {
    const owner = (await adaAgain("GET", `/video-uploads/${it.id}`)).status === 200 ? adaAgain : bobAgain;
    expect(await downloadOf(newUrl, owner, it)).toBe(it.result.renditions[0].size_bytes);
  }

  // A retry of what was acknowledged before the target gets the same response, and a cursor from then continues.
  for (const kind of ["post", "message", "url", "video"] as const) {
    const ack = mustBe.findLast((it) => it.kind === kind)!;
    const answers = await Promise.all([adaAgain, bobAgain].map((it) => again(it, ack)));
    const replayed = answers.filter((it) => it.headers.get("idempotency-replayed") === "true" && it.text === ack.text);
    expect([kind, replayed.length]).toEqual([kind, 1]);
  }
  const rest = await adaAgain("GET", `/posts?limit=5&sort=created_at&after=${page.page.next_cursor}`);
  expect(rest.body.data.map((it: Body) => it.id)).toEqual(
    posts
      .toReversed()
      .slice(5, 10)
      .map((it) => it.id),
  );
  expect((await plumblineJson(settings, "store", "show")).lines).toMatchObject([{ problem: null }]);
}, 600_000);

const again = (client: Client, { sent, key, kind }: Ack) =>
  client("POST", sent.path, sent.body, {
    headers: { "Idempotency-Key": key, ...(kind === "video" ? { "Content-Type": "video/mp4" } : {}) },
  });

/** The number of bytes of the first rendition, after its digest was compared with the digest in the response. */
async function downloadOf(url: string, { authorization }: Client, video: Body): Promise<number> {
  const response = await fetch(`${url}${video.result.renditions[0].href}`, { headers: { Authorization: authorization! } });
  const bytes = Buffer.from(await response.arrayBuffer());
  const [, digest] = /sha-256=:([^:]+):/.exec(response.headers.get("repr-digest") ?? "") ?? [];
  if (digest !== undefined) expect(Buffer.from(sha256Of(bytes), "hex").toString("base64")).toBe(digest);
  return bytes.length;
}

/** How long a video lives at least that the load deletes. */
const DOOMED_FOR_MS = 2_000;
/** Whether the load deletes what was acknowledged at this position. */
const isForLoad = (index: number) => index % 3 === 0;

/** Deletes a video, whichever of the users it belongs to. */
async function remove(users: readonly Client[], it: Ack): Promise<void> {
  it.deleted = { beganMs: Date.now(), ackedMs: Infinity };
  const gone = await Promise.all(users.map((client) => client("DELETE", it.path)));
  expect(gone.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  it.deleted = { ...it.deleted, ackedMs: Date.now() };
}

/** Sends requests of all kinds, and deletes some of what they create, until `stop`. */
function startLoad(
  users: readonly Client[],
  conversation: Conversation,
  clip: Buffer,
  acks: Ack[],
  limits: { readonly videos: number },
) {
  let [isOver, videos] = [false, 0];
  const each = async (client: Client, index: number) => {
    for (let round = index; !isOver; round++) {
      const kind = (["post", "message", "url", "video"] as const)[round % 4]!;
      if (kind === "video" && (videos += 1) > limits.videos) {
        videos -= 1;
        continue;
      }
      const sent = {
        post: { path: "/posts", body: { title: `Post ${round}`, body: "x" } },
        message: { path: conversation.messages, body: { body: `Message ${round}` } },
        url: { path: "/urls", body: { target_url: `https://example.com/${randomUUID()}` } },
        // Some are videos, some are not; each has other bytes.
        video: { path: "/video-uploads", body: round % 16 === 3 ? Buffer.concat([clip, freeBox()]) : randomBytes(20_000) },
      }[kind];
      const [key, beganMs] = [randomUUID(), Date.now()];
      const answer = await again(client, { kind, sent, key } as Ack);
      expect([201, 202]).toContain(answer.status);
      const path = answer.headers.get("location")!;
      const ack: Ack = { kind, path, text: answer.text, key, sent, beganMs, ackedMs: Date.now() };
      acks.push(ack);
      // Deletes some of the older ones, so that at any moment some are about to be deleted.
      const isDue = (it: Ack) => it.deleted === undefined && it.kind === "video" && it.ackedMs < Date.now() - DOOMED_FOR_MS;
      const old = acks.find((it, at) => isForLoad(at) && isDue(it));
      if (round % 6 === 0 && old !== undefined) await remove(users, old);
    }
  };
  const running = users.flatMap((client, index) => [each(client, index), each(client, index + 2)]);
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(running);
    },
  };
}

/** An atom that players ignore, with random bytes. */
function freeBox(): Buffer {
  const box = Buffer.concat([Buffer.alloc(4), Buffer.from("free"), randomBytes(32)]);
  box.writeUInt32BE(box.length);
  return box;
}

/** Runs the first shell block of a section of the page. */
function shell(section: string, env: Readonly<Record<string, string>>) {
  const text = readFileSync(PAGE, "utf8").split(`\n${section}\n`)[1]!;
  const script = /```sh\n([\s\S]*?)```/.exec(text)![1]!;
  const PATH = `${join(repository, "node_modules/.bin")}:${process.env["PATH"]}`;
  // A group of its own, so that a signal reaches every process.
  const child = spawn("/bin/sh", ["-c", script], {
    cwd: repository,
    env: { PATH, ...env },
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = child.stderr.toArray();
  const ended = once(child, "close").then(async ([code]) => {
    if (code !== 0) throw new Error(`exit code ${code}: ${Buffer.concat((await said) as Buffer[]).toString()}`);
  });
  const signal = (name: NodeJS.Signals) => process.kill(-child.pid!, name);
  const end = () => void (child.exitCode === null && child.signalCode === null && signal("SIGKILL"));
  // Nothing waits for it if the test has failed before.
  ended.catch(() => undefined);
  return { ended, signal, end };
}
