import { readdir, readFile } from "node:fs/promises";

const SPIN_MS = 100;

/**
 * How many times as long work takes now as on an idle machine: elapsed time divided by processor time. Multiply a limit in
 * milliseconds by it.
 */
export function crowding(): number {
  const [beganMs, before] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    const ownMs = (user + system) / 1_000;
    if (ownMs >= SPIN_MS) return Math.max(1, (performance.now() - beganMs) / ownMs);
  }
}

/** How long the main thread of a process has run, or has waited for a processor. Linux only. */
export async function busyMs(pid: number): Promise<number> {
  const [ranNs, waitedNs] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ").map(Number);
  return (ranNs! + waitedNs!) / 1e6;
}

/** The processor time of a running process, all threads included. Linux only. */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(threads.map((it) => readFile(`/proc/${pid}/task/${it}/schedstat`, "utf8").catch(() => "0")));
  return times.reduce((sum, it) => sum + Number(it.split(" ")[0]), 0) / 1e6;
}
