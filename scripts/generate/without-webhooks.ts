import type { Contract } from "../../src/contract/bundle.ts";
import { componentsOf } from "./components.ts";
import { eventsOf } from "./receivers/events.ts";

/**
 * The contract without webhooks, from which some client generators make operations that don't compile. The schemas of events stay, because
 * generators make types of them.
 */
export function withoutWebhooks(contract: Contract): Omit<Contract, "webhooks"> {
  const { webhooks: _, components, ...rest } = contract;
  const events = eventsOf(contract).map(({ schema }) => schema);
  const used = componentsOf([contract.paths, events], contract);
  // An operation refers to a security scheme by its name alone.
  return { ...rest, components: { ...used, securitySchemes: components["securitySchemes"] ?? {} } };
}
