import type { Readable } from "node:stream";
import type { Admission } from "../admission/admission.ts";
import type { UnknownCallers } from "../admission/unknown-callers.ts";
import type { Config } from "../config.ts";
import type { Handlers, ResumableUpload } from "../contract/contract.ts";
import { isStreamed, JSON_TYPE, type Operation } from "../contract/operations.ts";
import type { RateLimits } from "../rate-limits/limiter.ts";
import { requireAccepted } from "./accept.ts";
import { createAuthentication, type Authenticate } from "./authentication.ts";
import { askForBody, checkBody, hasBody, readJson, refuseBody } from "./body.ts";
import type { AddressOf } from "./client-address.ts";
import { deprecationHeaders } from "./deprecation.ts";
import type { Exchange } from "./exchange.ts";
import { announceUpload, createResponder, type Outcome } from "./respond.ts";
import type { Enforcement } from "./validation/enforcement.ts";

/** Serves a request of an operation, from its authentication to the end of its response, errors included. */
export type Serve = (exchange: Exchange, path: Record<string, string>) => void;

/** The dependencies of the operations, in addition to the contract. */
export type Boundary = {
  readonly config: Config;
  readonly handlers: Handlers;
  readonly verify: Authenticate;
  readonly limits: RateLimits;
};

type Parts = Boundary & {
  readonly prefix: string;
  readonly admission: Admission;
  readonly addressOf: AddressOf;
  readonly unknownCallers: UnknownCallers;
  readonly enforce: Enforcement;
  readonly refuse: (exchange: Exchange, error: unknown) => void;
};

/** A handler of any operation, with only the types that the HTTP layer needs. */
type AnyHandler = (input: unknown) => Promise<Outcome>;

/** Composes the function that serves an operation. Its checks are in the order that the contract documents. */
export function serveOperation(operation: Operation, parts: Parts): Serve {
  const { config, handlers, prefix, addressOf, refuse } = parts;
  const handle = handlers[operation.id] as AnyHandler;
  const authenticate = createAuthentication(operation, parts);
  const { admit, inTurn } = parts.admission.of(operation);
  const validation = parts.enforce(operation);
  const respond = createResponder(operation, prefix, validation);
  const isUpload = isStreamed(operation);
  const ownHeaders = deprecationHeaders(operation);
  const headerNames = operation.headerParameters.map((name) => [name, name.toLowerCase()] as const);

  // A small body is usually in the packet of the headers. Once it is parsed, the connection need not close.
  return (exchange, path) => void serve(exchange, path).catch((error: unknown) => setImmediate(refuse, exchange, error));

  async function serve(exchange: Exchange, path: Record<string, string>): Promise<void> {
    const { req, res } = exchange;
    exchange.operation = operation;
    Object.assign(exchange.head, ownHeaders);
    requireAccepted(operation, req.headers.accept);
    await authenticate(exchange);
    const caller = exchange.principal?.userId ?? addressOf(req);
    if (!admit(caller, res)) return;
    if (operation.body !== null) checkBody(operation, exchange, config.MAX_UPLOAD_BYTES);
    else if (hasBody(req)) await refuseBody(operation, exchange);
    const body = operation.body === JSON_TYPE ? await readJson(exchange) : undefined;
    const query = validation.request(exchange, path, body);
    if (isUpload) askForBody(exchange);
    const input = {
      operation: operation.id,
      principal: exchange.principal,
      path,
      query,
      header: headersOf(exchange),
      body: isUpload ? (req as Readable) : body,
      announceUpload: (upload: ResumableUpload) => announceUpload(exchange, prefix, upload),
      checkResponse: validation.response,
    };
    const outcome = await inTurn(caller, res, () => handle(input));
    if (outcome !== null) await respond(exchange, outcome);
  }

  /** The header parameters of the operation, with the names of the contract. In Node, they are in lower case. */
  function headersOf({ req }: Exchange): object {
    const isHead = req.method === "HEAD";
    const header: Record<string, unknown> = {};
    for (const [name, key] of headerNames) if (!isHead || !ONLY_FOR_GET.has(name)) header[name] = req.headers[key];
    return header;
  }
}

/** Range requests exist only for GET (RFC 9110, 14.2). */
const ONLY_FOR_GET = new Set(["Range", "If-Range"]);
