import type { Contract } from "../../src/contract/bundle.ts";

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The contract without its webhooks, and without the components that only they use: some generators of clients make operations of
 * webhooks that don't compile.
 */
export function withoutWebhooks<C extends Contract>({ webhooks: _, ...contract }: C): Omit<C, "webhooks"> {
  const components = contract.components as Components;
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { $ref } = node as { readonly $ref?: unknown };
    if (typeof $ref === "string" && !used.has($ref)) {
      used.add($ref);
      const [kind = "", name = ""] = $ref.replace("#/components/", "").split("/");
      visit(components[kind]?.[name]);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(contract.paths);
  const kept = Object.entries(components).map(([kind, all]) => {
    const isKept = ([name]: [string, unknown]) => kind === "securitySchemes" || used.has(`#/components/${kind}/${name}`);
    return [kind, Object.fromEntries(Object.entries(all).filter(isKept))] as const;
  });
  return { ...contract, components: Object.fromEntries(kept) };
}
