import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Order, Outcome } from "./generator.ts";

/** The process that sends the requests, so that they cost the benchmark's own process nothing. */
export function startGenerator() {
  const child = fork(join(import.meta.dirname, "generator.ts"), { stdio: "inherit" });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The load generator has ended.")));
  // It also ends when the benchmark does.
  ended.catch(() => undefined);
  return {
    pid: child.pid!,
    async send(order: Order): Promise<Outcome> {
      child.send(order);
      const [outcome] = (await Promise.race([once(child, "message"), ended])) as [Outcome];
      return outcome;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}
