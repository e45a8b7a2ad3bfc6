import { keysOf, type Contract, type Json } from "./document.ts";
import type { Pair } from "./pairs.ts";
import type { Change } from "./promises.ts";
import { placeOf, short } from "./words.ts";

/** What a link asks for; a client that follows it would ask for something else. Links that come or go are in rating.ts. */
export function compareLinks(base: Contract, pairs: readonly Pair[]): readonly Change[] {
  return pairs
    .filter(({ pointer }) => keysOf(pointer).at(-2) === "links")
    .flatMap(({ was, now, pointer }): Change[] => {
      const { subject, place } = placeOf(base, pointer);
      const [before, after] = [requestOf(was), requestOf(now)];
      const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (it) => short(before[it]) !== short(after[it]),
      );
      return keys.map((it) => ({
        impact: "major",
        subject,
        what: `${place}: ${it}: ${short(before[it])} → ${short(after[it])}`,
      }));
    });
}

function requestOf({ parameters = {}, description: _, ...rest }: Json): Json {
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(parameters as Json).map(([name, it]) => [`parameter \`${name}\``, it])),
  };
}
