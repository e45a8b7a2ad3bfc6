// What every operation declares.
import { INHERITED } from "./inherited-headers.js";
import { everyOperation, follow, has, hasEmptyBody, types } from "./walk.js";

/** A path and its operationIds use the same noun, in the plural or the singular: `/video-uploads`, `getVideoUpload`. */
export function Nouns() {
  return everyOperation(({ path, operation }, { report, location }) => {
    const segment = path.split("/").findLast((it) => it && !it.startsWith("{")) ?? "";
    const noun = segment
      .replace(/ies$/, "y")
      .replace(/s$/, "")
      .replaceAll(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
    const plural = noun.replace(/y$/, "ies");
    if (![noun, plural].some((it) => operation.operationId?.includes(it))) {
      const message = `The path ends in "${segment}" and the operationId "${operation.operationId}" doesn't contain "${noun}". Use the same noun in both.`;
      report({ message, location: location.child("operationId") });
    }
  });
}

/**
 * Generated functions take the required parameters in the order of their declaration. The ids of the path come first, in
 * the order of the path. After an `Idempotency-Key`, you could swap them by mistake, because all of them are strings.
 */
export function PathParametersFirst() {
  const judge = everyOperation(({ path, operation, parameters }, { report, location }) => {
    if (operation.parameters === undefined && parameters.length === 0) return;
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const first = parameters.slice(0, wanted.length).map((it) => (it.in === "path" ? it.name : ""));
    if (first.join() !== wanted.join())
      report({
        message: `Declare the path parameters first, in the order of the path: ${wanted.join(", ")}.`,
        location: location.child("parameters"),
      });
  });
  return {
    PathItem: {
      ...judge.PathItem,
      enter(item, context) {
        judge.PathItem.enter(item, context);
        const at = context.location.child("parameters");
        if (item.parameters)
          context.report({ message: "Declare parameters in the operation, not in the path item.", location: at });
      },
    },
  };
}

/** An operation declares every status that it can return. */
export function Outcomes() {
  return everyOperation(({ operation, parameters, responses }, context) => {
    const { report, location } = context;
    const isPublic = operation.security?.length === 0;
    const scopes = (operation.security ?? []).flatMap((it) => Object.values(it).flat());
    const wanted = new Set(["500", "default"]);
    const want = (condition, ...statuses) => condition && statuses.forEach((it) => wanted.add(it));
    const isAlwaysThere = operation["x-availability"] === "always";
    want(!isAlwaysThere, "503");
    want(parameters.length > 0 || operation.requestBody, "400");
    want(operation.requestBody, "413", "415");
    // If every user has access, and no path names a resource that can be missing, each valid id has a response.
    want(parameters.some((it) => it.in === "path") && !("authenticated" in (operation["x-access"] ?? {})), "404");
    want(!isPublic, "401");
    want(scopes.length > 0, "403");
    want(operation["x-rate-limit"] !== "none", "429");
    const takesKey = has(parameters, "header", "Idempotency-Key");
    want(takesKey, "409");
    want(takesKey && !hasEmptyBody(operation, context), "422");
    want(has(parameters, "header", "If-Match"), "412");
    want(has(parameters, "header", "If-None-Match"), "304");
    const declared = responses.map((it) => it.status);
    const missing = [...wanted].filter((it) => !declared.includes(it));
    const at = location.child("responses");
    if (missing.length) report({ message: `Declare the responses ${missing.join(", ")}.`, location: at });
    if (isAlwaysThere && declared.includes("503"))
      report({ message: "Remove the 503: the operation has x-availability: always.", location: at });
    if (!declared.some((it) => /^[23]/.test(it))) report({ message: "Declare a 2xx or 3xx response.", location: at });
    const verb = /^[a-z]*/.exec(operation.operationId ?? "")[0];
    if (verb === "create" && (declared.includes("200") || !(declared.includes("201") || declared.includes("202"))))
      report({ message: "An operation named create… returns 201, or 202 if the work is done later, and not 200.", location: at });
    if (declared.includes("201") && !["create", "put"].includes(verb))
      report({ message: "Only an operation named create… or put… returns 201.", location: at });
    if (declared.some((it) => /xx/i.test(it))) report({ message: "Declare statuses one by one, not as ranges.", location: at });
  });
}

/** The headers that clients rely on. A name with `!` is a header that every such response has. */
export function Headers() {
  return everyOperation(({ operation, parameters, responses }, { report, resolve }) => {
    const conditional = has(parameters, "header", "If-None-Match");
    for (const { status, response, location } of responses) {
      const success = /^2/.test(status);
      const wanted = [
        ...(["201", "202", "302"].includes(status) ? ["Location!"] : []),
        ...(["202", "429", "503"].includes(status) ? ["Retry-After!"] : []),
        ...(status === "401" ? ["WWW-Authenticate!"] : []),
        ...(status === "default"
          ? ["X-Request-Id!", "API-Version!", "Cache-Control", "RateLimit", "RateLimit-Policy", "Consistency-Token", "Allow"]
          : []),
        ...(conditional && ["200", "304"].includes(status) ? ["ETag!"] : []),
        ...(success && /^list/.test(operation.operationId) ? ["Link"] : []),
        ...(success && has(parameters, "header", "Idempotency-Key") ? ["Idempotency-Replayed"] : []),
      ];
      const again = status === "default" ? [] : INHERITED.filter((it) => response.headers?.[it]);
      if (again.length > 0)
        report({ message: `Leave out ${again.join(", ")}: the ${status} response inherits them from default.`, location });
      for (const entry of wanted) {
        const name = entry.replace("!", "");
        const at = location.child(["headers", name]);
        const header = response.headers?.[name] && follow(response.headers[name], at, resolve).node;
        if (!header) report({ message: `Declare the header ${name} on the ${status} response.`, location });
        else if (entry.endsWith("!") && header.required !== true) {
          report({ message: `Make the header ${name} of the ${status} response required.`, location: at });
        }
      }
    }
  });
}

/** A request has a body, except a POST of JSON without required fields: there, no body stands for an empty object. */
export function Bodies() {
  return {
    Operation({ requestBody }, { key, location, report, resolve }) {
      if (requestBody === undefined) return;
      const { node: body, location: at } = follow(requestBody, location.child("requestBody"), resolve);
      const media = body.content?.["application/json"];
      const { node: schema } = follow(media?.schema, at, resolve);
      const isRequired = key !== "post" || media === undefined || schema.required?.length > 0;
      if (body.required !== isRequired) report({ message: `The request body must have required: ${isRequired}.`, location: at });
    },
  };
}

/** Every list has pages, and all pages look alike. */
export function Paged() {
  return everyOperation(({ operation, parameters, responses }, { report, location, resolve }) => {
    const { operationId = "" } = operation;
    const ok = responses.find((it) => it.status === "200");
    const schema = ok?.response.content?.["application/json"]?.schema;
    const page = schema && follow(schema, ok.location.child(["content", "application/json", "schema"]), resolve);
    const isList = types(page?.node ?? {}).includes("array") || page?.node.properties?.data?.items;
    if (operationId.startsWith("find")) {
      const { data, truncated } = page?.node.properties ?? {};
      if (!data?.maxItems || truncated?.type !== "boolean" || has(parameters, "query", "after"))
        report({ message: "A search returns data, an array with maxItems, and truncated, a boolean, and no pages.", location });
      return;
    }
    if (!operationId.startsWith("list")) {
      if (isList) report({ message: "An operation that returns a list needs an operationId that begins with list.", location });
      return;
    }
    const limit = parameters.find((it) => it.in === "query" && it.name === "limit")?.schema;
    if (limit?.default === undefined || limit?.maximum === undefined) {
      report({ message: "A list needs the query parameter limit, with a default and a maximum.", location });
    }
    if (!has(parameters, "query", "after")) report({ message: "A list needs the query parameter after.", location });
    const { data, page: info } = page?.node.properties ?? {};
    const infoAt = info && follow(info, page.location.child(["properties", "page"]), resolve);
    if (!data?.maxItems || !infoAt?.node.required?.includes("next_cursor")) {
      report({
        message: "A list returns data, an array with maxItems, and page, an object with a required next_cursor.",
        location,
      });
    }
  });
}

/** Every POST can be retried safely: it takes an idempotency key. */
export function Idempotency() {
  return everyOperation(({ method, parameters }, { report, location }) => {
    const takesKey = has(parameters, "header", "Idempotency-Key");
    if (method === "post" && !takesKey) report({ message: "A POST needs the header parameter Idempotency-Key.", location });
    if (method !== "post" && takesKey) report({ message: "Only a POST can have an Idempotency-Key.", location });
  });
}

/**
 * `x-access` and `x-rate-limit` say in a form for programs which users have access, and how often. The authorization tests
 * are generated from them. The scope and the rate limit follow from the area and the method; the options `scopes` and
 * `rateLimits` name the operations that differ.
 */
export function Access({ scopes: otherScopes = {}, rateLimits: otherRateLimits = {} }) {
  const rateLimits = ["default", "writes", "directory", "uploads", "follow", "playback", "none"];
  const sets = ["public", "link_holder,public", "authenticated", "owner,stranger", "member,owner,stranger"];
  return everyOperation(({ path, method, operation, responses }, { report, location }) => {
    const access = operation["x-access"] ?? {};
    const isPublic = operation.security?.length === 0;
    if (!sets.includes(Object.keys(access).sort().join())) {
      report({ message: `The keys of x-access must be one of: ${sets.join(" | ")}.`, location });
    }
    if ("public" in access !== isPublic) {
      report({ message: "Declare public in x-access and security: [] together, or neither.", location });
    }
    const declared = responses.flatMap((it) => it.response["x-problem-codes"] ?? []);
    for (const [principal, outcome] of Object.entries(access)) {
      if (outcome !== "allowed" && !declared.includes(outcome)) {
        report({
          message: `x-access says ${outcome} for ${principal}, but no response of this operation has it in x-problem-codes.`,
          location,
        });
      }
    }
    if (!rateLimits.includes(operation["x-rate-limit"])) {
      report({ message: `x-rate-limit must be one of: ${rateLimits.join(" | ")}.`, location });
    }
    const expected = otherRateLimits[operation.operationId] ?? (method === "get" ? "default" : "writes");
    if (operation["x-rate-limit"] !== expected) {
      report({ message: `x-rate-limit must be ${expected}, not ${operation["x-rate-limit"]}.`, location });
    }
    if (operation["x-rate-limit"] === "none" && !isPublic) {
      report({ message: "Only a public operation can have x-rate-limit: none.", location });
    }
    if (!isPublic && operation.security?.length !== 1) {
      report({ message: "Declare security in the operation, with one scheme.", location });
    }
    const fitting = otherScopes[operation.operationId] ?? [scopeFor(path, method)];
    const asked = (operation.security ?? []).flatMap((it) => Object.values(it).flat()).join();
    if (!isPublic && asked !== fitting.join()) {
      const message = `The scope must be ${fitting.join() || "none"}, not ${asked || "none"}.`;
      report({ message, location: location.child("security") });
    }
  });
}

/** Adds to the bundle the values of Scope: the scopes of all operations, those of an area together, `read` before `write`. */
export function ListScopes() {
  return {
    Root: {
      leave(root) {
        const operations = Object.values(root.paths).flatMap((item) => Object.values(item));
        const used = new Set(operations.flatMap((it) => (it.security ?? []).flatMap((scheme) => scheme.bearer_auth ?? [])));
        const areas = [...new Set([...used].map((it) => it.split(":")[0]))];
        const inOrder = areas.flatMap((area) => [...used].filter((it) => it.startsWith(`${area}:`)).sort());
        root.components.schemas.Scope["x-extensible-enum"] = inOrder;
      },
    },
  };
}

/** `posts:read` for `GET /posts/{post_id}`. */
function scopeFor(path, method) {
  const area = path.split("/")[1].replaceAll("-", "_");
  return `${area}:${["get", "head"].includes(method) ? "read" : "write"}`;
}
