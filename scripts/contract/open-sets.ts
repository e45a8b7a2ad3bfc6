import type { Contract, Json } from "./document.ts";
import type { Pair } from "./pairs.ts";
import type { Change } from "./promises.ts";
import { placeOf } from "./words.ts";

/** What changed in open sets, wherever they are written. That a closed set opens is seen in its `enum`. */
export function compareOpenSets(base: Contract, pairs: readonly Pair[]): readonly Change[] {
  return pairs.flatMap(({ was, now, pointer }): Change[] => {
    const [before, after] = [openSet(was), openSet(now)];
    const { subject, place } = placeOf(base, pointer);
    const about = (impact: Change["impact"], what: string): Change => ({
      impact,
      subject,
      what: place === "" ? what : `${place}: ${what}`,
    });
    if (before === undefined)
      return after === undefined || was["enum"] !== undefined ? [] : [about("minor", "is an open set now")];
    if (after === undefined)
      return [about("major", now["enum"] === undefined ? "is no open set any more" : "the open set is closed")];
    return [
      ...before.filter((it) => !after.includes(it)).map((it) => about("major", `the open set loses \`${it}\``)),
      ...after.filter((it) => !before.includes(it)).map((it) => about("minor", `the open set gains \`${it}\``)),
    ];
  });
}

const openSet = (schema: Json): readonly string[] | undefined =>
  Array.isArray(schema["x-extensible-enum"]) ? schema["x-extensible-enum"] : undefined;
