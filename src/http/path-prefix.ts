import type { Request } from "express";

/** The prefix that a proxy in front strips from every path: the path of PUBLIC_URL, without a slash at its end. */
export const prefixIn = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");

const SETTING = "path prefix";

/** Tells an Express application its prefix, and asks for it. */
export const setPrefix = (app: { set(name: string, value: string): unknown }, prefix: string): void =>
  void app.set(SETTING, prefix);
export const prefixOf = (req: Request): string => (req.app.get(SETTING) as string | undefined) ?? "";

/** A path of the contract as clients request it; an absolute URL stays as it is. */
export const prefixed = (prefix: string, path: string): string => (path.startsWith("/") ? `${prefix}${path}` : path);

/** Headers whose `Location` is as clients request it. */
export const prefixedHeaders = <H extends Readonly<Record<string, unknown>>>(prefix: string, headers: H): H =>
  typeof headers["Location"] === "string" ? { ...headers, Location: prefixed(prefix, headers["Location"]) } : headers;

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
