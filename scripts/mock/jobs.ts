import { LRUCache } from "lru-cache";

const REMEMBERED_MAX = 1_000;

/** Lets a job come to an end for a client that polls: it is on the way when first asked for, and has succeeded ever after. */
export type Jobs = {
  /** A new upload: its job begins, again if need be, as every upload is answered with the same id. */
  begin(id: string): void;
  /** The name of the example that shows the job. */
  stateOf(id: string): "processing" | "succeeded";
  /** The client has seen the job on its way. */
  seen(id: string): void;
};

/** The one thing that the mock remembers: which jobs have been asked for. */
export function createJobs(): Jobs {
  const asked = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  return {
    begin: (id) => void asked.delete(id),
    stateOf: (id) => (asked.has(id) ? "succeeded" : "processing"),
    seen: (id) => void asked.set(id, true),
  };
}
