import type { Config } from "../config.ts";
import type { AnyHandler, Handlers, ResumableUpload } from "../contract/contract.ts";
import { isStreamed, type Operation } from "../contract/operations.ts";
import { requireAccepted } from "./accept.ts";
import { createAuthentication, type AccessDeps } from "./authentication.ts";
import { sendContinue, readBody } from "./body.ts";
import { deprecationHeaders } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { announceOffset, announceUpload } from "./interim.ts";
import { createResponder } from "./respond.ts";
import { ignoreParameters } from "./structured-fields.ts";
import type { Enforcement } from "./validation/enforcement.ts";
import { createWait, type WaitDeps } from "./wait.ts";

/** Serves a request of an operation. Rejects if the response has to be a problem. */
export type Serve = (exchange: Exchange, path: Record<string, string>) => Promise<void>;

/** The dependencies of the operations, in addition to the contract. */
export type OperationDeps = {
  readonly config: Config;
  readonly handlers: Handlers;
  /** Without it, no request waits. */
  readonly waiting?: WaitDeps;
} & Pick<AccessDeps, "verify" | "limits">;

type ServingDeps = OperationDeps & AccessDeps & { readonly prefix: string; readonly enforce: Enforcement };

/** Composes the function that serves an operation. Its steps have the order that the contract documents. */
export function serveOperation(operation: Operation, deps: ServingDeps): Serve {
  const { config, prefix } = deps;
  const { authenticate, admitAgain } = createAuthentication(operation, deps);
  const { admit, schedule } = deps.admission.of(operation);
  const validation = deps.enforce(operation);
  const handle = deps.handlers[operation.id] as AnyHandler;
  const respond = createResponder(operation, prefix, validation);
  const waiting = createWait(operation, deps.waiting);
  const deprecation = deprecationHeaders(operation);
  const headersIn = createHeaderReader(operation);
  const isUpload = isStreamed(operation);

  return async (exchange, path) => {
    const { req, res, headers, record } = exchange;
    record.operation = operation;
    Object.assign(headers, deprecation);

    requireAccepted(operation, req.headers.accept);
    const caller = await authenticate(exchange);
    // False if the client has disconnected. The permits are released when the response closes.
    if (!admit(caller.key, res)) return;
    const json = await readBody(operation, req, res, config.MAX_UPLOAD_BYTES);
    ignoreParameters(operation, req.headers);
    const query = validation.request(exchange, path, json);
    const input = {
      operation: operation.id,
      principal: caller.principal,
      path,
      query,
      header: headersIn(req),
      body: isUpload ? sendContinue(req, res) : json,
      announceUpload: (upload: ResumableUpload) => announceUpload(exchange, prefix, upload),
      announceOffset: (offset: number) => announceOffset(exchange, offset),
      checkResponse: validation.response,
    };
    const work = () => schedule(caller.key, res, () => handle(input));
    const outcome = await waiting(exchange, caller.key, input, work, () => admitAgain(exchange));
    if (outcome !== null) await respond(exchange, outcome);
  };
}

/** Range requests exist only for GET (RFC 9110, 14.2). */
const ONLY_FOR_GET = new Set(["Range", "If-Range"]);

/** Reads the header parameters of an operation, by the names of the contract. Node has them in lower case. */
function createHeaderReader({ headerParameters }: Operation) {
  const names = headerParameters.map((name) => [name, name.toLowerCase()] as const);
  return ({ method, headers }: Exchange["req"]): object => {
    const isHead = method === "HEAD";
    const header: Record<string, unknown> = {};
    for (const [name, key] of names) if (!isHead || !ONLY_FOR_GET.has(name)) header[name] = headers[key];
    return header;
  };
}
