import type { Change } from "./change.ts";
import { keysOf, operationsOf, type Contract } from "./document.ts";
import { extensionOf, describeExtension } from "./extensions.ts";
import { normalize } from "./normalize.ts";
import { impactOf } from "./impact.ts";
import { redoclyDiff, type RawChange } from "./redocly-diff.ts";
import { directionsOf, type IsUsedIn } from "./direction.ts";
import { withoutExperimental } from "./stability.ts";
import { byImpact } from "./versions.ts";
import { withWebhooksAsResponses } from "./webhooks.ts";
import { describeChange, locationOf, type Location } from "./describe-change.ts";

/** All changes from one contract to another, in words, the most severe first. A change to an experimental part is minor. */
export async function compareContracts(...contracts: readonly [base: Contract, revision: Contract]): Promise<readonly Change[]> {
  const [base, revision] = contracts.map(withWebhooksAsResponses) as [Contract, Contract];
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

async function compareAll(...contracts: readonly [base: Contract, revision: Contract]): Promise<readonly Change[]> {
  const [base, revision] = contracts.map(normalize) as [Contract, Contract];
  const isUsedIn = directionsOf(base);
  const found = (await redoclyDiff(base, revision))
    .flatMap((it) => byOperation(it, base, revision))
    .flatMap((it) => withImpact(it, isUsedIn, base, revision));
  const unique = new Map(grouped(found, revision).map((it) => [`${it.impact} ${it.subject} ${it.what}`, it]));
  return [...unique.values()].sort((one, other) => byImpact(one.impact, other.impact));
}

function withImpact(
  change: RawChange,
  isUsedIn: IsUsedIn,
  base: Contract,
  revision: Contract,
): (Change & { isPromise: boolean })[] {
  const extension = extensionOf(change);
  const { subject, part } = locationOfChange(change, base, revision);
  const at = (what: string) => (part === "" ? what : `${part}: ${what}`);
  if (extension === undefined) {
    const impact = impactOf(change, isUsedIn, base, revision);
    return impact === null ? [] : [{ impact, subject, what: at(describeChange(change)), isPromise: false }];
  }
  // A change of the schema is reported where it is used.
  if (
    extension === "x-schema" &&
    [change.base, change.revision].every((it) => it !== undefined && isComponent(ownerOf(it.pointer, change)))
  )
    return [];
  const { description, subject: own } = describeExtension(extension, change, isUsedIn, revision);
  if (description === null) return [];
  const [impact, what] = description;
  return [{ impact, subject: own ?? subject, what: own === undefined ? at(what) : what, isPromise: part === "" }];
}

/** A path that was added or removed as a whole becomes one change for each of its operations. */
function byOperation(change: RawChange, base: Contract, revision: Contract): RawChange[] {
  if (change.typeName !== "PathItem" || change.kind === "modified") return [change];
  const ofPath = operationsOf(change.kind === "added" ? revision : base).filter((it) => it.path === keysOf(change.path)[1]);
  return ofPath.map(({ method, operation }) => {
    const node = { pointer: `${change.path}/${method}`, value: operation };
    return {
      ...change,
      typeName: "Operation",
      path: node.pointer,
      ...(change.kind === "added" ? { revision: node } : { base: node }),
    };
  });
}

/**
 * Where the changed node is defined, because a shared component applies everywhere. For a changed reference, the location of the
 * reference.
 */
function locationOfChange(change: RawChange, base: Contract, revision: Contract): Location {
  const [before, after] = [ownerOf(change.base?.pointer, change), ownerOf(change.revision?.pointer, change)];
  const isRename = change.kind === "modified" && change.property === "key";
  const [here, there] = isRename || after === undefined ? [before, after] : [after, before];
  const contract = isRename || after === undefined ? base : revision;
  if (isRename || here === undefined || there === undefined || here === there) return locationOf(contract, here ?? change.path);
  // If an inline node becomes a component, or the reverse, the location of the inline node.
  const written = [before, after].find((it) => !isComponent(it));
  if (written !== undefined && isComponent(written === before ? after : before))
    return locationOf(written === before ? base : revision, written);
  return locationOf(revision, change.path.replace(/\/(\$ref|x-[^/]*)$/, ""));
}

const isComponent = (pointer: string | undefined) => keysOf(pointer ?? "").length <= 3;

/** The changed node. If a keyword exists on one side only, the pointer of the other side is the node itself. */
function ownerOf(pointer: string | undefined, { kind, property }: RawChange): string | undefined {
  const owner =
    kind === "modified" && property !== undefined && pointer?.endsWith(`/${property}`) === true
      ? pointer.slice(0, -property.length - 1)
      : pointer;
  return owner?.replace(/\/x-.*$/, "");
}

const NAMED_MAX = 3;

/** Joins equal changes to several operations, for example of a shared response, into one entry. */
function grouped(changes: readonly (Change & { isPromise: boolean })[], revision: Contract): Change[] {
  const order = operationsOf(revision).map((it) => `\`${it.name}\``);
  return [...Map.groupBy(changes, (it) => (it.isPromise ? it.what : Symbol()))].map(([, same]) => {
    const subjects = same.map((it) => it.subject).sort((one, other) => order.indexOf(one) - order.indexOf(other));
    const more = subjects.length - NAMED_MAX;
    const subject = subjects.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
    return { impact: same[0]!.impact, subject, what: same[0]!.what };
  });
}
