// Follows references, for rules that need a whole operation at once.

/** The node itself, or the target of its `$ref`, with its location. */
export function follow(node, location, resolve) {
  if (!node?.$ref) return { node, location };
  const target = resolve(node, location.source.absoluteRef);
  return target.node === undefined ? { node: {}, location } : follow(target.node, target.location, resolve);
}

/** The node itself, or the target of its `$ref` in the bundle `root`. */
export const inBundle = (node, root) =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((it, key) => it[key], root)
    : node;

/** Every schema under a schema, itself included, each once. */
export function* schemasUnder(start, startLocation, resolve, seen = new Set()) {
  const { node: schema, location } = follow(start, startLocation, resolve);
  if (schema === undefined || seen.has(schema)) return;
  seen.add(schema);
  yield { schema, location };
  const children = [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) => [child, location.child(["properties", name])]),
    ...(schema.items ? [[schema.items, location.child("items")]] : []),
    ...["oneOf", "anyOf", "allOf"].flatMap((key) => (schema[key] ?? []).map((child, at) => [child, location.child([key, at])])),
  ];
  for (const [child, at] of children) yield* schemasUnder(child, at, resolve, seen);
}

/** Whether an operation has a parameter of this name. */
export const has = (parameters, place, name) =>
  parameters.some((it) => it.in === place && it.name.toLowerCase() === name.toLowerCase());

/** Whether the body of an operation is JSON without fields. All its requests are equal, so none reuses the key of another one. */
export function hasEmptyBody({ requestBody }, { location, resolve }) {
  const schema = requestBody?.content?.["application/json"]?.schema;
  return schema !== undefined && follow(schema, location, resolve).node.properties === undefined;
}

/** `type` as a list. */
export const types = (schema) => [schema.type ?? []].flat();

/**
 * Calls `judge` with each operation of the document as a whole: its path, method, all parameters (those of the path
 * included) and all responses, references followed.
 */
export function everyOperation(judge) {
  let path = "";
  let shared = [];
  return {
    PathItem: {
      enter(item, { key, location, resolve }) {
        path = String(key);
        shared = (item.parameters ?? []).map((it, at) => follow(it, location.child(["parameters", at]), resolve).node);
      },
      Operation(operation, context) {
        // A webhook is what the service sends: none of what holds for requests to the service holds for it.
        if (!path.startsWith("/")) return;
        const { key, location, resolve } = context;
        const own = (operation.parameters ?? []).map((it, at) => follow(it, location.child(["parameters", at]), resolve).node);
        const responses = Object.entries(operation.responses ?? {}).map(([status, it]) => {
          const found = follow(it, location.child(["responses", status]), resolve);
          return { status, response: found.node, location: found.location };
        });
        judge({ path, method: String(key), operation, parameters: [...shared, ...own], responses }, context);
      },
    },
  };
}
