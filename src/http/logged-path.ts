import type { Operation } from "../contract/operations.ts";
import type { Exchange } from "./exchange.ts";

/** The path of a request in the log. */
export type LoggedPath = (exchange: Pick<Exchange, "record" | "path">) => string;

/** Longer than every path of the contract with its ids. */
const LENGTH_MAX = 200;

/**
 * Returns a function for the path of a request in the log. For an operation whose id alone gives access, such as a short URL, it is the path
 * of the contract: `/u/{id}`.
 */
export function createLoggedPath(operations: readonly Operation[]): LoggedPath {
  const isPublic = ({ access, path }: Operation) => access["public"] === "allowed" && path.includes("{");
  const tags = new Set(operations.filter(isPublic).map(({ tag }) => tag));
  const secret = operations.filter(({ tag, path }) => tags.has(tag) && path.includes("{"));
  const hidden = new Set(secret);
  const beginnings = [...new Set(secret.map(({ path }) => path))].map(
    (path) => [path.slice(0, path.indexOf("{")), path] as const,
  );

  return ({ record: { operation }, path }) => {
    if (operation !== null) return hidden.has(operation) ? operation.path : path.slice(0, LENGTH_MAX);
    // The target of an unknown request can contain a host, credentials or a fragment.
    if (!path.startsWith("/")) return "*";
    // The path of a short URL can have more slashes and capitals.
    const plain = path.replace(/^\/+/, "/").toLowerCase();
    const [, known] = beginnings.find(([beginning]) => plain.startsWith(beginning)) ?? [];
    return known ?? path.replace(/#.*/s, "").slice(0, LENGTH_MAX);
  };
}
