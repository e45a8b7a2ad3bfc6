import type { NextFunction, RequestHandler } from "express";
import { types } from "node:util";
import type { Operation } from "../contract/operations.ts";
import { Failure } from "../failure.ts";
import type { Exchange } from "./exchange.ts";
import { createOtherMethods, patchHeaders, preflightHeaders } from "./other-methods.ts";
import type { Serve } from "./serve-operation.ts";

/** The handlers of a path of the contract, by method, and of all other methods. */
type Resource = {
  readonly pattern: RegExp;
  /** Whether people type and copy its addresses: it declares a page. */
  readonly isForPeople: boolean;
  readonly served: ReadonlyMap<string, Serve>;
  readonly others: RequestHandler;
};
/** A matched resource, and the path parameters as they were sent. */
type Route = { readonly resource: Resource; readonly path: Record<string, string> };

/** Creates the function that routes a request to its operation, or calls `next` for an unknown path. */
export function createRouter(operations: readonly Operation[], serveOf: (operation: Operation) => Serve, uploadLimit: string) {
  const routeOf = createRouteTable(operations, (path, group): Resource => {
    const served = new Map(group.map((it) => [it.method.toUpperCase(), serveOf(it)]));
    const ofGet = served.get("GET");
    if (ofGet !== undefined) served.set("HEAD", ofGet);
    const methods = group.map(({ method }) => method);
    const options = { ...preflightHeaders(group), ...patchHeaders(group, uploadLimit) };
    const isForPeople = group.some((it) => it.pageStatuses.length > 0);
    const pattern = isForPeople ? lenientPatternOf(path) : patternOf(path);
    return { pattern, isForPeople, served, others: createOtherMethods(methods, options) };
  });
  return (exchange: Exchange, next: NextFunction): void => {
    const { req, res } = exchange;
    const route = routeOf(exchange.path);
    const serve = route?.resource.served.get(req.method);
    if (serve !== undefined) {
      const { resource, path: sent } = route!;
      const path = exchange.path.includes("%") ? decoded(sent) : sent;
      return void serve(exchange, resource.isForPeople ? withoutFollowing(path) : path).catch((thrown: unknown) =>
        next(errorOf(thrown)),
      );
    }
    res.set({ ...exchange.common.headers, ...exchange.headers });
    if (route === null) next();
    else route.resource.others(req, res, next);
  };
}

/**
 * Matches paths of requests to the paths of the contract. A parameter is one segment that is not empty. Case, slashes and percent-encoding
 * are not normalized, except for people.
 */
function createRouteTable(
  operations: readonly Operation[],
  resourceOf: (path: string, group: readonly Operation[]) => Resource,
): (path: string) => Route | null {
  const fixed = new Map<string, Resource>();
  /** By the first segment, which no path has as a parameter. */
  const patterns = new Map<string, Resource[]>();
  const lenient: Resource[] = [];
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const resource = resourceOf(path, group);
    if (!path.includes("{")) fixed.set(path, resource);
    else if (resource.isForPeople) lenient.push(resource);
    else patterns.set(firstOf(path), [...(patterns.get(firstOf(path)) ?? []), resource]);
  }
  /** Null for an unknown path. */
  return (path) => {
    const known = fixed.get(path);
    if (known !== undefined) return { resource: known, path: {} };
    return routeIn(patterns.get(firstOf(path)) ?? [], path) ?? routeIn(lenient, path);
  };
}

function routeIn(resources: readonly Resource[], path: string): Route | null {
  for (const resource of resources) {
    const match = resource.pattern.exec(path);
    if (match !== null) return { resource, path: match.groups! };
  }
  return null;
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

/** The same in any case of its fixed segments, and with more slashes: `/+[uU]/+(?<id>[^/]+)/*`. */
const lenientPatternOf = (path: string) => {
  const anyCase = (it: string, name?: string) => (name === undefined ? `[${it}${it.toUpperCase()}]` : `(?<${name}>[^/]+)`);
  return new RegExp(`^${path.replaceAll("/", "/+").replaceAll(/\{(\w+)\}|[a-z]/g, anyCase)}/*$`);
};

/** What can follow an address in a sentence: punctuation, symbols, spaces and invisible characters. */
const FOLLOWING = /[\p{P}\p{S}\p{Z}\p{Cf}]/u;
const ENDS_LIKE_AN_ID = /[\w-]$/;

/** The parameters without what follows the address. `-` and `_` can be the end of an id. */
function withoutFollowing(path: Readonly<Record<string, string>>): Record<string, string> {
  const trimmed = (value: string) => {
    if (ENDS_LIKE_AN_ID.test(value)) return value;
    const characters = [...value];
    const last = characters.findLastIndex((it) => it === "-" || it === "_" || !FOLLOWING.test(it));
    return last === -1 ? value : characters.slice(0, last + 1).join("");
  };
  return Object.fromEntries(Object.entries(path).map(([name, value]) => [name, trimmed(value)]));
}

/** Throws a failure if a parameter cannot be decoded. */
function decoded(path: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(path).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause });
  }
}

const firstOf = (path: string): string => path.slice(1, path.indexOf("/", 1));

/** Wraps values that are not errors, because Express interprets some of them, such as `"route"`. */
const errorOf = (thrown: unknown): Error =>
  types.isNativeError(thrown) ? thrown : new Error("A value that is not an error was thrown.", { cause: thrown });
