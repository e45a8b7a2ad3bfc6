import { everyNode, follow, nodeAt, operationsOf, type Contract, type Json } from "./document.ts";
import type { Change } from "./promises.ts";
import { placeOf } from "./words.ts";

/**
 * Fields that refer to a schema and gain or lose `null`. This contract writes that as `oneOf` with `null`, which to
 * `redocly diff` is another schema altogether: seven lines, and a breaking change even where `null` only goes away.
 */
export function compareNullability(base: Contract, revision: Contract): ReadonlyMap<string, Change> {
  const changes = new Map<string, Change>();
  const requested = requestSchemas(revision);
  everyNode(base.components["schemas"], (node, pointer) => {
    const at = pointer.replace("#", "#/components/schemas");
    const [was, now] = [reading(node), reading(nodeAt(revision, at) as Json | undefined)];
    if (was === null || now === null || was.reference !== now.reference || was.isNullable === now.isNullable) return;
    const { subject, place } = placeOf(base, at);
    const isHarmless = was.isNullable && !requested.has(subject);
    changes.set(at, {
      impact: isHarmless ? "minor" : "major",
      subject,
      what: `${place}: ${now.isNullable ? "may be null now" : "is never null any more"}`,
    });
  });
  return changes;
}

/** What a schema refers to, and whether it may be null instead; null when it is written out itself. */
function reading(schema: Json | undefined): { reference: string; isNullable: boolean } | null {
  const choices = schema?.["oneOf"] as readonly Json[] | undefined;
  const isNullable = choices?.some((it) => it["type"] === "null") ?? false;
  const reference = (isNullable ? choices?.find((it) => it["type"] !== "null") : schema)?.["$ref"];
  return typeof reference === "string" ? { reference, isNullable } : null;
}

/** The subjects of schemas that clients send. */
function requestSchemas(contract: Contract): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (start: unknown): void =>
    everyNode(start, (node) => {
      const reference = node["$ref"];
      if (typeof reference !== "string" || names.has(reference)) return;
      names.add(reference);
      visit(follow(contract, node));
    });
  for (const { operation } of operationsOf(contract)) visit(operation.requestBody);
  return new Set([...names].map((it) => placeOf(contract, it).subject));
}
