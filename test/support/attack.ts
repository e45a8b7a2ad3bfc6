import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Client } from "./client.ts";
import { eventually } from "./eventually.ts";
import { createDeployment } from "./deployment.ts";
import { heldBytes, MEASURED, residentBytes, type Running } from "./running.ts";

/** The service as `npm start` runs it, with the limits that it is shipped with, and people who are not attacking it. */
export type Besieged = AsyncDisposable & {
  readonly url: string;
  readonly process: Running;
  readonly databaseUrl: string;
  /** A fresh user, such as one who attacks. */
  as(): Promise<Client>;
  /** What others saw before an attack and during it, and what it has left behind. */
  endure(attack: () => Promise<unknown>): Promise<Report>;
};

export type Report = {
  /** What a second client was answered wrongly during the attack. */
  readonly failures: readonly string[];
  /** How long the slowest answer but one in a hundred took it. */
  readonly p99Ms: { readonly before: number; readonly during: number };
  /** How many requests can be under way at once. */
  readonly places: { readonly before: number; readonly after: number };
  /** How much more the process holds than before, after a garbage collection. */
  readonly heldMiB: number;
  /** How much more memory it has in RAM; noise, for whoever reads the log. */
  readonly residentMiB: number;
};

const BYSTANDERS = 24;
/** `MAX_IN_FLIGHT` as shipped; asked for by many, as nobody gets all places alone. */
const PLACES = 512;
const HOLDERS = 128;

/** A leak of the requests, of their bodies or of their connections is many times this; what an attack leaves otherwise is a tenth. */
export const HELD_MIB_MAX = 2;

/** One instance for some attacks: each is measured against what was before it. */
export async function besiege(settings: Readonly<Record<string, string>> = {}): Promise<Besieged> {
  await using stack = new AsyncDisposableStack();
  const deployment = stack.use(await createDeployment());
  // An empty setting is one that is not set: the tests lift the limits otherwise.
  const process = await deployment.start("all", { RATE_LIMITS: "", ...settings }, MEASURED);
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
      const placesBefore = await countPlaces(url, holders);
      const before = await bystander.during(async () => undefined);
      const memoryBefore = await memoryOf(process);
      const during = await bystander.during(attack);
      // The last of its connections have closed a moment ago.
      const after = await eventually("the places that there were", async () => {
        const places = await countPlaces(url, holders);
        return places >= placesBefore ? places : null;
      });
      // What is still being worked on, such as an upload's job, is held for good reason.
      const settled = async () => (await memoryOf(process)).heldMiB - memoryBefore.heldMiB < HELD_MIB_MAX;
      await eventually("what it held before", settled, 20_000, 500).catch(() => undefined);
      const memoryAfter = await memoryOf(process);
      return {
        failures: during.failures,
        p99Ms: { before: before.p99Ms, during: during.p99Ms },
        places: { before: placesBefore, after },
        heldMiB: memoryAfter.heldMiB - memoryBefore.heldMiB,
        residentMiB: memoryAfter.residentMiB - memoryBefore.residentMiB,
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * An attack, measured in rounds until one shows that others wait less than the factor allows, at most three. What else the
 * machine does makes a round slower; a service that lets others wait is slow in every one. All rounds are returned, so that
 * what an attack leaves behind is judged in each.
 */
export async function endureRounds(
  service: Besieged,
  name: string,
  attack: () => Promise<unknown>,
  warmUp = attack,
): Promise<Report[]> {
  // Once before it counts, so that what is loaded and compiled once does not count as held.
  await warmUp();
  const rounds: Report[] = [];
  do {
    const round = await service.endure(attack);
    process.stderr.write(inWords(name, round));
    rounds.push(round);
  } while (slowdown(rounds) >= SLOWDOWN_MAX && rounds.length < 3);
  return rounds;
}

/** The p99 of others may grow by less than this factor during an attack. */
export const SLOWDOWN_MAX = 10;

/** By which factor the p99 of others grew in the calmest round. */
export const slowdown = (rounds: readonly Report[]): number =>
  Math.min(...rounds.map(({ p99Ms }) => p99Ms.during / p99Ms.before));

/** The figures of a round in one line, for the log. */
const inWords = (attack: string, { failures, p99Ms, places, heldMiB, residentMiB }: Report): string =>
  `${attack}: p99 of others ${p99Ms.before.toFixed(1)} ms before, ${p99Ms.during.toFixed(1)} ms meanwhile, ${failures.length} failures; ${places.after} of ${places.before} places free after; holds ${heldMiB.toFixed(1)} MiB more (resident: ${residentMiB.toFixed(1)} MiB)\n`;

async function memoryOf(process: Running): Promise<{ readonly heldMiB: number; readonly residentMiB: number }> {
  return { heldMiB: (await heldBytes(process)) / 2 ** 20, residentMiB: (await residentBytes(process.pid)) / 2 ** 20 };
}

type Bystander = {
  during(attack: () => Promise<unknown>): Promise<{ p99Ms: number; failures: readonly string[] }>;
  end(): Promise<void>;
};

async function startBystander(url: string, users: readonly Client[]): Promise<Bystander> {
  const child = fork(fileURLToPath(new URL("./bystander-process.ts", import.meta.url)), [
    url,
    ...users.map((it) => it.authorization!),
  ]);
  const answer = async () => (await once(child, "message"))[0] as { times: number[]; failures: string[] };
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
      const { times, failures } = await report;
      return { p99Ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!, failures };
    },
    async end() {
      const over = once(child, "exit");
      child.disconnect();
      await over;
    },
  };
  // The first requests of all are those that are compiled.
  await bystander.during(async () => undefined);
  return bystander;
}

/** Takes as many places at once as there are, each with a request whose body is asked for and does not come. */
async function countPlaces(url: string, holders: readonly Client[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  try {
    const statuses = await Promise.all(
      Array.from({ length: PLACES }, async (_, index) => {
        const socket = connect(Number(port), hostname).on("error", () => undefined);
        sockets.push(socket);
        socket.write(
          `POST /posts HTTP/1.1\r\nHost: x\r\nAuthorization: ${holders[index % holders.length]!.authorization}\r\n` +
            "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
        );
        const [head] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
        return Buffer.isBuffer(head) ? Number(head.toString().split(" ")[1]) : 0;
      }),
    );
    return statuses.filter((it) => it === 100).length;
  } finally {
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map(async (it) => it.closed || once(it, "close")));
  }
}
