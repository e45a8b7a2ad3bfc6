import { keysOf, operationsOf, type Contract } from "./document.ts";
import { compareGrowth } from "./growth.ts";
import { compareLinks } from "./links.ts";
import { compareNames } from "./names.ts";
import { compareNullability } from "./nullability.ts";
import { compareOneWay } from "./one-way.ts";
import { compareOpenSets } from "./open-sets.ts";
import { pairsOf } from "./pairs.ts";
import { comparePromises, type Change } from "./promises.ts";
import { rate } from "./rating.ts";
import { redoclyDiff, type RawChange } from "./redocly-diff.ts";
import { withoutExperimental } from "./stability.ts";
import { byImpact } from "./versions.ts";
import { eventOf, placeOf } from "./words.ts";

/** Everything that changed from one contract to another, in words, the gravest first. What is experimental breaks nothing. */
export async function compareContracts(base: Contract, revision: Contract): Promise<readonly Change[]> {
  const all = await compareAll(base, revision);
  if (!all.some((it) => it.impact === "major")) return all;
  const stable = await compareAll(...withoutExperimental(base, revision));
  const isStable = new Set(stable.map(keyOf));
  const others = all
    .filter((it) => !isStable.has(keyOf(it)))
    .map((it): Change => (it.impact === "major" ? { ...it, impact: "minor", what: `${it.what} (experimental)` } : it));
  return [...stable, ...others].sort((one, other) => byImpact(one.impact, other.impact));
}

const keyOf = ({ subject, what }: Change) => `${subject}: ${what}`;

async function compareAll(base: Contract, revision: Contract): Promise<readonly Change[]> {
  const nullability = compareNullability(base, revision);
  const isAboutNull = (side: RawChange["base"]) => [...nullability.keys()].some((at) => `${side?.pointer}/`.startsWith(`${at}/`));
  const raw = (await redoclyDiff(base, revision))
    .filter((it) => !isAboutNull(it.base) && !isAboutNull(it.revision))
    .flatMap((it) => byOperation(it, base, revision));
  const found = raw.flatMap((it): Change[] => {
    const impact = rate(it, base, revision);
    return impact === null ? [] : [{ impact, ...inWords(it, base, revision) }];
  });
  const pairs = pairsOf(base, revision);
  const others = [
    compareNames(base, revision, pairs),
    compareOpenSets(base, pairs),
    compareOneWay(base, pairs),
    compareGrowth(base, pairs),
    compareLinks(base, pairs),
  ].flat();
  const all = [...found, ...nullability.values(), ...comparePromises(base, revision), ...others];
  const unique = new Map(all.map((it) => [`${it.impact} ${it.subject} ${it.what}`, it]));
  return [...unique.values()].sort((one, other) => byImpact(one.impact, other.impact));
}

/** A path that came or went as a whole is its operations. */
function byOperation(change: RawChange, base: Contract, revision: Contract): RawChange[] {
  if (change.typeName !== "PathItem" || change.kind === "modified") return [change];
  const ofPath = operationsOf(change.kind === "added" ? revision : base).filter((it) => it.path === keysOf(change.path)[1]);
  return ofPath.map(({ method, operation }) => {
    const side = { pointer: `${change.path}/${method}`, value: operation };
    return {
      ...change,
      typeName: "Operation",
      path: side.pointer,
      ...(change.kind === "added" ? { revision: side } : { base: side }),
    };
  });
}

/**
 * Where it is written says more than where it shows: what a shared component does, it does everywhere. But when another
 * component is referred to, what changed is the place that refers.
 */
function inWords(change: RawChange, base: Contract, revision: Contract): { subject: string; what: string } {
  const [before, after] = [ownerOf(change.base?.pointer, change), ownerOf(change.revision?.pointer, change)];
  const isRename = change.kind === "modified" && change.property === "key";
  const isElsewhere = !isRename && before !== undefined && after !== undefined && before !== after;
  const pointer = isElsewhere ? change.path.replace(/\/\$ref$/, "") : ((isRename ? before : (after ?? before)) ?? change.path);
  const { subject, place } = placeOf(isRename || after === undefined ? base : revision, pointer);
  return { subject, what: place === "" ? eventOf(change) : `${place}: ${eventOf(change)}` };
}

/** The node that was changed; a keyword that is there on one side only has a pointer to the node itself on the other. */
function ownerOf(pointer: string | undefined, { kind, property }: RawChange): string | undefined {
  return kind === "modified" && property !== undefined && pointer?.endsWith(`/${property}`) === true
    ? pointer.slice(0, -property.length - 1)
    : pointer;
}
