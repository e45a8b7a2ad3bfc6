import type { Observation, Read, Write } from "./history.ts";

/** How one request ended: acknowledged (a write), answered (a read), refused by the service, or lost in transit. */
export type Event = {
  readonly atMs: number;
  readonly outcome: "acknowledged" | "read" | "refused" | "lost";
  readonly target: number;
};

export type Kind = "post" | "url" | "message" | "upload";

/** Everything that the clients have seen. */
export type Recorder = {
  readonly writes: Record<Kind, Write[]>;
  /** The writes of messages, and the reads, by conversation. */
  readonly messages: Map<string, Write[]>;
  readonly reads: Map<string, Read[]>;
  readonly observations: Observation[];
  readonly events: Event[];
  /** Responses that no fault explains, such as a 500. */
  readonly unexpected: string[];
};

export const createRecorder = (conversations: readonly string[]): Recorder => ({
  writes: { post: [], url: [], message: [], upload: [] },
  messages: new Map(conversations.map((id) => [id, []])),
  reads: new Map(conversations.map((id) => [id, []])),
  observations: [],
  events: [],
  unexpected: [],
});

/** When each acknowledgement arrived, optionally only those of one API process. */
export function acknowledgementsOf({ events }: Recorder, target?: number): number[] {
  return events
    .filter((it) => it.outcome === "acknowledged" && (target === undefined || it.target === target))
    .map((it) => it.atMs);
}

/** How many writes were acknowledged. A repeated write counts once. */
export const acknowledgedWrites = ({ writes }: Recorder): number =>
  Object.values(writes)
    .flat()
    .filter((it) => it.acknowledgedMs !== null).length;

/** The longest time without an acknowledgement in an interval, until the first one after it. */
export function longestGapMs(recorder: Recorder, fromMs: number, toMs: number): number {
  const instants = acknowledgementsOf(recorder).filter((it) => it > fromMs);
  const end = instants.find((it) => it > toMs) ?? toMs;
  const inside = [fromMs, ...instants.filter((it) => it <= toMs), end];
  return Math.max(...inside.slice(1).map((it, index) => it - inside[index]!));
}
