/** Lists the processes of this machine, to show that none is left running. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** The ids of processes whose command line or working directory contains `text`. Linux only; on other systems, an empty list. */
export async function processesNaming(text: string): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if ((commandLine.includes(text) || folder.includes(text)) && pid !== process.pid) found.push(pid);
  }
  return found;
}

/** The ids of the child processes of a process. Linux only; on other systems, an empty list. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}
