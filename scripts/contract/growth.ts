import { nodeAt, type Contract, type Json } from "./document.ts";
import type { Pair } from "./pairs.ts";
import type { Change } from "./promises.ts";
import type { RawChange } from "./redocly-diff.ts";
import { placeOf } from "./words.ts";

const UPPER_LIMITS = ["maxLength", "maxItems", "maximum"];
const MARK = "x-may-grow";

/** Whether it is a higher limit that the old contract has announced: COMPATIBILITY.md, 2.11. */
export function isAnnouncedGrowth({ property = "", base, revision }: RawChange, contract: Contract): boolean {
  if (!UPPER_LIMITS.includes(property) || base === undefined || revision === undefined) return false;
  const owner = nodeAt(contract, base.pointer.replace(/\/[^/]*$/, "")) as Json | undefined;
  return owner?.[MARK] === true && Number(revision.value) > Number(base.value);
}

/** An announcement that comes later: a client has taken the limit for one that stays. */
export function compareGrowth(base: Contract, pairs: readonly Pair[]): readonly Change[] {
  return pairs.flatMap(({ was, now, pointer, side }): Change[] => {
    if (side !== "response" || was[MARK] === now[MARK]) return [];
    const { subject, place } = placeOf(base, pointer);
    const what = now[MARK] === true ? "its limit may grow now" : "its limit stays now";
    return [{ impact: now[MARK] === true ? "major" : "minor", subject, what: place === "" ? what : `${place}: ${what}` }];
  });
}
