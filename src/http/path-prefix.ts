/** The prefix that a proxy strips from every path: the path of PUBLIC_URL, without a trailing slash. */
export const prefixIn = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");

/** A path of the contract with the prefix. An absolute URL doesn't change. */
export const prefixed = (prefix: string, path: string): string => (path.startsWith("/") ? `${prefix}${path}` : path);

/** A copy of a body with the prefix in every `href`. No field with this name has user content. */
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

/** A page with the prefix in every link to the service. */
export const prefixedHtml = (prefix: string, html: string): string =>
  html.replaceAll(/\b(href|src)="\/(?!\/)/g, `$1="${prefix}/`);
