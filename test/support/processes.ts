/** Looks at the processes of this machine, to show that none is left behind. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** The ids of the living processes whose command line or working folder holds `text`. Only Linux tells; elsewhere there are none. */
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
