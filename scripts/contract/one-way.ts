import type { Contract } from "./document.ts";
import type { Pair } from "./pairs.ts";
import type { Change } from "./promises.ts";
import { placeOf } from "./words.ts";

const FORBIDS = { readOnly: "request", writeOnly: "response" } as const;

/** Fields that may not be sent any more, or are not answered any more: `redocly diff` takes the two words for prose. */
export function compareOneWay(base: Contract, pairs: readonly Pair[]): readonly Change[] {
  return pairs.flatMap(({ was, now, pointer, side }) =>
    (["readOnly", "writeOnly"] as const).flatMap((keyword): Change[] => {
      if (side !== FORBIDS[keyword] || was[keyword] === true || now[keyword] !== true) return [];
      const { subject, place } = placeOf(base, pointer);
      return [
        {
          impact: "major",
          subject,
          what: `${place}: ${keyword === "readOnly" ? "may not be sent any more" : "is not answered any more"}`,
        },
      ];
    }),
  );
}
