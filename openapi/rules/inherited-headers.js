// The headers that every response carries are declared once, in the response that every operation has: `default`.

const ALWAYS = ["X-Request-Id", "API-Version", "Cache-Control"];
const COUNTED = ["RateLimit", "RateLimit-Policy"];

/** The headers that no response declares itself. */
export const INHERITED = [...ALWAYS, ...COUNTED];

/** The rate limit is known once the token is accepted: not on a 401, and not in a public operation. */
const inheritedBy = (operation, status) => (operation.security?.length === 0 || status === "401" ? ALWAYS : INHERITED);

/** Adds to each response of the bundle the headers that it inherits from `default`, before its own. */
export function InheritHeaders() {
  return {
    Root: {
      leave(root) {
        const completed = new Map();
        for (const operation of Object.values(root.paths).flatMap((item) => Object.values(item))) {
          const source = found(operation.responses?.default, root)?.headers ?? {};
          for (const [status, node] of Object.entries(operation.responses ?? {})) {
            const response = found(node, root);
            const own = completed.get(response)?.own ?? response.headers ?? {};
            const names = new Set([...(completed.get(response)?.names ?? []), ...inheritedBy(operation, status)]);
            completed.set(response, { own, names });
            const inherited = INHERITED.filter((it) => names.has(it) && source[it]).map((it) => [it, source[it]]);
            response.headers = { ...Object.fromEntries(inherited), ...own };
          }
        }
      },
    },
  };
}

/** The target of a reference inside the bundle. */
const found = (node, root) =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((it, key) => it[key], root)
    : node;
