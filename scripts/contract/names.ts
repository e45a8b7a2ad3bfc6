import type { Contract, Json } from "./document.ts";
import { schemaName, type Pair } from "./pairs.ts";
import type { Change } from "./promises.ts";
import { placeOf, short } from "./words.ts";

/** What changed in names that never travel, although generated clients are made of them: COMPATIBILITY.md, 3.1. */
export function compareNames(base: Contract, revision: Contract, pairs: readonly Pair[]): readonly Change[] {
  return [
    ...pairs.flatMap((it) => [...schemaNameChanges(base, revision, it), ...constantChanges(base, it)]),
    ...tagChanges(base, revision),
  ];
}

/** A place that refers to a schema of another name, or begins or ends to refer to one. */
function schemaNameChanges(base: Contract, revision: Contract, { was, now, pointer }: Pair): Change[] {
  const [before, after] = [schemaName(was), schemaName(now)];
  // That a schema is gone altogether is said once, of the schema itself.
  if (before === after || (before !== undefined && after !== undefined && !(before in (revision.components["schemas"] ?? {}))))
    return [];
  const { subject, place } = placeOf(base, pointer);
  const what =
    before === undefined
      ? `has a schema of its own name now, \`${after}\``
      : after === undefined
        ? `is written out now instead of being a \`${before}\``
        : `is a \`${after}\` instead of a \`${before}\``;
  return [{ impact: "major", subject, what: place === "" ? what : `${place}: ${what}` }];
}

/** The names of the constants that stay; those of values that come or go are part of that. */
function constantChanges(base: Contract, { was, now, pointer }: Pair): Change[] {
  const [before, after] = [constantsOf(was), constantsOf(now)];
  if ([...before.keys()].every((it) => !after.has(it) || before.get(it) === after.get(it))) return [];
  const { subject, place } = placeOf(base, pointer);
  const what = `the names of the values: ${short(was["x-enum-varnames"])} → ${short(now["x-enum-varnames"])}`;
  return [{ impact: "major", subject, what: place === "" ? what : `${place}: ${what}` }];
}

/** The values of a set, each with the name of its constant. */
function constantsOf(schema: Json): ReadonlyMap<unknown, unknown> {
  const values = schema["enum"] ?? schema["x-extensible-enum"];
  const names = schema["x-enum-varnames"];
  return new Map(Array.isArray(values) ? values.map((it, index) => [it, Array.isArray(names) ? names[index] : undefined]) : []);
}

function tagChanges(base: Contract, revision: Contract): Change[] {
  const namesOf = ({ tags = [] }: Contract) => (tags as readonly Json[]).map((it) => String(it["name"]));
  const [before, after] = [namesOf(base), namesOf(revision)];
  return [
    ...before
      .filter((it) => !after.includes(it))
      .map((it): Change => ({ impact: "major", subject: `tag \`${it}\``, what: "is removed" })),
    ...after
      .filter((it) => !before.includes(it))
      .map((it): Change => ({ impact: "minor", subject: `tag \`${it}\``, what: "is new" })),
  ];
}
