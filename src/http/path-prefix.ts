import type { Request } from "express";

/** The prefix that a proxy in front strips from every path: the path of PUBLIC_URL, without a slash at its end. */
export const prefixIn = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");

/** The prefix of the application that answers a request, which `app.locals` has. */
export const prefixOf = (req: Request): string => req.app.locals["prefix"] as string;

/** A path of the contract as clients request it; an absolute URL stays as it is. */
export const prefixed = (prefix: string, path: string): string => (path.startsWith("/") ? `${prefix}${path}` : path);

/** A body in which every `href` is as clients request it. No content of users has that name. */
export function prefixedLinks(prefix: string, body: unknown): unknown {
  if (prefix === "" || typeof body !== "object" || body === null) return body;
  if (Array.isArray(body)) return body.map((it) => prefixedLinks(prefix, it));
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name === "href" && typeof value === "string" ? prefixed(prefix, value) : prefixedLinks(prefix, value),
    ]),
  );
}

/** A page in which every link to the service is as browsers request it. */
export const prefixedHtml = (prefix: string, html: string): string =>
  html.replaceAll(/\b(href|src)="\/(?!\/)/g, `$1="${prefix}/`);
