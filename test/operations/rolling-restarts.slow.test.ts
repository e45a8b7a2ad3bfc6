import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { freePorts } from "../support/tcp-proxy.ts";
import { childrenOf, run, type Running } from "../support/processes.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";
import { finished, smallClip, storedFiles, upload } from "../support/videos.ts";
import { interpolate, readHere, requiredVariables } from "./support/compose.ts";
import { compare, NOTHING_WRONG, openWriters, startWriting, summaryOf } from "./support/acknowledged-writes.ts";
import { startReading } from "./support/steady-reads.ts";

const [ROUNDS, REQUESTS] = sized([1, 5_000], [10, 50_000]);
const [WRITERS, READERS, PAUSE_MS] = sized([2, 4, 10], [3, 5, 0]);
const LINES = ["GET /account", "GET /account", "GET /posts?limit=1", "GET /conversations?limit=1"];
const variables = Object.fromEntries(requiredVariables().map((name) => [name, "filled-in"]));
const VIDEOS = 3;
/** The bar of the service for the time from SIGTERM to the end of a worker. */
const EXIT_MAX_MS = 10_000;

itNeeds(
  ["linux", "haproxy", "ffmpeg"],
  `rolling restarts of two instances behind a proxy and two workers: ${REQUESTS} requests all succeed, each worker stops within ${EXIT_MAX_MS / 1_000} s in the middle of a job, and every video succeeds once`,
  async () => {
    await using stack = new AsyncDisposableStack();
    const deployment = stack.use(await createDeployment());
    const [front, statistics, ...ports] = await freePorts(4);
    const { SHUTDOWN_DELAY_SECONDS, TRUST_PROXY } = interpolate(variables).services["api-1"]!.environment!;
    // A machine that is busy with videos refuses nothing.
    const patience = { DATABASE_POOL_TIMEOUT_SECONDS: "20", MAX_QUEUE_MS: "0" };
    const settings = { SHUTDOWN_DELAY_SECONDS: SHUTDOWN_DELAY_SECONDS!, TRUST_PROXY: TRUST_PROXY!, ...patience };
    const start = (port: number) => deployment.start("api", { PORT: String(port), ...settings });
    const [instances, workers]: [Running[], Running[]] = [[], []];
    // Until it is open, each job is in the middle.
    const gate = stack.use(await gatedFfmpeg());
    const startWorker = () => deployment.start("worker", { FFMPEG_PATH: gate.path, VIDEO_CONCURRENCY: "1" });
    for (const port of ports) instances.push(await start(port));
    for (let n = 0; n < 2; n++) workers.push(await startWorker());
    const proxy = await startProxy(stack, front!, statistics!, ports);
    for (const port of ports) await eventually("both instances behind the proxy", () => proxy.sendsTo(port));

    const ada = await deployment.as();
    const users = await Promise.all(Array.from({ length: WRITERS + READERS }, () => deployment.as()));
    const jobs: Body[] = [];
    for (let n = 0; n < VIDEOS; n++) jobs.push(await upload(ada, await smallClip()));
    const writers = await openWriters(users.slice(READERS));
    const writing = stack.use(await startWriting([proxy.url], writers, seededRandom("rolling restarts")));
    const tokens = users.slice(0, READERS).map((it) => it.authorization!);
    const reading = stack.use(startReading(proxy.url, tokens, LINES, PAUSE_MS));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, port] of ports.entries()) {
        const worker = workers[index]!;
        await eventually("a job of the worker", async () => (await childrenOf(worker.pid)).length > 0, 60_000);
        const startedMs = performance.now();
        worker.child.kill("SIGTERM");
        expect({ exit: await worker.exited, stderr: worker.stderr() }).toEqual({ exit: 0, stderr: "" });
        expect(performance.now() - startedMs).toBeLessThan(EXIT_MAX_MS);
        workers[index] = await startWorker();

        instances[index]!.child.kill("SIGTERM");
        expect(await instances[index]!.exited).toBe(0);
        instances[index] = await start(port);
        // Until then, the proxy has only the other instance.
        await eventually("the instance behind the proxy again", () => proxy.sendsTo(port));
      }
    }
    const sent = () => writing.acknowledged() + reading.count();
    await eventually(`${REQUESTS} requests`, () => sent() >= REQUESTS, 300_000);
    const reads = await reading.stop();
    const history = await writing.stop();
    expect([reads.statuses, summaryOf(history).statuses]).toEqual([[200], [201]]);
    expect(await compare(deployment.db, history)).toEqual(NOTHING_WRONG);
    await gate.open();
    const ended = await Promise.all(jobs.map((job) => finished(ada, job)));
    const attempts = ended.reduce((sum, it) => sum + (it.attempt as number), 0);
    // The fault has happened: workers were stopped in the middle of jobs, and other workers continued them.
    expect(attempts).toBeGreaterThan(jobs.length);
    await expectOneResult(deployment, ada, ended);
  },
);

/** One notification and one set of files for each video, however many attempts it took. */
async function expectOneResult(deployment: Deployment, owner: Client, videos: readonly Body[]): Promise<void> {
  expect(videos.map((it) => it.status)).toEqual(videos.map(() => "succeeded"));
  await eventually("all notifications", async () => (await notificationsOf(owner)).length >= videos.length);
  const notified = (await notificationsOf(owner)).map(([, id]) => id);
  expect(notified.toSorted()).toEqual(videos.map((it) => it.id as string).toSorted());
  // An attempt removes its folder after it has said how it ended.
  await eventually("no scratch folder", async () => (await storedFiles(deployment, "scratch")).length === 0);
  const files = await storedFiles(deployment);
  for (const it of videos) {
    const own = files.filter((file) => file.includes(it.id as string) && !file.endsWith("/original"));
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter((file) => !file.includes(`${it.id}/${it.attempt}/`))).toEqual([]);
  }
}

/** HAProxy with the configuration of the deployment, in front of the instances. It does not retry failed requests. */
async function startProxy(stack: AsyncDisposableStack, port: number, statistics: number, ports: readonly number[]) {
  const file = join(stack.use(await temporaryFolder()).path, "haproxy.cfg");
  const configuration = readHere("scripts/deploy/haproxy.cfg")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("retries 2", "retries 0")
    .replaceAll(/server api-(\d) \S+/g, (_, n: string) => `server at-${ports[Number(n) - 1]} 127.0.0.1:${ports[Number(n) - 1]}`);
  const shown = `frontend statistics\n  bind 127.0.0.1:${statistics}\n  stats enable\n  stats uri /\n`;
  await writeFile(file, `${configuration}\n${shown}`);
  stack.use(run({}, ["-db", "-f", file], [], "haproxy"));
  return {
    url: `http://127.0.0.1:${port}`,
    /** Whether the proxy considers the instance at this port ready. */
    async sendsTo(instance: number): Promise<boolean> {
      const table = await fetch(`http://127.0.0.1:${statistics}/;csv`).then(
        (it) => it.text(),
        () => "",
      );
      return table.split("\n").some((line) => line.startsWith(`api,at-${instance},`) && line.includes(",UP,"));
    },
  };
}
