import { execFileSync, spawn } from "node:child_process";

/** Servers run on one core; PostgreSQL and the load generator share another one. */
export const [CORE_OF_SERVERS, CORE_OF_OTHERS] = ["0", "1"] as const;

/** Moves a process, with all its threads, to a core. */
export const pin = (pid: number, core: string) =>
  execFileSync("taskset", ["-a", "-p", "-c", core, String(pid)], { stdio: "ignore" });

/** A process that uses as much of the core of the servers as it gets. */
export function startBusyLoop() {
  const child = spawn("taskset", ["-c", CORE_OF_SERVERS, process.execPath, "-e", "for (;;);"], { stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  return { [Symbol.dispose]: () => void (kill(), process.off("exit", kill)) };
}
