import { LRUCache } from "lru-cache";

const REMEMBERED_MAX = 1_000;

/** Lets a polling client see the end of a job: the first request returns `processing`, and all later ones `succeeded`. */
export type Jobs = {
  /** Starts a job. Every upload returns the same id, so this can be a restart. */
  begin(id: string): void;
  /** The name of the example to return. */
  stateOf(id: string): "processing" | "succeeded";
  /** Records that the client has seen `processing`. */
  seen(id: string): void;
};

/** Remembers which jobs have been requested. The mock has no other state. */
export function createJobs(): Jobs {
  const asked = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  return {
    begin: (id) => void asked.delete(id),
    stateOf: (id) => (asked.has(id) ? "succeeded" : "processing"),
    seen: (id) => void asked.set(id, true),
  };
}
