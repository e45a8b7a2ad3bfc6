import type { Registry } from "prom-client";
import type { WatchSemaphore } from "../util/semaphore.ts";
import { gauge } from "./instruments.ts";

/** Declares the gauge of all semaphores. Returns a function that adds a semaphore. */
export function createPermitMetrics(registry: Registry): WatchSemaphore {
  const watched = new Map<string, Parameters<WatchSemaphore>[1]>();
  gauge(
    registry,
    "plumbline_permits",
    "Permits that are held, and callers that wait for one, by semaphore.",
    (it) => {
      for (const [semaphore, { held, waiting }] of watched) {
        it.set({ semaphore, state: "held" }, held);
        it.set({ semaphore, state: "waiting" }, waiting);
      }
    },
    ["semaphore", "state"],
  );
  return (name, semaphore) => void watched.set(name, semaphore);
}
