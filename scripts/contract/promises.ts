import {
  everyNode,
  nodeAt,
  operationsOf,
  responsesOf,
  type Contract,
  type Json,
  type PlacedOperation,
  type RawOperation,
} from "./document.ts";
import type { Impact } from "./versions.ts";
import { quotaImpact } from "./quotas.ts";
import { unsettled } from "./stability.ts";
import { placeOf, short } from "./words.ts";

/** A change in words; `subject` is what it is about, `what` completes the sentence. */
export type Change = { readonly impact: Impact; readonly subject: string; readonly what: string };

/** What changed in the promises that no schema expresses: rights, quotas, problem codes, deprecations. */
export function comparePromises(base: Contract, revision: Contract): readonly Change[] {
  const before = new Map(operationsOf(base).map((it) => [it.operation.operationId, it]));
  const changes = operationsOf(revision).flatMap((now): Change[] => {
    const was = before.get(now.operation.operationId);
    if (was === undefined) return [];
    const found = [
      ...securityChanges(was.operation, now.operation),
      ...accessChanges(was.operation, now.operation),
      ...otherChanges(was.operation, now.operation),
      ...unsettled(base, revision, now).map((it): Found => ["major", `${it} is experimental now, which it was not`]),
      ...codeChanges(base, was, revision, now),
    ];
    return found.map(([impact, what]) => ({ impact, subject: `\`${now.name}\``, what }));
  });
  return [...grouped(changes), ...catalogueChanges(base, revision), ...exampleChanges(base, revision)];
}

type Found = readonly [Impact, string];

const scopesOf = ({ security = [] }: RawOperation): readonly string[] => security.flatMap((it) => Object.values(it).flat());

function securityChanges(was: RawOperation, now: RawOperation): Found[] {
  const [wasPublic, isPublic] = [was, now].map(({ security = [] }) => security.length === 0);
  // That nobody is asked any more breaks no client, and is still nothing to slip through with a minor version.
  if (wasPublic !== isPublic) return [["major", isPublic === true ? "needs no token any more" : "needs a token now"]];
  const gained = scopesOf(now).filter((it) => !scopesOf(was).includes(it));
  const lost = scopesOf(was).filter((it) => !scopesOf(now).includes(it));
  const isOther = gained.length + lost.length === 0 && short(was.security) !== short(now.security);
  return [
    ...gained.map((it): Found => ["major", `needs the scope \`${it}\` now`]),
    ...lost.map((it): Found => ["major", `no longer needs the scope \`${it}\``]),
    ...(isOther ? [["major", `asks for other credentials: ${short(now.security)}`] as const] : []),
  ];
}

function accessChanges(was: RawOperation, now: RawOperation): Found[] {
  const [before, after] = [was, now].map((it) => (it["x-access"] ?? {}) as Readonly<Record<string, string>>) as [
    Record<string, string>,
    Record<string, string>,
  ];
  const principals = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((it) => before[it] !== after[it]);
  return principals.map((it) => [
    after[it] === "allowed" ? "minor" : "major",
    `${it}: ${short(before[it])} → ${short(after[it])}`,
  ]);
}

type Mark = { readonly deprecated_at: string; readonly sunset_at: string };

/** The other extensions of an operation. */
function otherChanges(was: RawOperation, now: RawOperation): Found[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(now)])].filter(
    (it) => it.startsWith("x-") && it !== "x-access" && short(was[it]) !== short(now[it]),
  );
  return names.map((name): Found => {
    if (name === "x-deprecation") return deprecationChange(was[name] as Mark | undefined, now[name] as Mark | undefined);
    if (name === "x-unknown-query")
      return now[name] === "ignored"
        ? ["minor", "ignores unknown query parameters now"]
        : ["major", "refuses unknown query parameters now"];
    if (name === "x-rate-limit")
      return [quotaImpact(was[name], now[name]), `draws on the quota ${short(now[name])} instead of ${short(was[name])}`];
    if (name === "x-stability")
      return now[name] === undefined
        ? ["minor", "is no longer experimental"]
        : ["major", "is experimental now, which it was not"];
    if (name === "x-no-idempotency-key") return ["patch", `\`${name}\` is worded anew`];
    return ["minor", `\`${name}\`: ${short(was[name])} → ${short(now[name])}`];
  });
}

function deprecationChange(was: Mark | undefined, now: Mark | undefined): Found {
  if (now === undefined) return ["minor", "is no longer deprecated"];
  if (was === undefined) return ["minor", `is deprecated since ${now.deprecated_at}, and works until ${now.sunset_at} at least`];
  return [now.sunset_at < was.sunset_at ? "major" : "minor", `works until ${now.sunset_at} instead of ${was.sunset_at}`];
}

function codeChanges(base: Contract, was: PlacedOperation, revision: Contract, now: PlacedOperation): Found[] {
  const codesOf = (contract: Contract, { operation }: PlacedOperation) =>
    [...responsesOf(contract, operation)].flatMap(([status, it]) =>
      ((it["x-problem-codes"] ?? []) as string[]).map((code) => `${status} \`${code}\``),
    );
  const [before, after] = [codesOf(base, was), codesOf(revision, now)];
  return [
    ...before.filter((it) => !after.includes(it)).map((it): Found => ["major", `no longer answers ${it}`]),
    ...after.filter((it) => !before.includes(it)).map((it): Found => ["minor", `may answer ${it} now`]),
  ];
}

/** The catalogue of problems: a status is a promise, titles and remedies are words. Codes that come or go are an open set. */
function catalogueChanges(base: Contract, revision: Contract): Change[] {
  const catalogueOf = (contract: Contract) =>
    (contract.components["schemas"]?.["ProblemCode"]?.["x-problems"] ?? {}) as Readonly<Record<string, Json>>;
  const after = catalogueOf(revision);
  return Object.entries(catalogueOf(base)).flatMap(([code, was]): Change[] => {
    const now = after[code];
    if (now === undefined) return [];
    const keys = Object.keys(was).filter((key) => was[key] !== now[key]);
    return keys.map((key): Change => ({
      impact: key === "status" ? "major" : "patch",
      subject: `problem \`${code}\``,
      what: key === "status" ? `status ${short(was[key])} → ${short(now[key])}` : `${key} is worded anew`,
    }));
  });
}

/** Examples are compared as wholes: inside of them, nothing is promised. */
function exampleChanges(base: Contract, revision: Contract): Change[] {
  const changes: Change[] = [];
  everyNode(base, (node, pointer) => {
    const now = nodeAt(revision, `${pointer}/value`);
    if (
      !pointer.includes("/examples/") ||
      !("value" in node) ||
      now === undefined ||
      JSON.stringify(node["value"]) === JSON.stringify(now)
    )
      return;
    const { subject, place } = placeOf(base, pointer);
    changes.push({ impact: "patch", subject, what: `${place}: shows something else` });
  });
  return changes;
}

const NAMED_MAX = 3;

/** One entry for what happened to many operations in the same way, as it does when they share an answer. */
function grouped(changes: readonly Change[]): Change[] {
  return [...Map.groupBy(changes, (it) => it.what)].flatMap(([what, same]) => {
    const subjects = same.map((it) => it.subject);
    const subject =
      subjects.length <= NAMED_MAX
        ? subjects.join(", ")
        : `${subjects.slice(0, NAMED_MAX).join(", ")} and ${subjects.length - NAMED_MAX} more`;
    return [{ impact: same[0]!.impact, subject, what }];
  });
}
