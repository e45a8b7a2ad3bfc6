import type { Request } from "express";

/** The prefix that a proxy in front strips from every path: the path of PUBLIC_URL, without a slash at its end. */
export const mountOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");

const SETTING = "mount";

/** Tells an Express application its prefix, and asks for it. */
export const mountAt = (app: { set(name: string, value: string): unknown }, mount: string): void => void app.set(SETTING, mount);
export const mountedAt = (req: Request): string => (req.app.get(SETTING) as string | undefined) ?? "";

/** A path of the contract as clients have to ask for it; what is no path is left alone. */
export const mounted = (mount: string, path: string): string => (path.startsWith("/") ? `${mount}${path}` : path);

/** Headers with the `Location` in them as clients have to ask for it. */
export const mountedHeaders = <H extends Readonly<Record<string, unknown>>>(mount: string, headers: H): H =>
  typeof headers["Location"] === "string" ? { ...headers, Location: mounted(mount, headers["Location"]) } : headers;

/** A body with every `href` in it as clients have to ask for it. Nothing that a user has written is named so. */
export function withMountedLinks(mount: string, body: unknown): unknown {
  if (mount === "" || typeof body !== "object" || body === null) return body;
  if (Array.isArray(body)) return body.map((it) => withMountedLinks(mount, it));
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name === "href" && typeof value === "string" ? mounted(mount, value) : withMountedLinks(mount, value),
    ]),
  );
}

/** A page of ours with every link in it as its reader's browser has to ask for it. */
export const withMountedAddresses = (mount: string, html: string): string =>
  html.replaceAll(/\b(href|src)="\/(?!\/)/g, `$1="${mount}/`);
