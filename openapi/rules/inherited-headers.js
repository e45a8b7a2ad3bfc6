// The headers that every response has are declared once per operation, in its `default` response.
import { inBundle } from "./walk.js";

const ALWAYS = ["X-Request-Id", "API-Version", "Cache-Control"];
const OF_A_USER = ["RateLimit", "RateLimit-Policy", "Consistency-Token"];

/** Headers that only `default` declares. */
export const INHERITED = [...ALWAYS, ...OF_A_USER];

/** The service counts and reads only after it knows the user, so a 401 and a public operation don't have the other headers. */
const inheritedBy = (operation, status) => (operation.security?.length === 0 || status === "401" ? ALWAYS : INHERITED);

/** Adds to each response of the bundle the headers that it inherits from `default`, before its own. */
export function InheritHeaders() {
  return {
    Root: {
      leave(root) {
        const completed = new Map();
        for (const operation of Object.values(root.paths).flatMap((item) => Object.values(item))) {
          const source = inBundle(operation.responses?.default, root)?.headers ?? {};
          for (const [status, node] of Object.entries(operation.responses ?? {})) {
            const response = inBundle(node, root);
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
