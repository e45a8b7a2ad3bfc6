import { acknowledgedWrites, acknowledgementsOf, type Recorder } from "./recorder.ts";

/** What a fault did to the clients. */
export type Effect = {
  readonly fault: string;
  readonly proof: string;
  readonly longestGapMs: number;
  readonly recoveredMs: number;
};

/** A line for each fault. */
export const linesOf = (effects: readonly Effect[]): string =>
  effects
    .map(
      (it) =>
        `${it.fault}: ${it.proof}; longest gap ${Math.round(it.longestGapMs)} ms, back after ${Math.round(it.recoveredMs)} ms`,
    )
    .join("\n");

const UNEXPECTED_MAX = 5;

/** A line about the whole run, and the first responses that no fault explains. */
export function summaryOf(recorder: Recorder): string {
  const { events, writes } = recorder;
  const many = (outcome: string) => events.filter((it) => it.outcome === outcome).length;
  const attempted = Object.values(writes).flat();
  const repeated = attempted.filter((it) => it.acknowledgements.length > 1).length;
  const requests = `${acknowledgementsOf(recorder).length + many("read")} requests answered, ${many("refused")} refused, ${many("lost")} lost`;
  const line = `${attempted.length} writes attempted, ${acknowledgedWrites(recorder)} acknowledged, ${repeated} of them repeated with their key; ${requests}`;
  return [line, ...recorder.unexpected.slice(0, UNEXPECTED_MAX).map((it) => `Unexpected: ${it}`)].join("\n");
}
