type Kinds = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The components of a document that these nodes refer to, also through each other. The same order as in the document. */
export function componentsOf(nodes: readonly unknown[], components: Kinds): Kinds {
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
  nodes.forEach(visit);
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
    ]),
  );
}
