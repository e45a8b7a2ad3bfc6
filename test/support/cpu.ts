import { readdir, readFile } from "node:fs/promises";

/** The time that a living process has spent on a processor, all of its threads together. Linux only. */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(threads.map((it) => readFile(`/proc/${pid}/task/${it}/schedstat`, "utf8").catch(() => "0")));
  return times.reduce((sum, it) => sum + Number(it.split(" ")[0]), 0) / 1e6;
}
