// What every operation declares.
import { INHERITED } from "./inherited-headers.js";
import { everyOperation, follow, types } from "./walk.js";

const has = (parameters, place, name) => parameters.some((it) => it.in === place && it.name.toLowerCase() === name.toLowerCase());

/** A path and its operationIds use the same noun, in the plural or the singular: `/video-uploads`, `getVideoUpload`. */
export function Nouns() {
  return everyOperation(({ path, operation }, { report, location }) => {
    const segment = path.split("/").findLast((it) => it && !it.startsWith("{")) ?? "";
    const noun = segment
      .replace(/ies$/, "y")
      .replace(/s$/, "")
      .replaceAll(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
    if (!operation.operationId?.includes(noun)) {
      const message = `The path ends in "${segment}" and the operationId "${operation.operationId}" doesn't contain "${noun}": name one after the other.`;
      report({ message, location: location.child("operationId") });
    }
  });
}

/**
 * Generated functions take the required parameters in the order in which they are declared. The ids of the path come
 * first, as in the path: put behind an `Idempotency-Key` they are easily swapped with it, for both are strings.
 */
export function PathParametersFirst() {
  const judge = everyOperation(({ path, operation, parameters }, { report, location }) => {
    if (operation.parameters === undefined && parameters.length === 0) return;
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const first = parameters.slice(0, wanted.length).map((it) => (it.in === "path" ? it.name : ""));
    if (first.join() !== wanted.join())
      report({ message: `The parameters begin with ${wanted.join(", ")}.`, location: location.child("parameters") });
  });
  return {
    PathItem: {
      ...judge.PathItem,
      enter(item, context) {
        judge.PathItem.enter(item, context);
        const at = context.location.child("parameters");
        if (item.parameters) context.report({ message: "Parameters stand in their operations.", location: at });
      },
    },
  };
}

/** Whatever the service can answer is declared: who reads an operation sees all its outcomes. */
export function Outcomes() {
  return everyOperation(({ operation, parameters, responses }, { report, location }) => {
    const isPublic = operation.security?.length === 0;
    const scopes = (operation.security ?? []).flatMap((it) => Object.values(it).flat());
    const wanted = new Set(["500", "default"]);
    const want = (condition, ...statuses) => condition && statuses.forEach((it) => wanted.add(it));
    const isAlwaysThere = operation["x-availability"] === "always";
    want(!isAlwaysThere, "503");
    want(parameters.length > 0 || operation.requestBody, "400");
    want(operation.requestBody, "413", "415");
    want(
      parameters.some((it) => it.in === "path"),
      "404",
    );
    want(!isPublic, "401");
    want(scopes.length > 0, "403");
    want(operation["x-rate-limit"] !== "none", "429");
    want(has(parameters, "header", "Idempotency-Key"), "409", "422");
    want(has(parameters, "header", "If-Match"), "412");
    want(has(parameters, "header", "If-None-Match"), "304");
    const declared = responses.map((it) => it.status);
    const missing = [...wanted].filter((it) => !declared.includes(it));
    const at = location.child("responses");
    if (missing.length) report({ message: `The operation must declare ${missing.join(", ")}.`, location: at });
    if (isAlwaysThere && declared.includes("503"))
      report({ message: "What is always available cannot answer 503.", location: at });
    if (!declared.some((it) => /^[23]/.test(it)))
      report({ message: "The operation must declare how it succeeds.", location: at });
    const verb = /^[a-z]*/.exec(operation.operationId ?? "")[0];
    if (verb === "create" && (declared.includes("200") || !(declared.includes("201") || declared.includes("202"))))
      report({ message: "What creates answers 201, or 202 when it is done later, and not 200.", location: at });
    if (declared.includes("201") && !["create", "put"].includes(verb))
      report({ message: "Only what creates answers 201.", location: at });
    if (declared.some((it) => /xx/i.test(it))) report({ message: "Declare statuses one by one, not as ranges.", location: at });
  });
}

/** The headers a client may count on. A name with `!` must be there on every such response, not only may. */
export function Headers() {
  return everyOperation(({ operation, parameters, responses }, { report, resolve }) => {
    const conditional = has(parameters, "header", "If-None-Match");
    const guarded = has(parameters, "header", "If-Match");
    for (const { status, response, location } of responses) {
      const success = /^2/.test(status);
      const wanted = [
        ...(["201", "202", "302"].includes(status) ? ["Location!"] : []),
        ...(["202", "429", "503"].includes(status) ? ["Retry-After!"] : []),
        ...(status === "401" ? ["WWW-Authenticate!"] : []),
        ...(status === "default"
          ? ["X-Request-Id!", "API-Version!", "Cache-Control", "RateLimit", "RateLimit-Policy", "Allow"]
          : []),
        ...((conditional && ["200", "304"].includes(status)) || (guarded && status === "200") ? ["ETag!"] : []),
        ...(success && /^list/.test(operation.operationId) ? ["Link"] : []),
        ...(success && has(parameters, "header", "Idempotency-Key") ? ["Idempotency-Replayed"] : []),
      ];
      const again = status === "default" ? undefined : INHERITED.find((it) => response.headers?.[it]);
      if (again) report({ message: `The ${status} response inherits ${again} from default.`, location });
      for (const entry of wanted) {
        const name = entry.replace("!", "");
        const at = location.child(["headers", name]);
        const header = response.headers?.[name] && follow(response.headers[name], at, resolve).node;
        if (!header) report({ message: `The ${status} response needs the header ${name}.`, location });
        else if (entry.endsWith("!") && header.required !== true) {
          report({ message: `The header ${name} must be required on ${status}.`, location: at });
        }
      }
    }
  });
}

/** Every list has pages, and all pages look alike. */
export function Paged() {
  return everyOperation(({ operation, parameters, responses }, { report, location, resolve }) => {
    const { operationId = "" } = operation;
    const ok = responses.find((it) => it.status === "200");
    const schema = ok?.response.content?.["application/json"]?.schema;
    const page = schema && follow(schema, ok.location.child(["content", "application/json", "schema"]), resolve);
    if (!operationId.startsWith("list")) {
      const isList = types(page?.node ?? {}).includes("array") || page?.node.properties?.data?.items;
      if (isList) report({ message: "An operation that answers with a list is called list….", location });
      return;
    }
    const limit = parameters.find((it) => it.in === "query" && it.name === "limit")?.schema;
    if (limit?.default === undefined || limit?.maximum === undefined) {
      report({ message: "A list needs the parameter limit with default and maximum.", location });
    }
    if (!has(parameters, "query", "after")) report({ message: "A list needs the parameter after.", location });
    const { data, page: info } = page?.node.properties ?? {};
    const infoAt = info && follow(info, page.location.child(["properties", "page"]), resolve);
    if (!data?.maxItems || !infoAt?.node.required?.includes("next_cursor")) {
      report({ message: "A list answers with data (maxItems) and page (next_cursor).", location });
    }
  });
}

/** A POST can be repeated safely: it takes an idempotency key, or says in `x-no-idempotency-key` why it needs none. */
export function Idempotency() {
  return everyOperation(({ method, operation, parameters }, { report, location }) => {
    const takesKey = has(parameters, "header", "Idempotency-Key");
    const excuse = operation["x-no-idempotency-key"];
    if (method === "post" && !takesKey && !(excuse?.length > 10)) {
      report({ message: "A POST takes an Idempotency-Key, or says in x-no-idempotency-key why not.", location });
    }
    if (takesKey && (method !== "post" || excuse !== undefined)) {
      report({ message: "Only a POST takes an Idempotency-Key; then it has no x-no-idempotency-key.", location });
    }
  });
}

/**
 * Who may do it and how often, for machines: the authorization tests are generated from these two extensions. The scope is
 * that of the area and of what the method does, and so is the quota; an operation with a reason for others has them in
 * `scopes` and `quotas`.
 */
export function Access({ scopes: otherScopes = {}, quotas: otherQuotas = {} }) {
  const quotas = ["default", "writes", "uploads", "follow", "none"];
  const sets = ["public", "authenticated", "owner,stranger", "member,owner,stranger"];
  const used = [];
  let known = [];
  const operations = everyOperation(({ path, method, operation, responses }, { report, location }) => {
    const access = operation["x-access"] ?? {};
    const isPublic = operation.security?.length === 0;
    if (!sets.includes(Object.keys(access).sort().join())) {
      report({ message: `x-access names one of: ${sets.join(" | ")}.`, location });
    }
    if ("public" in access !== isPublic) {
      report({ message: "public in x-access and security: [] belong together.", location });
    }
    const declared = responses.flatMap((it) => it.response["x-problem-codes"] ?? []);
    for (const [principal, outcome] of Object.entries(access)) {
      if (outcome !== "allowed" && !declared.includes(outcome)) {
        report({ message: `${principal} cannot get ${outcome}: no response of this operation carries it.`, location });
      }
    }
    if (!quotas.includes(operation["x-rate-limit"])) {
      report({ message: `x-rate-limit is one of: ${quotas.join(" | ")}.`, location });
    }
    const fittingQuota = otherQuotas[operation.operationId] ?? (method === "get" ? "default" : "writes");
    if (operation["x-rate-limit"] !== fittingQuota) {
      report({ message: `The quota should be ${fittingQuota}, not ${operation["x-rate-limit"]}.`, location });
    }
    if (operation["x-rate-limit"] === "none" && !isPublic) {
      report({ message: "Only a public operation is without a quota.", location });
    }
    if (!isPublic && operation.security?.length !== 1) {
      report({ message: "Every operation states its own security, with one scheme.", location });
    }
    const scopes = (operation.security ?? []).flatMap((it) => it.bearer_auth ?? []);
    const fitting = otherScopes[operation.operationId] ?? [scopeFor(path, method)];
    const asked = (operation.security ?? []).flatMap((it) => Object.values(it).flat()).join();
    if (!isPublic && asked !== fitting.join()) {
      const message = `The scope should be ${fitting.join() || "none"}, not ${asked || "none"}.`;
      report({ message, location: location.child("security") });
    }
    used.push(...scopes.map((scope) => ({ scope, location: location.child("security") })));
  });
  return {
    ...operations,
    Schema(schema, { location }) {
      if (location.source.absoluteRef.endsWith("/Scope.yaml")) known = schema["x-extensible-enum"] ?? [];
    },
    Root: {
      leave(_root, { report }) {
        for (const { scope, location } of used) {
          if (!known.includes(scope)) report({ message: `Scope.yaml does not know ${scope}.`, location });
        }
        for (const scope of known) {
          if (!used.some((it) => it.scope === scope)) report({ message: `No operation needs the scope ${scope}.` });
        }
      },
    },
  };
}

/** `posts:read` for `GET /posts/{post_id}`. */
function scopeFor(path, method) {
  const area = path.split("/")[1].replaceAll("-", "_");
  return `${area}:${["get", "head"].includes(method) ? "read" : "write"}`;
}

/**
 * A representation has one entity tag, whichever operation answers with it: where its GET has an `ETag`, what a POST, PUT
 * or PATCH answers has one too, and a client can go on with that instead of reading again.
 */
export function EntityTags() {
  const tagged = new Set();
  const untagged = [];
  const judge = everyOperation(({ method, responses }, { resolve }) => {
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
          report({ message: `The ${status} response needs the header ETag, as the GET of what it holds has it.`, location });
        }
      },
    },
  };
}
