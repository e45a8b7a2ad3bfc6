import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import type { Need } from "../support/needs.ts";
import { processesNaming } from "../support/processes.ts";
import type { Load } from "./clients.ts";
import { longestGapMs } from "./recorder.ts";
import type { Member, Site } from "./site.ts";

/** From when on both API processes can work again after a fault, and until when it had an effect. */
export type Happening = { readonly backMs: number; readonly untilMs?: number };

export type Fault = {
  readonly name: string;
  readonly needs: readonly Need[];
  /** The limit for the first acknowledgement of each API process after `backMs`. */
  readonly backWithinMs: number;
  /** The limit between two acknowledgements, if the fault leaves a process that can work. */
  readonly gapMaxMs?: number;
  inject(parts: { readonly site: Site; readonly load: Load; readonly random: (below: number) => number }): Promise<Happening>;
};

const RESTART_MS = 1_000;
/** The queue notices the loss of a worker, and gives its job to another one. */
const RUNS_AGAIN_WITHIN_MS = 20_000;
const DOWN_MS = 2_000;
const LATE_MS = 200;
const SILENT_MS = 4_000;
const FULL_MS = 3_000;
const AWAY_MS = 3_000;
const JUMP_SECONDS = 3_600;
/** PostgreSQL is back when it accepts a connection, and a network when it forwards bytes again. */
const [OF_POSTGRES_MS, OF_NETWORK_MS] = [1_000, 5_000];

const fault = (name: string, inject: Fault["inject"], more: Partial<Fault> = {}): Fault => ({
  name,
  needs: [],
  backWithinMs: OF_POSTGRES_MS,
  ...more,
  inject,
});

/** Fails if the fault did not happen: then the run would prove nothing. */
function happened(isTrue: boolean, proof: string): void {
  if (!isTrue) throw new Error(`The fault did not happen: ${proof}`);
}

const oneOf = (members: readonly Member[], random: (below: number) => number) => members[random(members.length)]!;
const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Waits for a line in the log of PostgreSQL that was not there before. */
const logged = (site: Site, pattern: RegExp, before: number) =>
  eventually(`the line ${pattern} in the log of PostgreSQL`, () => countOf(site.postgres.log(), pattern) > before);

export const FAULTS: readonly Fault[] = [
  fault(
    "kill -9 of an API process",
    async ({ site, random }) => {
      const api = oneOf(site.apis, random);
      const how = await api.kill();
      await delay(RESTART_MS);
      // From now on, the start of a process takes the CPU of the other one.
      const untilMs = performance.now();
      await api.restart();
      happened(how === "SIGKILL", `${api.name} ended with ${how}`);
      return { backMs: performance.now(), untilMs };
    },
    { gapMaxMs: OF_POSTGRES_MS },
  ),
  fault(
    "kill -9 of a worker during a transcode",
    async ({ site, load }) => {
      const backMs = performance.now();
      const worker = await eventually("a worker at work on a video", async () => {
        await load.upload();
        for (const it of site.workers) if ((await processesNaming(`${it.dataDir}/`)).length > 0) return it;
        return null;
      });
      const running = await site.postgres.run("SELECT id, attempt FROM video_uploads WHERE status = 'processing'");
      const how = await worker.kill();
      await delay(RESTART_MS);
      const untilMs = performance.now();
      await worker.restart();
      const isTaken = async () => {
        const values = [running.map((it) => it["id"]), running.map((it) => it["attempt"])];
        const text = `SELECT FROM video_uploads u JOIN unnest($1::uuid[], $2::int[]) AS it (id, attempt) USING (id) WHERE u.attempt > it.attempt`;
        return (await site.postgres.run(text, values)).length > 0;
      };
      await eventually("another attempt at the video", isTaken, RUNS_AGAIN_WITHIN_MS);
      happened(how === "SIGKILL", `${worker.name} ended with ${how}`);
      return { backMs, untilMs };
    },
    { gapMaxMs: OF_POSTGRES_MS },
  ),
  fault("all sockets to PostgreSQL cut", async ({ site }) => {
    const count = site.database.drop();
    happened(count > 0, `${count} sockets were cut`);
    return { backMs: performance.now() };
  }),
  fault("port of PostgreSQL down for 2 s", async ({ site, load }) => {
    const sinceMs = performance.now();
    await site.database.cut();
    await delay(DOWN_MS);
    await site.database.mend();
    const refused = load.recorder.events.filter((it) => it.outcome === "refused" && it.atMs > sinceMs).length;
    happened(refused > 0, `${refused} requests were refused`);
    return { backMs: performance.now() };
  }),
  fault(
    "200 ms later in each direction",
    async ({ site, load }) => {
      site.database.delay(LATE_MS);
      await delay(LATE_MS);
      const [sinceMs, written] = [performance.now(), load.recorder.writes.post.length];
      await delay(SILENT_MS);
      const late = load.recorder.writes.post.slice(written).filter((it) => it.startedMs > sinceMs && it.acknowledgedMs !== null);
      const fastest = Math.min(...late.map((it) => it.acknowledgedMs! - it.startedMs));
      happened(late.length > 0 && fastest >= 2 * LATE_MS, `the fastest of ${late.length} posts took ${Math.round(fastest)} ms`);
      await site.database.mend();
      return { backMs: performance.now() };
    },
    { backWithinMs: OF_NETWORK_MS },
  ),
  fault(
    "black hole for 4 s",
    async ({ site, load }) => {
      site.database.freeze();
      const sinceMs = performance.now();
      await delay(SILENT_MS);
      await site.database.mend();
      const backMs = performance.now();
      const gapMs = longestGapMs(load.recorder, sinceMs, backMs);
      happened(gapMs > SILENT_MS / 2, `nothing was acknowledged for ${Math.round(gapMs)} ms`);
      return { backMs };
    },
    { backWithinMs: OF_NETWORK_MS },
  ),
  fault("pg_terminate_backend of all sessions", async ({ site }) => {
    const text =
      "SELECT pg_terminate_backend(pid) AS ok FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
    const count = (await site.postgres.run(text)).filter((it) => it["ok"]).length;
    happened(count > 0, `${count} sessions were terminated`);
    return { backMs: await site.postgres.accepts() };
  }),
  fault("kill -9 of a session", async ({ site }) => {
    const before = countOf(site.postgres.log(), /terminated by signal 9/g);
    const [session] = await site.postgres.run(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'plumbline' ORDER BY backend_start LIMIT 1",
    );
    process.kill(session!["pid"] as number, "SIGKILL");
    await logged(site, /terminated by signal 9/g, before);
    return { backMs: await site.postgres.accepts() };
  }),
  fault("kill -9 of the postmaster", async ({ site }) => {
    const how = await site.postgres.end("SIGKILL");
    happened(how === "SIGKILL", `PostgreSQL ended with ${how}`);
    return { backMs: await site.postgres.accepts() };
  }),
  fault("fast restart of PostgreSQL", async ({ site }) => {
    // What pg_ctl restart -m fast sends.
    const code = await site.postgres.end("SIGINT");
    happened(code === 0, `PostgreSQL ended with ${code}`);
    return { backMs: await site.postgres.accepts() };
  }),
  fault(
    "disk of PostgreSQL full for 3 s",
    async ({ site }) => {
      const isFull = /"53100"|No space left on device/g;
      const before = countOf(site.logs(), isFull);
      await site.disk!.fill();
      await delay(FULL_MS);
      await site.disk!.empty();
      const backMs = await site.postgres.accepts();
      const count = countOf(site.logs(), isFull) - before;
      happened(count > 0, `the service logged ${count} times that the disk is full`);
      return { backMs };
    },
    { needs: ["mount"] },
  ),
  fault(
    "clocks of one API process and one worker jump an hour ahead, and back",
    async ({ site, load }) => {
      const backMs = performance.now();
      const before = load.recorder.writes.post.length;
      await site.setClock(JUMP_SECONDS);
      // The ids of posts begin with the time of the process that made them (UUIDv7).
      const isAhead = () =>
        load.recorder.writes.post.slice(before).some(({ acknowledgements: [it] }) => {
          return it !== undefined && timeOf(it.id) > Date.now() + (JUMP_SECONDS * 1_000) / 2;
        });
      await eventually("a post with an id of the future", isAhead);
      await delay(DOWN_MS);
      await site.setClock(0);
      const last = load.recorder.writes.post.length;
      await eventually("only ids of the present", () => load.recorder.writes.post.length > last + 100);
      return { backMs };
    },
    { needs: ["faketime"], gapMaxMs: OF_POSTGRES_MS },
  ),
  fault(
    "object store away for 3 s",
    async ({ site, load }) => {
      const before = load.recorder.events.length;
      await site.store.cut();
      const uploaded = load.upload();
      await delay(AWAY_MS);
      const refused = load.recorder.events.slice(before).filter((it) => it.outcome === "refused").length;
      await site.store.mend();
      const backMs = performance.now();
      await uploaded;
      happened(refused > 0, `${refused} uploads were refused, and accepted later`);
      return { backMs };
    },
    { gapMaxMs: OF_POSTGRES_MS },
  ),
];

const timeOf = (uuid: string) => Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
