import { readdir, readFile } from "node:fs/promises";
import { cpuMs } from "../support/processes.ts";

/** The resources that processes use, as Linux reports them. */

/** The parent of a process; null if the process has ended. */
async function findParent(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // The name of the command is in brackets, and can contain spaces.
  return text === null ? null : Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

export async function parentOf(pid: number): Promise<number> {
  const parent = await findParent(pid);
  if (parent === null) throw new Error(`Process ${pid} has ended.`);
  return parent;
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((it) => /^\d+$/.test(it)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await findParent(pid)) === parent ? [pid] : [])));
  return found.flat();
}

/** The CPU time of each process, in milliseconds. */
export type CpuTimes = ReadonlyMap<number, number>;

/**
 * The processes of PostgreSQL that work for a database: its sessions, and those that all databases share. Sessions of another
 * subject, which may be about to close, are not counted. A session shows its database and its client in its command line.
 */
export async function cpuOfPostgres(postmaster: number, database: string): Promise<CpuTimes> {
  const children = await childrenOf(postmaster);
  const times = await Promise.all(
    children.map(async (pid): Promise<readonly (readonly [number, number])[]> => {
      const title = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (isSessionOfOther(title, database)) return [];
      return cpuMs(pid).then(
        (ms) => [[pid, ms]] as const,
        () => [],
      );
    }),
  );
  return new Map(times.flat());
}

const isSessionOfOther = (title: string, database: string) =>
  /^postgres: \S+ \S+ \S+\(\d+\)/.test(title) && title.split(" ")[2] !== database;

/** What the processes have used since then. A process that has ended is not counted. */
export function cpuSince(before: CpuTimes, now: CpuTimes): number {
  return [...now].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}

/** The memory that a process has in RAM. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? NaN) * 1024;
}
