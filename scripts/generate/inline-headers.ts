type Node = { [key: string]: unknown };

/** A copy of the bundle with inlined headers, because openapi-typescript treats every referenced header as required. */
export function inlineHeaders<T extends object>(bundle: T): T {
  const copy = structuredClone(bundle) as T & {
    components: { headers?: Record<string, unknown>; responses?: Record<string, Node> };
    paths: Record<string, Node>;
  };
  const inline = (response: Node) => {
    const headers = response["headers"] as Record<string, { $ref?: string }> | undefined;
    for (const [name, header] of Object.entries(headers ?? {})) {
      if (header.$ref !== undefined)
        (headers as Record<string, unknown>)[name] = copy.components.headers?.[header.$ref.split("/").at(-1)!];
    }
  };
  for (const response of Object.values(copy.components.responses ?? {})) inline(response);
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item) as Node[]) {
      for (const response of Object.values((operation["responses"] ?? {}) as Record<string, Node>)) inline(response);
    }
  }
  return copy;
}
