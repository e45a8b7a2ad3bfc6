import { types } from "node:util";
import cors from "cors";
import { Router, type Request, type RequestHandler, type Response } from "express";
import type { Readable } from "node:stream";
import type { Download, Handlers, ResumableUpload } from "../contract/contract.ts";
import { namesEtag } from "../etag.ts";
import { Failure } from "../failure.ts";
import { requireAccepted } from "./accept.ts";
import { authenticate, principalOf, type Authenticate } from "./authentication.ts";
import { askForBody, checkQuery, limitLength, readJson, requireMediaType } from "./body.ts";
import { announceDeprecation } from "./deprecation.ts";
import { announceUpload } from "./announce-upload.ts";
import type { Enforcement } from "./validation/enforcement.ts";
import { mounted, mountedAt, mountedHeaders, withMountedLinks } from "./mount.ts";
import { isStreamed, type Operation } from "../contract/operations.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import { sendBytes } from "./send-bytes.ts";

/** What a handler gets and gives, as far as HTTP needs to know it. */
type AnyHandler = (input: unknown) => Promise<{
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly onSend?: () => void;
}>;

type Boundary = {
  readonly handlers: Handlers;
  readonly enforce: Enforcement;
  readonly verify: Authenticate;
  readonly limits: RateLimits;
  readonly corsOrigins: readonly string[];
  readonly maxUploadBytes: number;
  /** Bounds how many requests that move videos are answered at once; other operations pass. */
  readonly admit: (operation: Operation) => readonly RequestHandler[];
  /** How long a client may take nothing of a body. */
  readonly stallMs: number;
};

/** Mounts the contract: each operation gets the same chain, in the order of checks that the contract states. */
export function createRouter(operations: readonly Operation[], boundary: Boundary): Router {
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const methods = group
      .map((it) => it.method.toUpperCase())
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const allowed = [...methods, "OPTIONS"];
    const allowedHeaders = [
      ...new Set(["Authorization", "Content-Type", "X-Request-Id", ...group.flatMap((it) => it.headerParameters)]),
    ];
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
    route.options(
      (_req, res, next) => {
        res.set("Allow", allowed.join(", "));
        next();
      },
      cors({ origin: corsOrigin(boundary.corsOrigins), methods, maxAge: 600, allowedHeaders }),
    );
    for (const operation of group) {
      route[operation.method](
        announceDeprecation(operation),
        requireAccepted(operation),
        authenticate(operation, boundary.verify, boundary.limits),
        ...boundary.admit(operation),
        requireMediaType(operation),
        limitLength(operation, boundary.maxUploadBytes),
        ...(operation.body === "application/json" ? [readJson] : []),
        checkQuery(operation),
        ...boundary.enforce(operation),
        answer(operation, boundary.handlers[operation.id] as AnyHandler, boundary.stallMs),
      );
    }
    route.all((req) => {
      throw new Failure("method_not_allowed", `${req.method} is not supported here. Supported methods: ${allowed.join(", ")}.`, {
        methods: allowed,
      });
    });
  }
  return router;
}

export const corsOrigin = (origins: readonly string[]) => (origins.includes("*") ? "*" : [...origins]);

function answer(operation: Operation, handle: AnyHandler, stallMs: number): RequestHandler {
  // What is thrown without being an error could mean "go on with the next route" to Express.
  return (req, res, next) =>
    void respond(req, res).catch((error: unknown) =>
      next(types.isNativeError(error) ? error : new Error("A handler threw what is no error.", { cause: error })),
    );

  async function respond(req: Request, res: Response): Promise<void> {
    const gone = new AbortController();
    // It may have left while its body was read, and `close` is not said twice.
    if (res.closed) gone.abort();
    res.once("close", () => gone.abort());
    if (isStreamed(operation)) askForBody(req, res);
    const isHead = res.locals["head"] === true;
    const outcome = await handle({
      operation: operation.id,
      principal: principalOf(res),
      path: req.params,
      query: req.query,
      header: headersOf(operation, req, isHead),
      body: isStreamed(operation) ? (req as Readable) : (req.body as unknown),
      signal: gone.signal,
      announceUpload: (upload: ResumableUpload) => announceUpload(req, res, upload),
    });
    if (!isHead) outcome.onSend?.();
    res.status(outcome.status);
    for (const [name, value] of Object.entries(mountedHeaders(mountedAt(req), outcome.headers ?? {}))) {
      if (value !== undefined) res.set(name, String(value));
    }
    const etag = res.get("ETag");
    if (!res.hasHeader("Cache-Control"))
      res.set("Cache-Control", operation.scopes === null || etag === undefined ? "no-store" : "private, no-cache");
    const ifNoneMatch = req.headers["if-none-match"];
    if (
      operation.method === "get" &&
      (outcome.status === 200 || outcome.status === 206) &&
      etag !== undefined &&
      ifNoneMatch !== undefined &&
      namesEtag(ifNoneMatch, etag, "weak")
    ) {
      for (const name of ["Content-Length", "Content-Range", "Accept-Ranges"]) res.removeHeader(name);
      res.status(304).end();
      return;
    }
    if (outcome.body === undefined) {
      res.end();
      return;
    }
    if (isDownload(outcome.body)) {
      res.setHeader("Content-Type", operation.produces ?? "application/octet-stream");
      if (!isHead) return sendBytes(res, await outcome.body.open(), stallMs);
      res.end();
      return;
    }
    const next = nextPage(operation, req, outcome.body);
    if (next !== null) res.append("Link", next);
    res.json(withMountedLinks(mountedAt(req), outcome.body));
  }
}

const isDownload = (body: unknown): body is Download => typeof (body as Partial<Download>).open === "function";

/** The header parameters of an operation in the contract's spelling; Node has them in lower case. */
function headersOf({ headerParameters }: Operation, req: Request, isHead: boolean): object {
  const names = headerParameters.filter((name) => !isHead || !ONLY_FOR_GET.has(name));
  return Object.fromEntries(names.map((name) => [name, req.headers[name.toLowerCase()]]));
}

/** RFC 9110, 14.2. */
const ONLY_FOR_GET = new Set(["Range", "If-Range"]);

/** RFC 8288: where the next page is, for a list that has one. */
function nextPage(operation: Operation, req: Request, body: unknown): string | null {
  const cursor = (body as { page?: { next_cursor?: string | null } }).page?.next_cursor;
  if (operation.nextPageParameter === null || cursor === null || cursor === undefined) return null;
  const url = new URL(req.originalUrl, "http://localhost");
  // A list begun by offset goes on by cursor.
  for (const name of ["after", "before", "offset"]) url.searchParams.delete(name);
  url.searchParams.set(operation.nextPageParameter, cursor);
  return `<${mounted(mountedAt(req), url.pathname)}${url.search}>; rel="next"`;
}
