import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that a service in this process received, with the status of the response, or null if there was none. */
export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly status: number | null;
};

/** Records all requests to servers in this process from now on, in the order in which they end. */
export function watchRequests(): { readonly seen: readonly SeenRequest[] } & Disposable {
  const seen: SeenRequest[] = [];
  const note = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { method = "", url: path = "", headers } = request;
    response.once("close", () => seen.push({ method, path, headers, status: response.headersSent ? response.statusCode : null }));
  };
  subscribe("http.server.request.start", note);
  return { seen, [Symbol.dispose]: () => void unsubscribe("http.server.request.start", note) };
}
