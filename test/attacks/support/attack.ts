import { fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "@jest/globals";
import type { Client } from "../../support/client.ts";
import { busyMs, heldBytes, MEASURED, type Running } from "../../support/processes.ts";
import { createDeployment } from "../../support/deployment.ts";
import { eventually } from "../../support/eventually.ts";
import { leave, openSocket } from "../../support/socket.ts";

/** The service as `npm start` runs it, with the default limits, and users that don't attack it. */
export type Besieged = AsyncDisposable & {
  readonly url: string;
  readonly process: Running;
  readonly databaseUrl: string;
  /** Creates a user, for example an attacker. */
  as(): Promise<Client>;
  /** Runs an attack, and reports its effect on other users and on the process. */
  endure(attack: Attack): Promise<Report>;
  /** Resolves when the service does next to nothing. */
  calm(): Promise<void>;
};

/**
 * An attack can start with more requests than it continues with, and then call `begun`. `begun` waits until the service has done
 * them, and they are judged by the work that they cost.
 */
export type Attack = (begun: Begun) => Promise<unknown>;
export type Begun = () => Promise<void>;

type Report = {
  /** Wrong responses to other users during the attack. */
  readonly failures: readonly string[];
  /** How long the service was busy with the beginning of the attack, and how long others waited at most. */
  readonly beginning: { readonly busyMs: number; readonly longestMs: number } | null;
  /** The 99th percentile of the response times of other users, after the beginning. */
  readonly p99Ms: { readonly before: number; readonly during: number };
  /** How many requests can be in flight at once. */
  readonly permits: { readonly before: number; readonly after: number };
  /** By how much the memory in use has grown, after a garbage collection. */
  readonly heldMiB: number;
};

const BYSTANDERS = 48;
/** The default of `MAX_IN_FLIGHT`. Many users take these permits, because one user can't have all of them. */
const PERMITS = 512;
const HOLDERS = 128;

/** A leak of requests, bodies or connections is many times as large. Without a leak, an attack leaves a tenth of this. */
const HELD_MIB_MAX = 2;

/** Starts one instance for several attacks. Each attack is compared with the state just before it. */
export async function besiege(settings: Readonly<Record<string, string>> = {}): Promise<Besieged> {
  await using stack = new AsyncDisposableStack();
  const deployment = stack.use(await createDeployment());
  // An empty setting counts as not set. By default, tests switch off the limits.
  const defaults = { RATE_LIMITS: "", DATABASE_POOL_TIMEOUT_SECONDS: "" };
  const process = await deployment.start("all", { ...defaults, ...settings }, MEASURED);
  const { url } = await process.ready();
  const people = (count: number) => Promise.all(Array.from({ length: count }, () => deployment.as()));
  const holders = await people(HOLDERS);
  const bystander = await startBystander(url, await people(BYSTANDERS));
  stack.defer(() => bystander.end());
  const owned = stack.move();
  return {
    url,
    process,
    databaseUrl: deployment.databaseUrl,
    as: () => deployment.as(),
    async endure(attack) {
      // On a busy machine, the crowd that takes the permits can be refused because it makes a queue, so the best count is right.
      let permitsBefore = 0;
      for (let count = 0; count < 3 && permitsBefore < PERMITS; count++)
        permitsBefore = Math.max(permitsBefore, await countPermits(url, holders));
      const busy = () => busyMs(process.pid);
      const [calmFromMs, calmFrom] = [performance.now(), await busy()];
      const before = await bystander.during(async () => undefined);
      const calmShare = ((await busy()) - calmFrom) / (performance.now() - calmFromMs);
      const heldBefore = await heldBytes(process);
      const busyBefore = await busy();
      let beginningMs = 0;
      const during = await bystander.during(() =>
        attack(async () => {
          await calmAgain(busy, calmShare);
          beginningMs = (await busy()) - busyBefore;
          bystander.beginNextPart();
        }),
      );
      // Its last connections have only just closed.
      const after = await eventually("the number of free permits before the attack", async () => {
        const permits = await countPermits(url, holders);
        return permits >= permitsBefore ? permits : null;
      });
      // Work that the attack has started, such as the job of an upload, can still need memory for a while.
      const grownMiB = async () => ((await heldBytes(process)) - heldBefore) / 2 ** 20;
      const isSettled = async () => (await grownMiB()) < HELD_MIB_MAX;
      await eventually("the memory before the attack", isSettled, 20_000, 500).catch(() => undefined);
      return {
        failures: during.failures,
        beginning: during.beginning && { busyMs: beginningMs, longestMs: Math.max(...during.beginning) },
        p99Ms: { before: before.p99Ms, during: during.p99Ms },
        permits: { before: permitsBefore, after },
        heldMiB: await grownMiB(),
      };
    },
    calm: () => calmAgain(() => busyMs(process.pid), IDLE_SHARE),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What the service needs of a processor without any request, on a busy machine. */
const IDLE_SHARE = 0.1;
const WATCH_MS = 500;
const CALM_WITHIN_MS = 30_000;

/**
 * Waits until a service is hardly busier than it was before an attack. One that stays busier is not waited for: what others
 * notice of that is measured.
 */
async function calmAgain(busy: () => Promise<number>, calmShare: number): Promise<void> {
  const untilMs = performance.now() + CALM_WITHIN_MS;
  for (let share = 1; share > 1.5 * calmShare + 0.05 && performance.now() < untilMs;) {
    const [fromMs, from] = [performance.now(), await busy()];
    await delay(WATCH_MS);
    share = ((await busy()) - from) / (performance.now() - fromMs);
  }
}

export const ROUNDS_MAX = 5;

/** During an attack, the p99 of others must grow by less than this factor. */
const SLOWDOWN_MAX = 10;

/** The same for an attack that costs the service next to nothing after its beginning. */
export const STANDING_SLOWDOWN_MAX = 5;

type Limits = { readonly warmUp: Attack; readonly slowdownMax?: number };

/**
 * Runs an attack in up to `ROUNDS_MAX` rounds, until in one of them others don't wait longer than allowed. Other work on the
 * machine makes some rounds slow; a bad service is slow in all of them. No round may refuse others, or leave anything behind.
 */
export async function endure(service: Besieged, attack: Attack, limits: Limits): Promise<void> {
  const { warmUp, slowdownMax = SLOWDOWN_MAX } = limits;
  // Once before the measurement, so that memory for code that is loaded and compiled only once doesn't count.
  await warmUp(() => service.calm());
  const slowdowns: number[] = [];
  do {
    const round = await service.endure(attack);
    slowdowns.push(slowdown(round));
    const { failures, permits, heldMiB } = round;
    expect(failures).toEqual([]);
    // On a busy machine, fewer permits than there are can be counted before.
    expect(permits.after).toBeGreaterThanOrEqual(permits.before);
    expect(permits.before).toBeGreaterThan(400);
    expect(heldMiB).toBeLessThan(HELD_MIB_MAX);
  } while (slowdowns.at(-1)! >= slowdownMax && slowdowns.length < ROUNDS_MAX);
  expect(Math.min(...slowdowns)).toBeLessThan(slowdownMax);
}

/**
 * The factor by which the p99 of others grew. At the beginning of an attack, others may also wait for the work that it costs, but for
 * nothing else.
 */
const slowdown = ({ beginning, p99Ms }: Report): number =>
  Math.max(p99Ms.during, beginning === null ? 0 : beginning.longestMs - beginning.busyMs) / p99Ms.before;

type Measurement = {
  readonly beginning: readonly number[] | null;
  readonly p99Ms: number;
  readonly failures: readonly string[];
};

type Bystander = {
  during(attack: () => Promise<unknown>): Promise<Measurement>;
  /** What was measured so far was the beginning. */
  beginNextPart(): void;
  end(): Promise<void>;
};

async function startBystander(url: string, users: readonly Client[]): Promise<Bystander> {
  const child = fork(fileURLToPath(new URL("./bystander-process.ts", import.meta.url)), [
    url,
    ...users.map((it) => it.authorization!),
  ]);
  const answer = async () => (await once(child, "message"))[0] as { parts: number[][]; failures: string[] };
  await answer();
  const bystander: Bystander = {
    async during(attack) {
      const report = answer();
      child.send("start");
      try {
        await attack();
      } finally {
        child.send("stop");
      }
      const { parts, failures } = await report;
      const times = parts.at(-1)!.sort((a, b) => a - b);
      return { beginning: parts.length > 1 ? parts[0]! : null, p99Ms: times[Math.floor(times.length * 0.99)]!, failures };
    },
    beginNextPart: () => void child.send("next part"),
    async end() {
      const over = once(child, "exit");
      child.disconnect();
      await over;
    },
  };
  // The first requests are slow, because their code is not compiled yet.
  await bystander.during(async () => undefined);
  return bystander;
}

/** Counts the free permits: takes them with requests that send no body, and counts how many get 100 Continue. */
async function countPermits(url: string, holders: readonly Client[]): Promise<number> {
  const sockets: Socket[] = [];
  try {
    const statuses = await Promise.all(
      Array.from({ length: PERMITS }, async (_, index) => {
        const socket = openSocket(
          url,
          `POST /posts HTTP/1.1\r\nHost: x\r\nAuthorization: ${holders[index % holders.length]!.authorization}\r\n` +
            "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
        );
        sockets.push(socket);
        const [head] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
        return Buffer.isBuffer(head) ? Number(head.toString().split(" ")[1]) : 0;
      }),
    );
    return statuses.filter((it) => it === 100).length;
  } finally {
    await leave(sockets);
  }
}
