import { everyNode, keysOf, operationsOf, parametersOf, resolve, type Contract } from "./document.ts";

export type Direction = "request" | "response";

/** Whether the node at a JSON Pointer is used in requests, or in responses. */
export type IsUsedIn = (pointer: string, direction: Direction) => boolean;

/** Finds out which parts of a contract are used in requests and which in responses. */
export function directionsOf(contract: Contract): IsUsedIn {
  const operations = operationsOf(contract);
  const sent = referencesOf(
    contract,
    operations.map((it) => [it.operation.requestBody, parametersOf(contract, it)]),
  );
  const got = referencesOf(
    contract,
    operations.map((it) => it.operation.responses),
  );
  return (pointer, direction) => {
    const [section, kind = "", name = "", part = ""] = keysOf(pointer);
    if (section === "paths") return direction === (part === "responses" ? "response" : "request");
    return (direction === "request" ? sent : got).has(`#/components/${kind}/${name}`);
  };
}

/** All references in some nodes, direct or indirect. */
export function referencesOf(contract: Parameters<typeof resolve>[0], start: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void =>
    everyNode(node, (it) => {
      const reference = it["$ref"];
      if (typeof reference !== "string" || found.has(reference)) return;
      found.add(reference);
      visit(resolve(contract, it));
    });
  visit(start);
  return found;
}
