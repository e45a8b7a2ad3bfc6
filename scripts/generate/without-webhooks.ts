import type { Contract } from "../../src/contract/bundle.ts";
import { componentsOf } from "./components.ts";
import { eventsOf } from "./receivers/events.ts";

/**
 * The contract without its webhooks, because some generators of clients make operations of webhooks that don't compile. The schemas of
 * the events stay, because every generator makes types of them, but not the other components that only webhooks use.
 */
export function withoutWebhooks(contract: Contract): Omit<Contract, "webhooks"> {
  const { webhooks: _, components, ...rest } = contract;
  const events = eventsOf(contract).map(({ schema }) => schema);
  const used = componentsOf([contract.paths, events], contract);
  // An operation refers to a security scheme by its name alone.
  return { ...rest, components: { ...used, securitySchemes: components["securitySchemes"] ?? {} } };
}
