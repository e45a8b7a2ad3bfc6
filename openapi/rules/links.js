// Links of responses: the operations that a client can call next.
import { everyOperation, follow } from "./walk.js";

/** A 201 or 202 has links, their operations exist, and their parameters are in the response or the request. */
export function LinksResolve() {
  const targets = new Map();
  const links = [];
  const operations = everyOperation(({ operation, parameters, responses }, { report, resolve }) => {
    targets.set(operation.operationId, parameters);
    for (const { status, response, location } of responses) {
      const entries = Object.entries(response.links ?? {});
      const leadsOn = ["201", "202"].includes(status);
      if (leadsOn && entries.length === 0) report({ message: `A ${status} response needs links.`, location });
      for (const [name, link] of entries) {
        const valueOf = (expression) => source(expression, { parameters, response, location, resolve });
        links.push({ link, valueOf, location: location.child(["links", name]) });
      }
    }
  });
  return {
    ...operations,
    Root: {
      leave(_root, { report }) {
        for (const { link, valueOf, location } of links) {
          const parameters = targets.get(link.operationId);
          const flaws = parameters ? flawsOf(link, parameters, valueOf) : [`There is no operation ${link.operationId}.`];
          for (const message of flaws) report({ message, location });
        }
      },
    },
  };
}

function* flawsOf(link, parameters, valueOf) {
  const given = link.parameters ?? {};
  for (const { name } of parameters.filter((it) => it.in === "path" && !(it.name in given))) {
    yield `The link lacks the path parameter ${name} of ${link.operationId}.`;
  }
  for (const [name, expression] of Object.entries(given)) {
    const parameter = parameters.find((it) => it.name === name);
    if (!parameter) yield `The operation ${link.operationId} has no parameter ${name}.`;
    const value = valueOf(expression);
    if (value === undefined) yield `${expression} is not in the response or the request, or is not required there.`;
    else if (parameter?.in === "path" && isAddress(value)) {
      yield `${expression} is a URL or a path, so it can't be the path parameter ${name}.`;
    }
  }
}

const isAddress = ({ format = "", pattern = "" }) => /^(uri|iri|url)/.test(format) || pattern.startsWith("^/");

/** The schema of the value that a runtime expression refers to, or undefined. Any other text is a literal value. */
function source(expression, { parameters, response, location, resolve }) {
  if (typeof expression !== "string" || !expression.includes("$")) return {};
  const [, place, name] = /^\$response\.(header\.|body#)(.+)$/.exec(expression) ?? [];
  if (place === "body#") return inBody(response, name, location, resolve);
  if (place === "header.") {
    const found = Object.entries(response.headers ?? {}).find(([it]) => it.toLowerCase() === name.toLowerCase());
    return found && schemaOf(found[1], location.child(["headers", found[0]]), resolve);
  }
  const [, part, parameter] = /^\$request\.(path|query|header)\.(.+)$/.exec(expression) ?? [];
  const sent = parameters.find((it) => it.in === part && it.name === parameter);
  return sent && schemaOf(sent, location, resolve);
}

function schemaOf(owner, location, resolve) {
  const { node, location: at } = follow(owner, location, resolve);
  return follow(node.schema ?? {}, at.child("schema"), resolve).node;
}

/** A required field of the body: with an optional one, a client could not always follow the link. */
function inBody(response, pointer, location, resolve) {
  const schema = response.content?.["application/json"]?.schema;
  let found = follow(schema, location.child(["content", "application/json", "schema"]), resolve);
  for (const name of pointer.split("/").slice(1)) {
    const field = found.node?.properties?.[name];
    if (!field || !found.node.required?.includes(name)) return undefined;
    found = follow(field, found.location.child(["properties", name]), resolve);
  }
  return found.node;
}
