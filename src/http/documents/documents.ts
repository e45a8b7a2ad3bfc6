import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Router, type RequestHandler } from "express";
import { problems, type ProblemCode } from "#generated/problems.ts";
import { namesEtag } from "../../util/etag.ts";
import { prefixedHtml, prefixedLinks } from "../path-prefix.ts";
import { createOtherMethods } from "../other-methods.ts";
import { readBundle, type Contract } from "../../contract/bundle.ts";
import { playerPage } from "./player-page.ts";
import { demoNote, landingPage, NOTHING_ELSE, problemPage } from "./pages.ts";

/** The content of the documents, in addition to the files in `generated/`. */
export type Documents = {
  readonly contract: Contract;
  /** An example request with a key, for the landing page and the reference. Only in development. */
  demo?: string;
};

/** The logo after "API docs by", as text, so that the browser loads no image from a server of Redoc. */
const REDOC_LOGO = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="38" height="12"><text y="10" font-family="system-ui,sans-serif" font-size="10" font-weight="600" fill="#3a5a8c">Redoc</text></svg>')}`;

/** Redoc's script from the installed package, with an inline image instead of the remote one. */
function redocScript(): Buffer {
  const redocly = dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json"));
  const script = readFileSync(join(redocly, "lib/chunks/redoc.standalone.js"), "utf8");
  return Buffer.from(script.replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g, REDOC_LOGO));
}

const FROM_ANYWHERE = { "Access-Control-Allow-Origin": "*" };

const docsLinks = (prefix: string) =>
  `<${prefix}/openapi.json>; rel="service-desc", <${prefix}/docs>; rel="service-doc", <${prefix}/.well-known/api-catalog>; rel="api-catalog"`;

/**
 * Mounts `/`, `/docs`, `/docs/player`, `/docs/webhooks.*`, `/openapi.*`, `/problems/*` and the API catalog (RFC 9727), which require
 * no credential. `admit` limits the number of concurrent requests for them.
 */
export function createDocuments(documents: Documents, prefix: string, admit: RequestHandler): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const { contract } = documents;
  const page = (html: string | Buffer) => Buffer.from(prefixedHtml(prefix, html.toString()));
  const docsPage = page(servedAt(prefix, readFileSync(new URL("../../../generated/docs/index.html", import.meta.url))));
  const docsHeaders = { "Content-Security-Policy": docsPolicy(docsPage) };
  const landingHeaders = { Link: docsLinks(prefix), "Content-Security-Policy": PAGE_POLICY };
  const otherMethods = createOtherMethods(["get"], FROM_ANYWHERE);
  const get = (path: string, handler: RequestHandler) => router.route(path).get(admit, handler).all(otherMethods);

  for (const format of ["json", "yaml"] as const) {
    const contractIn = (edition: "whole" | "clients") =>
      document(servedAt(prefix, readBundle(format, edition)), `application/openapi+${format};version=3.1`, FROM_ANYWHERE);
    get(`/openapi.${format}`, contractIn("clients"));
    get(`/openapi-with-webhooks.${format}`, contractIn("whole"));
  }
  const edition30 = servedAt(prefix, readBundle("json", "3.0"));
  get("/openapi-3.0.json", document(edition30, "application/openapi+json;version=3.0", FROM_ANYWHERE));
  get(
    "/docs",
    withDemo(documents, docsHeaders, (demo) => Buffer.from(docsPage.toString().replace("<body>", (tag) => tag + demoNote(demo)))),
  );
  get("/docs/redoc.standalone.js", document(redocScript(), "text/javascript; charset=utf-8"));
  get("/docs/player", html(page(playerPage.html), { "Content-Security-Policy": playerPage.policy }));
  for (const name of ["webhooks.ts", "webhooks.py"]) {
    const source = readFileSync(new URL(`../../../generated/receivers/${name}`, import.meta.url));
    get(`/docs/${name}`, document(source, "text/plain; charset=utf-8", FROM_ANYWHERE));
  }
  get("/docs/player.js", document(playerPage.script, "text/javascript; charset=utf-8"));
  get(
    "/.well-known/api-catalog",
    document(
      Buffer.from(JSON.stringify(prefixedLinks(prefix, apiCatalog(prefix)), null, 2)),
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      { Link: `<${prefix}/.well-known/api-catalog>; rel="api-catalog"`, ...FROM_ANYWHERE },
    ),
  );
  get(
    "/",
    withDemo(documents, landingHeaders, (demo) => page(landingPage(contract.info, demo))),
  );
  for (const code of Object.keys(problems) as ProblemCode[]) {
    get(`/problems/${code}`, html(page(problemPage(code, problems[code])), { "Content-Security-Policy": PAGE_POLICY }));
  }
  return router;
}

const html = (bytes: Buffer, headers: Readonly<Record<string, string>>) => document(bytes, "text/html; charset=utf-8", headers);

/** A page with the example request, if there is one. It contains a key, so caches must not store it. */
function withDemo(
  documents: Documents,
  headers: Readonly<Record<string, string>>,
  make: (demo: string | undefined) => Buffer,
): RequestHandler {
  const plain = html(make(undefined), headers);
  const secret = { ...headers, "Cache-Control": "no-store" };
  return (req, res, next) => (documents.demo === undefined ? plain : html(make(documents.demo), secret))(req, res, next);
}

const PAGE_POLICY = `${NOTHING_ELSE}; style-src 'unsafe-inline'; img-src data:`;

/** Allows inline styles, which Redoc needs, and scripts of this service and of the page. */
function docsPolicy(page: Buffer): string {
  const scripts = page.toString().matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g);
  const inline = [...scripts].map((it) => `'sha256-${hash("sha256", it[1]!, "base64")}'`);
  return [
    NOTHING_ELSE,
    `script-src 'self' ${inline.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
  ].join("; ");
}

function apiCatalog(prefix: string): object {
  return {
    linkset: [
      {
        anchor: `${prefix}/`,
        "service-desc": [
          { href: "/openapi.json", type: "application/openapi+json" },
          { href: "/openapi.yaml", type: "application/openapi+yaml" },
        ],
        "service-doc": [{ href: "/docs", type: "text/html" }],
        status: [{ href: "/health", type: "application/json" }],
      },
    ],
  };
}

/** Adds the prefix to the server URL, the imported scripts and the paths of other documents in a document (JSON, YAML or HTML). */
function servedAt(prefix: string, bytes: Buffer): Buffer {
  if (prefix === "") return bytes;
  const text = bytes
    .toString()
    .replaceAll(/("servers":\s*\[\s*\{\s*"url":\s*)"\/"/g, `$1"${prefix}"`)
    .replaceAll(/^(servers:\n +- url: )\/$/gm, `$1${prefix}`)
    .replaceAll(/(import\()"\/docs\//g, `$1"${prefix}/docs/`)
    .replaceAll(/(\]\(|`|<code>|"url":\s?")(?=\/(docs\/|openapi[.-]|problems\/))/g, `$1${prefix}`);
  return Buffer.from(text);
}

const compress = promisify(gzip);

/** Serves an immutable document with a strong entity tag. Compresses it on the first request that accepts gzip. */
function document(bytes: Buffer, type: string, headers: Readonly<Record<string, string>> = {}): RequestHandler {
  const digest = hash("sha256", bytes, "base64url").slice(0, 27);
  let compressed: Promise<Buffer> | undefined;
  return async (req, res) => {
    const encoding = req.acceptsEncodings(["gzip", "identity"]) === "gzip" ? "gzip" : "identity";
    // Each encoding has its own strong tag (RFC 9110, 8.8.3.3).
    const etag = encoding === "gzip" ? `"${digest}-gzip"` : `"${digest}"`;
    res.set({ "Cache-Control": "public, max-age=300", Vary: "Accept-Encoding", ETag: etag, ...headers });
    if (req.headers["if-none-match"] !== undefined && namesEtag(req.headers["if-none-match"], etag, "weak"))
      return void res.status(304).end();
    if (encoding === "gzip") res.set("Content-Encoding", "gzip");
    // `res.set` would add a charset to a media type that has none.
    res.setHeader("Content-Type", type);
    res.end(encoding === "gzip" ? await (compressed ??= compress(bytes)) : bytes);
  };
}
