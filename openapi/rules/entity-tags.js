// Entity tags, and the preconditions that name them.
import { everyOperation, follow, has } from "./walk.js";

/**
 * If the GET of a representation has an `ETag`, a POST, PUT or PATCH that returns it has one too, so that a client can
 * use that `ETag` without another GET. The other methods of its path take `If-Match`: none may ignore it (RFC 9110, 13.1.1).
 * Neither may a GET that takes `Range`, because a client puts a file together from several responses.
 */
export function EntityTags() {
  const tagged = new Set();
  const untagged = [];
  const taggedPaths = new Set();
  const unguarded = [];
  const judge = everyOperation(({ path, method, parameters, responses }, context) => {
    const { location: at, resolve } = context;
    if (method === "get" && responses.some((it) => it.status === "200" && it.response.headers?.ETag)) taggedPaths.add(path);
    if (method !== "get" && !has(parameters, "header", "If-Match")) unguarded.push({ path, location: at });
    if (has(parameters, "header", "Range") && !has(parameters, "header", "If-Match"))
      context.report({ message: "Declare the header parameter If-Match: a download in parts needs it.", location: at });
    for (const { status, response, location } of responses.filter((it) => /^2/.test(it.status))) {
      const at = location.child(["content", "application/json", "schema"]);
      const schema = response.content?.["application/json"]?.schema;
      if (schema === undefined) continue;
      const { node } = follow(schema, at, resolve);
      const header = response.headers?.ETag && follow(response.headers.ETag, location.child(["headers", "ETag"]), resolve).node;
      if (header?.required === true) {
        if (method === "get") tagged.add(node);
      } else untagged.push({ node, status, location });
    }
  });
  return {
    ...judge,
    Root: {
      leave(_root, { report }) {
        for (const { node, status, location } of untagged.filter((it) => tagged.has(it.node))) {
          report({ message: `Declare the header ETag on the ${status} response: the GET of the same schema has it.`, location });
        }
        for (const { location } of unguarded.filter((it) => taggedPaths.has(it.path))) {
          report({ message: "Declare the header parameter If-Match: the GET of this path has an ETag.", location });
        }
      },
    },
  };
}
