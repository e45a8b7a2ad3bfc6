import type { Contract } from "../../src/contract/bundle.ts";
import { referencesOf } from "../contract/direction.ts";

type Kinds = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The components of a contract that these nodes refer to, also through each other. The same order as in the contract. */
export function componentsOf(nodes: readonly unknown[], contract: Contract): Kinds {
  const used = referencesOf(contract, nodes);
  return Object.fromEntries(
    Object.entries(contract.components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
    ]),
  );
}
