import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { lacks } from "../support/needs.ts";
import { freePorts, startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import type { Running } from "../support/processes.ts";
import { s3rver } from "../support/s3-server.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { startOwnPostgres, type OwnPostgres } from "./postgres.ts";

/** A process of the service that can be killed and started again, at the same port. */
export type Member = {
  readonly name: string;
  readonly url: string;
  readonly dataDir: string;
  running(): Running;
  /** Kills it. Returns what has ended it. */
  kill(): Promise<number | string>;
  restart(): Promise<void>;
};

/** Two API processes and two workers, one PostgreSQL and one object store, each behind a proxy. */
export type Site = {
  readonly deployment: Deployment;
  readonly postgres: OwnPostgres;
  /** The network between the service and PostgreSQL. */
  readonly database: TcpProxy;
  /** The network between the service and the object store. */
  readonly store: TcpProxy;
  readonly apis: readonly Member[];
  readonly workers: readonly Member[];
  /** The disk of PostgreSQL; null if this machine can't mount one. */
  readonly disk: SmallDisk | null;
  /** Moves the clock of the second API process and the second worker. Needs faketime. */
  setClock(seconds: number): Promise<void>;
  /** The processes that have ended without being killed, with their output. */
  deaths(): readonly string[];
  /** What the processes have logged, those that were killed included. */
  logs(): string;
};

const DISK_BYTES = 768 * 2 ** 20;

export async function createSite(stack: AsyncDisposableStack): Promise<Site> {
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), "plumbline-faults-")), (it) =>
    rm(it, { recursive: true, force: true }),
  );
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(folder, 0o711);
  const disk = lacks("mount") === null ? stack.use(await mountSmallDisk(DISK_BYTES)) : null;
  const postgres = stack.use(await startOwnPostgres(disk?.path ?? folder));
  const database = stack.use(await startTcpProxy(postgres.url));
  const server = stack.adopt(await s3rver.start(), (it) => it.stop());
  const store = stack.use(await startTcpProxy(server.endpoint));
  const deployment = stack.use(await createDeployment({ dataDir: folder, database: postgres }));
  const { bucket, prefix, region = "", credentials } = server.settings();
  const clock = await createClock(folder);
  const settings = {
    DATABASE_URL: database.url,
    OBJECT_STORE: `s3://${bucket}/${prefix}`,
    S3_ENDPOINT: store.url,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: credentials!.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
    LOG_LEVEL: "warn",
  };
  const [all, deaths]: [Running[], string[]] = [[], []];
  let isOver = false;
  stack.defer(() => {
    isOver = true;
  });

  const member = async (role: "api" | "worker", index: number): Promise<Member> => {
    const name = `${role} ${index + 1}`;
    const dataDir = join(folder, `${role}-${index + 1}`);
    const [port = 0] = role === "api" ? await freePorts(1) : [];
    const isKilled = new WeakSet<Running>();
    let running: Running;
    const start = async () => {
      const own = { ...settings, PORT: String(port), DATA_DIR: dataDir, ...(index === 1 ? clock.settings : {}) };
      const started = await deployment.start(role, own);
      void started.exited.then((how) => {
        if (!isOver && !isKilled.has(started)) deaths.push(`${name} ended with ${how}: ${started.stderr().slice(-2_000)}`);
      });
      all.push(started);
      running = started;
    };
    await start();
    return {
      name,
      url: `http://127.0.0.1:${port}`,
      dataDir,
      running: () => running,
      async kill() {
        isKilled.add(running);
        running.child.kill("SIGKILL");
        return running.exited;
      },
      restart: start,
    };
  };
  const apis = [await member("api", 0), await member("api", 1)];
  const workers = [await member("worker", 0), await member("worker", 1)];
  return {
    deployment,
    postgres,
    database,
    store,
    apis,
    workers,
    disk,
    setClock: clock.set,
    deaths: () => deaths,
    logs: () => all.map((it) => `${it.stdout()}${it.stderr()}`).join("\n"),
  };
}

/** Settings with which the clock of a process shows the time of a file. Timers keep running at the same speed, as in reality. */
async function createClock(folder: string) {
  const file = join(folder, "clock");
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? "" : "+"}${seconds}s\n`);
  await set(0);
  if (lacks("faketime") !== null) return { set, settings: {} };
  const library = execFileSync("faketime", ["-f", "+0s", "printenv", "LD_PRELOAD"], { encoding: "utf8" }).trim();
  return {
    set,
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  };
}
