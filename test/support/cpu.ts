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

/** The processor time of a running process, all threads included. Linux only. */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(threads.map((it) => readFile(`/proc/${pid}/task/${it}/schedstat`, "utf8").catch(() => "0")));
  return times.reduce((sum, it) => sum + Number(it.split(" ")[0]), 0) / 1e6;
}
