import type { Contract } from "../../src/contract/bundle.ts";
import { referencesOf } from "../contract/direction.ts";

type Kinds = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The components that these nodes refer to, directly or indirectly, in the order of the contract. */
export function componentsOf(nodes: readonly unknown[], contract: Contract): Kinds {
  const used = referencesOf(contract, nodes);
  return Object.fromEntries(
    Object.entries(contract.components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
    ]),
  );
}
